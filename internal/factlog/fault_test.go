package factlog

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/disk/disktest"
	"github.com/howdah/howdah/job/failure"
)

// faulty returns a log on a disk. The next changes fail with the errors in fail, by kind of change.
func faulty(t *testing.T) (j *Log, d *disktest.Disk, fail map[disktest.Op]error) {
	dir := t.TempDir()
	d, err := disktest.New(dir)
	require.NoError(t, err)
	fail = map[disktest.Op]error{}
	d.Fault = func(op disktest.Op, _ string) error { return fail[op] }
	f := lines(new([]string))
	f.Disk = d
	j, _, err = Open(dir, f)
	require.NoError(t, err)
	t.Cleanup(func() { j.Close() })
	return j, d, fail
}

// remembered returns the lines of the log after a power failure.
func remembered(t *testing.T, d *disktest.Disk) []string {
	dir := t.TempDir()
	require.NoError(t, d.Restore(dir, rand.New(rand.NewPCG(1, 0))))
	j, got := open(t, dir)
	require.NoError(t, j.Close())
	return got
}

// A failed Append leaves nothing in the file. After it, the same or another Append works, even if the
// kernel has forgotten the data of the failed sync.
func TestFailedAppend(t *testing.T) {
	for op, cause := range map[disktest.Op]error{disktest.Write: syscall.ENOSPC, disktest.Sync: syscall.EIO} {
		j, d, fail := faulty(t)
		require.NoError(t, j.Append([]byte("one\n")))
		fail[op] = cause
		err := j.Append([]byte("two\nand a half\n"))
		require.ErrorContains(t, err, j.dir)
		if op == disktest.Write {
			require.True(t, failure.Is(err, failure.DiskFull), "%v", err)
			require.ErrorContains(t, err, "free space")
			b, err := os.ReadFile(j.path(j.number))
			require.NoError(t, err)
			require.Equal(t, "header\none\n", string(b), "the space is free again")
		} else {
			require.True(t, failure.Is(err, failure.IO), "%v", err)
		}
		require.Error(t, j.Append([]byte("two\n")), "still")
		delete(fail, op)
		require.NoError(t, j.Append([]byte("two\n")))
		require.NoError(t, j.Append([]byte("three\n")))
		require.Equal(t, []string{"one", "two", "three"}, remembered(t, d), op)
	}
}

// While the file cannot be truncated, nothing is written after the remains of a failed Append.
func TestFailedTruncate(t *testing.T) {
	j, d, fail := faulty(t)
	fail[disktest.Write], fail[disktest.Truncate] = syscall.ENOSPC, syscall.EIO
	require.Error(t, j.Append([]byte("one\nand a half\n")))
	delete(fail, disktest.Write)
	require.Error(t, j.Append([]byte("two\n")))
	delete(fail, disktest.Truncate)
	require.NoError(t, j.Append([]byte("two\n")))
	require.Equal(t, []string{"two"}, remembered(t, d))
}

// After a failed Rotate, the old file continues, and no file of the new one is left.
func TestFailedRotate(t *testing.T) {
	for _, op := range []disktest.Op{disktest.Open, disktest.Write, disktest.Sync, disktest.Rename, disktest.SyncDir} {
		j, d, fail := faulty(t)
		require.NoError(t, j.Append([]byte("one\n")))
		fail[op] = syscall.ENOSPC
		j.snapshot = -10 * minTail
		require.True(t, j.Grown())
		require.True(t, failure.Is(j.Rotate([]byte("snapshot\n")), failure.DiskFull), op)
		require.False(t, j.Grown(), "the next try waits")
		delete(fail, op)
		require.NoError(t, j.Append([]byte("two\n")), op)
		files, err := filepath.Glob(filepath.Join(j.dir, "journal-*"))
		require.NoError(t, err)
		require.Len(t, files, 1, op)
		require.Equal(t, []string{"one", "two"}, remembered(t, d), op)
	}
}

// If Rotate can neither finish nor undo its work, nothing more is written. A successor must not
// miss facts that other processes have seen.
func TestRotateWithoutUndo(t *testing.T) {
	j, d, fail := faulty(t)
	require.NoError(t, j.Append([]byte("one\n")))
	renames := 0
	d.Fault = func(op disktest.Op, _ string) error {
		if op == disktest.Rename {
			if renames++; renames > 1 {
				return syscall.EIO
			}
		}
		return fail[op]
	}
	fail[disktest.SyncDir] = syscall.EIO
	require.Error(t, j.Rotate([]byte("snapshot\n")))
	delete(fail, disktest.SyncDir)
	for _, err := range []error{j.Append([]byte("two\n")), j.Rotate([]byte("two\n"))} {
		require.True(t, failure.Is(err, failure.Internal), "this ends the daemon: %v", err)
		require.ErrorContains(t, err, j.path(j.number+1))
	}
}

// A file without its whole header is damaged, because a journal gets its name when it is complete.
func TestEmptiedJournal(t *testing.T) {
	for _, left := range []string{"", "head"} {
		dir := t.TempDir()
		j, _ := open(t, dir)
		require.NoError(t, j.Close())
		require.NoError(t, os.WriteFile(j.path(j.number), []byte(left), 0o600))
		_, _, err := Open(dir, lines(new([]string)))
		require.True(t, failure.Is(err, failure.Corrupt), "%v", err)
		require.ErrorContains(t, err, j.path(j.number))
	}
}
