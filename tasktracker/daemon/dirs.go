package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/dirlock"
	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/internal/owndir"
	"github.com/howdah/howdah/internal/owned"
	"github.com/howdah/howdah/job/failure"
)

// localDirs distributes jobs and attempts over the local directories in rotation. It skips full and
// broken directories.
type localDirs struct {
	all      []string
	locks    []*dirlock.Lock
	minStart int64

	mu     sync.Mutex
	next   int
	probed map[string]time.Time // when a file could last be created in a directory
}

// probeEvery is how long pick relies on an earlier creation of a file in a directory. Creating and
// removing a file takes a large part of the CPU time of starting a small attempt.
const probeEvery = time.Second

// pick returns the next directory with enough free space. If none has enough, it returns an error.
// The error is of kind DiskFull if at least one directory is merely full.
func (l *localDirs) pick() (string, error) {
	l.mu.Lock()
	first := l.next
	l.next = (l.next + 1) % len(l.all)
	l.mu.Unlock()
	var why []error
	kind := failure.IO
	for i := range l.all {
		dir := l.all[(first+i)%len(l.all)]
		free, err := l.check(dir)
		switch {
		case err != nil:
			why = append(why, err)
		case free <= l.minStart:
			kind = failure.DiskFull
			why = append(why, fmt.Errorf("%s: %d bytes free", dir, free))
		default:
			return dir, nil
		}
	}
	return "", failure.New(kind, "find a local directory", "", errors.Join(why...)).
		Fix("free space in mapreduce.cluster.local.dir")
}

// check returns the free space of dir, in bytes. If no file has been created in dir for a while, it
// first checks that this is possible.
func (l *localDirs) check(dir string) (int64, error) {
	now := time.Now()
	l.mu.Lock()
	recent := now.Sub(l.probed[dir]) < probeEvery
	l.mu.Unlock()
	if recent {
		return disk.Free(dir)
	}
	free, err := usable(dir)
	if err == nil {
		l.mu.Lock()
		if l.probed == nil {
			l.probed = map[string]time.Time{}
		}
		l.probed[dir] = now
		l.mu.Unlock()
	}
	return free, err
}

// pickCache returns a directory for the next file in the distributed cache.
func (l *localDirs) pickCache() (string, error) {
	dir, err := l.pick()
	return cacheDir(dir), err
}

// free returns the free space, in bytes, of the usable directory that has the most. It returns an
// error if no directory is usable.
func (l *localDirs) free() (int64, error) {
	most := int64(-1)
	var why []error
	for _, dir := range l.all {
		n, err := usable(dir)
		if err != nil {
			why = append(why, err)
			continue
		}
		most = max(most, n)
	}
	if most < 0 {
		return 0, errors.Join(why...)
	}
	return most, nil
}

// usable checks that files can be created in dir and returns the number of bytes available to the
// current user.
func usable(dir string) (int64, error) {
	probe, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return 0, err
	}
	probe.Close()
	if err := os.Remove(probe.Name()); err != nil {
		return 0, err
	}
	return disk.Free(dir)
}

// sweep locks the directories and removes the files of an earlier TaskTracker. It removes jobs'
// files and the distributed cache, which may be incomplete, but keeps shipped programs. It skips
// unusable directories and returns their errors in broken.
//
// It returns an error if no directory is usable, if another TaskTracker is using one of the
// directories, or if another user could change one of them. In the last two cases, it removes
// nothing.
func (l *localDirs) sweep() (broken []error, err error) {
	var locked, good []string
	for _, dir := range l.all {
		// A TaskTracker removes existing files when it starts, so no two TaskTrackers can share a
		// directory.
		lock, err := dirlock.Take(dir, owndir.Crossed(), "TaskTracker", conf.ClusterLocalDir.Name)
		switch {
		case failure.Is(err, failure.Exists), failure.Is(err, failure.Config):
			l.unlock()
			return nil, err
		case err != nil:
			broken = append(broken, err)
			continue
		}
		l.locks = append(l.locks, lock)
		locked = append(locked, dir)
	}
	for _, dir := range locked {
		if err := sweepDir(dir); err != nil {
			broken = append(broken, err)
			continue
		}
		good = append(good, dir)
	}
	if l.all = good; len(good) == 0 {
		l.unlock()
		why := errors.Join(broken...)
		return nil, failure.New(failure.KindOf(why), "prepare local directories", "", why).
			Fix("check mapreduce.cluster.local.dir")
	}
	return broken, nil
}

// unlock unlocks the directories, so that another TaskTracker can use them.
func (l *localDirs) unlock() {
	for _, lock := range l.locks {
		lock.Release()
	}
	l.locks = nil
}

// sweepDir removes an earlier TaskTracker's files below a local directory. It removes nothing
// outside the directory, although an earlier version, or a task that ran as this user, might have
// put links there.
func sweepDir(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	programs := filepath.Join(trackerDir, distCache)
	for _, name := range []string{trackerDir, programs} {
		if err := realDir(root, name); err != nil {
			return err
		}
		if err := owned.CheckDir(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	if err := removeIn(root, trackerDir, func(name string) bool { return name != distCache }); err != nil {
		return err
	}
	// Each entry is the directory of a user's programs. Directories that do not belong to this
	// process's user are from another user's TaskTracker, and programs outside a user's directory
	// are from an older version.
	if err := removeIn(root, programs, func(name string) bool {
		return owned.CheckDir(filepath.Join(dir, programs, name)) != nil
	}); err != nil {
		return err
	}
	if err := realDir(root, filepath.Join(trackerDir, cacheFiles)); err != nil {
		return err
	}
	_, err = usable(dir)
	return err
}

// removeIn removes those entries of dir whose names f accepts.
func removeIn(root *os.Root, dir string, f func(name string) bool) error {
	d, err := root.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return err
	}
	for _, name := range names {
		if !f(name) {
			continue
		}
		if err := owned.RemoveIn(context.Background(), d, name); err != nil {
			return err
		}
	}
	return nil
}

// realDir creates a directory. If a link or file has the same name, realDir removes it first.
func realDir(root *os.Root, name string) error {
	if i, err := root.Lstat(name); err == nil && !i.IsDir() {
		if err := root.Remove(name); err != nil {
			return err
		}
	}
	err := root.Mkdir(name, owndir.Crossed())
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil
	case err != nil:
		return err
	}
	return root.Chmod(name, owndir.Crossed()) // regardless of the umask
}
