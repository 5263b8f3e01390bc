package distcache

import (
	"archive/tar"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

// A job never gets a damaged copy: the Store fetches the entry again. Jobs that hold the damaged copy
// keep it until they end.
func TestDamagedCopies(t *testing.T) {
	dir := t.TempDir()
	file := write(t, dir+"/file", "the content")
	write(t, dir+"/tree/sub/x", "the content")
	archive := write(t, dir+"/a.tar", string(tarOf(t, tar.Header{Name: "sub/x"},
		tar.Header{Name: "hard", Typeflag: tar.TypeLink, Linkname: "sub/x"})))
	tree, packed := planned(t, file, dir+"/tree"), planned(t, archive)
	for i := range packed {
		packed[i].Archive = true
	}
	entries := append(tree, packed...)
	damages := map[string]func(b []byte) []byte{
		"flip":    func(b []byte) []byte { b[len(b)/2] ^= 4; return b },
		"cut":     func(b []byte) []byte { return b[:len(b)/2] },
		"doubled": func(b []byte) []byte { return append(b, b...) },
		"emptied": func([]byte) []byte { return nil },
	}
	for what, damage := range damages {
		for i, name := range []string{"", "sub/x", "hard"} {
			s := newStore(t, 1000)
			var told []error
			s.Damaged = func(err error) { told = append(told, err) }
			old := acquire(t, s, entries)
			bad := filepath.Join(old.copies[i].path, name)
			good, err := os.ReadFile(bad)
			require.NoError(t, err)
			require.NoError(t, os.Chmod(bad, 0o700))
			require.NoError(t, os.WriteFile(bad, damage(bytes.Clone(good)), 0o700))

			l := acquire(t, s, entries)
			again := filepath.Join(l.copies[i].path, name)
			require.NotEqual(t, bad, again)
			b, err := os.ReadFile(again)
			require.NoError(t, err)
			require.Equal(t, good, b, what)
			require.Len(t, told, 1, what)
			require.True(t, failure.Is(told[0], failure.Corrupt), "%v", told[0])
			require.ErrorContains(t, told[0], bad)
			require.FileExists(t, bad, "a job still uses it")
			old.Release()
			require.NoFileExists(t, bad)
			l.Release()
			bytes, copies := s.Size()
			require.Equal(t, 3, copies)
			require.EqualValues(t, 11+11+5, bytes)
			acquire(t, s, entries).Release()
			require.Len(t, told, 1, "the new copy is intact")
		}
	}
}

// A damaged copy whose source is gone is an error with the names of both.
func TestDamagedCopyWithoutSource(t *testing.T) {
	file := write(t, t.TempDir()+"/file", "the content")
	entries := planned(t, file)
	s := newStore(t, 1000)
	l := acquire(t, s, entries)
	bad := l.copies[0].path
	require.NoError(t, os.Remove(bad))
	require.NoError(t, os.Remove(file))
	_, err := s.Acquire(context.Background(), resolver(t, conf.New()), User{Name: "ann"}, entries)
	require.True(t, failure.Is(err, failure.NotFound), "%v", err)
	require.ErrorContains(t, err, bad)
	require.ErrorContains(t, err, file)
	l.Release()
	_, copies := s.Size()
	require.Zero(t, copies)
}

// Tasks may add files next to those of a copy.
func TestAddedFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/tree/x", "x")
	entries := planned(t, dir+"/tree")
	s := newStore(t, 1000)
	s.Damaged = func(err error) { t.Error(err) }
	l := acquire(t, s, entries)
	write(t, l.copies[0].path+"/__pycache__/x", "compiled")
	again := acquire(t, s, entries)
	require.Equal(t, l.copies[0].path, again.copies[0].path)
	l.Release()
	again.Release()
}

// Users own their private copies, and can replace a file by a pipe or a link. The next job gets a
// new copy and does not wait.
func TestReplacedCopies(t *testing.T) {
	file := write(t, t.TempDir()+"/file", "the content")
	entries := planned(t, file)
	for what, put := range map[string]func(name string) error{
		"pipe": func(name string) error { return syscall.Mkfifo(name, 0o600) },
		"link": func(name string) error { return os.Symlink(file, name) },
	} {
		s := newStore(t, 1000)
		old := acquire(t, s, entries)
		bad := old.copies[0].path
		require.NoError(t, os.Remove(bad))
		require.NoError(t, put(bad), what)
		l := acquire(t, s, entries)
		require.NotEqual(t, bad, l.copies[0].path, what)
		b, err := os.ReadFile(l.copies[0].path)
		require.NoError(t, err)
		require.Equal(t, "the content", string(b), what)
		old.Release()
		l.Release()
	}
}
