package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/howdah/howdah/job/failure"
)

const lockName = "in_use.lock"

// lockDir takes a local directory for this TaskTracker, because whoever starts there removes what it finds. The lock goes with
// the process, however it ends; a directory that another TaskTracker holds is an error of kind Exists.
func lockDir(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		holder, _ := os.ReadFile(f.Name())
		err = failure.New(failure.Exists, "lock", dir, fmt.Errorf("the TaskTracker with process id %s uses it", strings.TrimSpace(string(holder)))).
			Fix("stop that one first, or give this one another mapreduce.cluster.local.dir")
	}
	if err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = fmt.Fprintln(f, os.Getpid())
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
