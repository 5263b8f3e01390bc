// Package dirlock gives a directory to one process at a time. The lock goes with the process, however it ends.
package dirlock

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/howdah/howdah/job/failure"
)

// Name of the file that is locked; it holds the process id of the owner.
const Name = "in_use.lock"

// Lock is a directory that this process has.
type Lock struct{ file *os.File }

// Take takes dir for this process and makes it with perm if need be. Messages call the holder by owner ("TaskTracker") and name key,
// which is the configuration of the directory. One that another process has, and keeps for a moment, is an error of kind Exists.
func Take(dir string, perm os.FileMode, owner, key string) (*Lock, error) {
	const op = "lock"
	if err := os.MkdirAll(dir, perm); err != nil {
		return nil, failure.New(failure.KindOf(err), op, dir, err).Fix("set " + key + " to a directory that can be written")
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
		return nil, failure.New(failure.Exists, op, dir, fmt.Errorf("the %s with process id %s uses it", owner, strings.TrimSpace(string(holder)))).
			Fix("stop that one first, or give this one another " + key)
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

// A process that is killed holds its locks until the kernel has torn it down, which is after those who wait for it may have heard; one
// that is started in its place must not be told that it lives.
const (
	patience = 2 * time.Second
	pause    = 20 * time.Millisecond
)

// Flock locks a file for this process until it is closed. One that another process has, and keeps for two seconds, is EWOULDBLOCK.
func Flock(f *os.File) error {
	for end := time.Now().Add(patience); ; time.Sleep(pause) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) || !time.Now().Before(end) {
			return err
		}
	}
}

// Release gives the directory up. The file stays, so that nobody locks one that is being removed.
func (l *Lock) Release() error { return l.file.Close() }
