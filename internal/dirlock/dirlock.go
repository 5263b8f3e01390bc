// Package dirlock locks a directory for one process at a time. The lock is released when the
// process exits for any reason.
package dirlock

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/howdah/howdah/internal/owndir"
	"github.com/howdah/howdah/job/failure"
)

// Name is the name of the lock file, which contains the owner's process ID.
const Name = "in_use.lock"

// Lock is a directory that this process has locked.
type Lock struct{ file *os.File }

// Take locks dir for this process. It creates the directory with perm if necessary, and rejects a
// directory that other users can change (owndir.Make). Error messages contain owner and key. owner
// is the kind of daemon, such as "TaskTracker", and key is the configuration key of the directory.
// If another process holds the lock, the error is of kind Exists.
func Take(dir string, perm os.FileMode, owner, key string) (*Lock, error) {
	const op = "lock"
	if err := owndir.Make(dir, perm, key); err != nil {
		return nil, err
	}
	name := filepath.Join(dir, Name)
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, failure.New(failure.KindOf(err), op, name, err)
	}
	err = Flock(f)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		holder, _ := os.ReadFile(name)
		f.Close()
		return nil, failure.New(failure.Exists, op, dir,
			fmt.Errorf("the %s with process ID %s uses the directory", owner, strings.TrimSpace(string(holder)))).
			Fix("stop that process, or set another " + key + " for this process")
	}
	if err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = fmt.Fprintln(f, os.Getpid())
	}
	if err != nil {
		f.Close()
		return nil, failure.New(failure.KindOf(err), op, name, err)
	}
	return &Lock{f}, nil
}

// patience is how long Flock waits for a lock, and pause is the time between its tries. A killed
// process can still hold its lock when a supervisor starts its successor.
const (
	patience = 2 * time.Second
	pause    = 20 * time.Millisecond
)

// Flock locks a file for this process until the file is closed. If another process still holds the
// lock after 2 s, the error is EWOULDBLOCK.
func Flock(f *os.File) error {
	for end := time.Now().Add(patience); ; time.Sleep(pause) {
		err := tryLock(f)
		if !errors.Is(err, syscall.EWOULDBLOCK) || !time.Now().Before(end) {
			return err
		}
	}
}

// Release unlocks the directory. It does not remove the lock file, because another process could
// lock the file just before it is removed.
func (l *Lock) Release() error { return l.file.Close() }
