package local

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/owndir"
	"github.com/howdah/howdah/internal/owned"
	"github.com/howdah/howdah/job/failure"
)

// scratch is a job's directory on the local disk. A file lock shows other processes that the job is
// alive. The kernel releases the lock when the process ends for any reason.
type scratch struct {
	dir  string
	lock *os.File
}

const lockName = "lock"

// newScratch creates the directory on the first local disk where this succeeds. It also removes the
// directories of dead processes from every disk that it tries.
func newScratch(c *conf.Config, name string) (*scratch, error) {
	dirs := conf.ClusterLocalDir.Get(c)
	if len(dirs) == 0 {
		return nil, failure.New(failure.Config, "find a local disk", "", nil).Fix("set mapreduce.cluster.local.dir")
	}
	var first error
	for _, d := range dirs {
		root := filepath.Join(d, "localRunner")
		err := owndir.Make(root, owndir.Private, conf.ClusterLocalDir.Name)
		if failure.Is(err, failure.Config) {
			return nil, err // sweep could remove files behind another user's link
		}
		if err == nil {
			sweep(root)
			var s *scratch
			if s, err = makeScratch(filepath.Join(root, name)); err == nil {
				return s, nil
			}
		}
		if first == nil {
			first = failure.New(failure.KindOf(err), "make scratch directory", d,
				err).Fix("set mapreduce.cluster.local.dir to a writable directory")
		}
	}
	return nil, first
}

// makeScratch creates and locks a directory. Before the directory is locked, another process can
// mistake the directory for that of a dead process and remove it. In that case, makeScratch
// retries.
func makeScratch(dir string) (*scratch, error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	const attempts = 100
	for n := 1; ; n++ {
		s, err := lockScratch(dir)
		if err == nil {
			return s, nil
		}
		if n == attempts || !errors.Is(err, fs.ErrNotExist) {
			owned.RemoveAll(context.Background(), dir)
			return nil, err
		}
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
}

// lockScratch locks a directory. It returns fs.ErrNotExist if another process has removed or
// replaced the directory.
func lockScratch(dir string) (*scratch, error) {
	name := filepath.Join(dir, lockName)
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX) // a sweeping process holds the lock only briefly
	if err == nil {
		err = stillAt(name, f)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &scratch{dir: dir, lock: f}, nil
}

// stillAt returns fs.ErrNotExist if f is no longer the file with that name.
func stillAt(name string, f *os.File) error {
	mine, err := f.Stat()
	if err != nil {
		return err
	}
	there, err := os.Stat(name)
	if err == nil && !os.SameFile(mine, there) {
		err = fs.ErrNotExist
	}
	return err
}

// remove deletes the directory. s can be nil.
func (s *scratch) remove() {
	if s == nil {
		return
	}
	owned.RemoveAll(context.Background(), s.dir)
	if s.lock != nil {
		s.lock.Close()
	}
}

// sweep removes the directories of jobs whose process is dead. It keeps a directory if it cannot
// determine whether the process is dead.
func sweep(root string) {
	locks, _ := filepath.Glob(filepath.Join(root, "job_local*", lockName))
	for _, name := range locks {
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			continue
		}
		if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
			owned.RemoveAll(context.Background(), filepath.Dir(name))
		}
		f.Close()
	}
}
