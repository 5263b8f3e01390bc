package local

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

// scratch is a job's directory on the local disk. A lock in it tells other processes that the job is alive: the kernel lets
// go of it however the process ends.
type scratch struct {
	dir  string
	lock *os.File
}

const lockName = "lock"

// newScratch makes the directory on the first local disk where that is possible, and removes there what dead processes left.
func newScratch(c *conf.Config, name string) (*scratch, error) {
	dirs := c.Strings("mapreduce.cluster.local.dir")
	if len(dirs) == 0 {
		return nil, failure.New(failure.Config, "find a local disk", "", nil).Fix("set mapreduce.cluster.local.dir")
	}
	var first error
	for _, d := range dirs {
		root := filepath.Join(d, "localRunner")
		sweep(root)
		s, err := makeScratch(filepath.Join(root, name))
		if err == nil {
			return s, nil
		}
		if first == nil {
			first = failure.New(failure.KindOf(err), "make scratch directory", d, err).Fix("set mapreduce.cluster.local.dir to a directory that can be written")
		}
	}
	return nil, first
}

// makeScratch makes and locks a directory. Between the two another process may take it for one whose owner is dead, and sweep
// it away; then it is made once more.
func makeScratch(dir string) (*scratch, error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return nil, err
	}
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
			os.RemoveAll(dir)
			return nil, err
		}
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
}

// lockScratch locks a directory. The error is fs.ErrNotExist if it is not there any more, or is another one now.
func lockScratch(dir string) (*scratch, error) {
	name := filepath.Join(dir, lockName)
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX) // who sweeps has it for a moment only
	if err == nil {
		err = stillAt(name, f)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &scratch{dir: dir, lock: f}, nil
}

// stillAt gives fs.ErrNotExist if a file is not what stands under a name.
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

// remove deletes the directory; s may be nil.
func (s *scratch) remove() {
	if s == nil {
		return
	}
	os.RemoveAll(s.dir)
	if s.lock != nil {
		s.lock.Close()
	}
}

// sweep removes the directories of jobs whose process is dead. What it cannot tell it leaves alone.
func sweep(root string) {
	locks, _ := filepath.Glob(filepath.Join(root, "job_local*", lockName))
	for _, name := range locks {
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			continue
		}
		if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
			os.RemoveAll(filepath.Dir(name))
		}
		f.Close()
	}
}
