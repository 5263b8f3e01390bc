package golden

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// failing takes note of failures.
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
	require.True(t, fails("one"), "there is no file")
	*Rewrite = true
	require.False(t, fails("one"))
	*Rewrite = false
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "one", string(b))
	require.False(t, fails("one"))
	require.True(t, fails("two"))
}
