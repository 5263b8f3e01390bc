package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/howdah/howdah/internal/dirlock"
	"github.com/howdah/howdah/job/failure"
)

// localDirs distributes jobs and attempts over the local directories in rotation. It skips full and
// broken directories.
type localDirs struct {
	all      []string
	locks    []*dirlock.Lock
	minStart int64

	mu   sync.Mutex
	next int
}

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
		free, err := usable(dir)
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

// pickCache returns a directory for the next file of the distributed cache.
func (l *localDirs) pickCache() (string, error) {
	dir, err := l.pick()
	return cacheDir(dir), err
}

// free returns the largest free space of a usable directory, in bytes. It returns an error if no
// directory is usable.
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
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return 0, fmt.Errorf("%s: %w", dir, err)
	}
	return int64(st.Bavail) * int64(st.Bsize), nil
}

// sweep locks the directories and removes the files of an earlier TaskTracker. It removes jobs'
// files and the distributed cache, which may be incomplete, but keeps shipped programs. It skips
// unusable directories.
//
// It returns an error if no directory is left, or if another TaskTracker is using one of the
// directories. In the latter case it removes nothing.
func (l *localDirs) sweep() (broken []error, err error) {
	var locked, good []string
	for _, dir := range l.all {
		// A TaskTracker removes existing files when it starts, so no two TaskTrackers can share a
		// directory.
		lock, err := dirlock.Take(dir, 0o755, "TaskTracker", "mapreduce.cluster.local.dir")
		switch {
		case failure.KindOf(err) == failure.Exists:
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

// unlock unlocks the directories for another TaskTracker.
func (l *localDirs) unlock() {
	for _, lock := range l.locks {
		lock.Release()
	}
	l.locks = nil
}

func sweepDir(dir string) error {
	if err := os.MkdirAll(filepath.Join(dir, trackerDir, distCache), 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(filepath.Join(dir, trackerDir))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == distCache {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, trackerDir, e.Name())); err != nil {
			return err
		}
	}
	if err := os.Mkdir(cacheDir(dir), 0o755); err != nil {
		return err
	}
	_, err = usable(dir)
	return err
}
