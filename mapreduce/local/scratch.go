package local

import (
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

func makeScratch(dir string) (*scratch, error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return nil, err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	s := &scratch{dir: dir}
	var err error
	if s.lock, err = os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600); err == nil {
		err = unix.Flock(int(s.lock.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	}
	if err != nil {
		s.remove()
		return nil, err
	}
	return s, nil
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
