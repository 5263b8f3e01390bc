package disk

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

func rootAt(t *testing.T) *os.Root {
	dir, err := os.OpenRoot(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { dir.Close() })
	return dir
}

func TestChecker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c Checker
		dir := rootAt(t)
		name := filepath.Join(dir.Name(), "f")
		then := time.Now()
		write := func(text string, modified time.Time) {
			require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
			require.NoError(t, os.Chtimes(name, modified, modified))
		}
		write("good", then)
		sum, err := SumOf(name)
		require.NoError(t, err)
		require.NoError(t, c.Check(dir, "f", sum))

		write("evil", then.Add(time.Millisecond))
		require.True(t, failure.Is(c.Check(dir, "f", sum), failure.Corrupt), "a write")
		write("goo", then)
		require.True(t, failure.Is(c.Check(dir, "f", sum), failure.Corrupt), "a cut")
		write("evil", then) // as if the disk had changed the file
		require.NoError(t, c.Check(dir, "f", sum), "the file has not been read again")
		require.True(t, failure.Is(c.Check(dir, "f", Sum{Size: 4}), failure.Corrupt), "another sum")
		time.Sleep(trusted)
		require.True(t, failure.Is(c.Check(dir, "f", sum), failure.Corrupt), "silent damage, after a minute")
		require.NoError(t, os.Remove(name))
		require.True(t, failure.Is(c.Check(dir, "f", sum), failure.NotFound))
	})
}

func TestCheckerForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c Checker
		dir := rootAt(t)
		for i := range 10_000 {
			name := strconv.Itoa(i)
			require.NoError(t, dir.WriteFile(name, nil, 0o600))
			require.NoError(t, c.Check(dir, name, Sum{}))
			time.Sleep(time.Second)
		}
		require.LessOrEqual(t, len(c.good), 300)
	})
}

// Whatever another user puts in place of a file, Check reads no other file and does not block.
func TestCheckerOfAnotherUsersFiles(t *testing.T) {
	var c Checker
	dir := rootAt(t)
	outside := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(outside, []byte("text"), 0o600))
	sum, err := SumOf(outside)
	require.NoError(t, err)
	file := filepath.Join(dir.Name(), "f")
	for what, put := range map[string]func() error{
		"a pipe":                 func() error { return syscall.Mkfifo(file, 0o600) },
		"a directory":            func() error { return os.Mkdir(file, 0o700) },
		"a link to another file": func() error { return os.Symlink(outside, file) },
		"a link to a device":     func() error { return os.Symlink("/dev/zero", file) },
		"a file without an end": func() error {
			return errors.Join(os.WriteFile(file, nil, 0o600), os.Truncate(file, 1<<42))
		},
		"a link to its own place": func() error { return os.Symlink("f", file) },
	} {
		require.NoError(t, put(), what)
		require.Error(t, c.Check(dir, "f", sum), what)
		require.NoError(t, os.Remove(file))
	}
}
