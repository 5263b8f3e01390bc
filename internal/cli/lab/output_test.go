package lab

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

// No command overwrites an existing file, unless the user requests it.
func TestFilesAreNotOverwritten(t *testing.T) {
	in(t)
	sim(t, "generate", "testbed", "--jobs", "2")
	for _, c := range [][]string{
		{"export", "testbed", "-o", "file"}, {"generate", "testbed", "--jobs", "2", "-o", "file"},
		{"generate", "testbed", "--jobs", "2", "-o", "file.gz"},
		{"run", "testbed", "--model", "task", "--journal", "file"}, {"run", "testbed", "--model", "task", "--plot",
			"file.svg"},
		{"run", "testbed", "--model", "task", "--plot", "new.svg", "--journal", "file"},
		{"compare", "testbed", "--model", "task", "--plot", "file.svg"},
	} {
		name := c[len(c)-1]
		require.NoError(t, os.WriteFile(name, []byte("precious"), 0o644))
		code, out, errOut := sim(t, c...)
		require.Equal(t, 4, code, "%v", c)
		require.Empty(t, out)
		require.Contains(t, errOut, name+": the file exists; choose another file, or use --replace\n")
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, "precious", string(text))
		code, _, errOut = sim(t, append(c, "--replace")...)
		require.Zero(t, code, errOut)
		text, err = os.ReadFile(name)
		require.NoError(t, err)
		require.NotEqual(t, "precious", string(text))
		require.NoError(t, os.Remove(name))
		left, err := filepath.Glob("*.part*")
		require.NoError(t, err)
		require.Empty(t, left)
	}
}

// A file that could not be completed does not exist.
func TestOutputThatFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.gz")
	o, err := newOutput("write", path, false)
	require.NoError(t, err)
	broken := errors.New("broken")
	require.ErrorIs(t, o.stream(func(w io.Writer) error {
		_, err := w.Write([]byte("half"))
		return errors.Join(err, broken)
	}), broken)
	left, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Empty(t, left)
	_, err = newOutput("write", filepath.Join(path, "none", "x"), false)
	require.Equal(t, failure.NotFound, failure.KindOf(err))
	_, err = newOutput("write", filepath.Dir(path), true)
	require.Equal(t, failure.Usage, failure.KindOf(err))
	o, err = newOutput("write", os.DevNull, false)
	require.NoError(t, err)
	require.NoError(t, o.stream(func(w io.Writer) error { _, err := w.Write([]byte("x")); return err }))
}
