package golden

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// failing records failures.
type failing struct {
	testing.TB
	failed bool
}

func (f *failing) Errorf(string, ...any) { f.failed = true }
func (f *failing) FailNow()              { f.failed = true }

func TestCompare(t *testing.T) {
	file := filepath.Join(t.TempDir(), "testdata", "a")
	fails := func(got string) bool {
		f := &failing{TB: t}
		Compare(f, file, []byte(got))
		return f.failed
	}
	require.True(t, fails("one"), "the file is missing")
	*Rewrite = true
	require.False(t, fails("one"))
	*Rewrite = false
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "one", string(b))
	require.False(t, fails("one"))
	require.True(t, fails("two"))
}

func TestTranscript(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.txt")
	require.NoError(t, os.WriteFile(file, []byte("# Why.\none two\n----\n1\n\nthree\n----\n"), 0o644))
	fails := func(answers map[string]string) bool {
		f := &failing{TB: t}
		Transcript(f, file, func(command string) string { return answers[command] })
		return f.failed
	}
	require.False(t, fails(map[string]string{"one two": "1\n"}))
	require.True(t, fails(map[string]string{"one two": "1\n", "three": "3\n"}))
	*Rewrite = true
	require.False(t, fails(map[string]string{"one two": "1\n", "three": "3\n"}))
	*Rewrite = false
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "# Why.\none two\n----\n1\n\nthree\n----\n3\n", string(b))
}
