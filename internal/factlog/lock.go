package factlog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/howdah/howdah/job/failure"
)

// lockDir takes the directory for this process. The lock goes with the process, however it ends.
func lockDir(dir string, format Format) (*os.File, error) {
	name := filepath.Join(dir, lockFile)
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, failure.New(failure.KindOf(err), "lock", name, err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		holder, _ := os.ReadFile(name)
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = fmt.Errorf("the %s with process id %s uses it", format.Owner, strings.TrimSpace(string(holder)))
			return nil, failure.New(failure.Exists, "lock", dir, err).Fix("stop that one first, or give this one another " + format.Key)
		}
		return nil, failure.New(failure.IO, "lock", name, err)
	}
	err = f.Truncate(0)
	if err == nil {
		_, err = fmt.Fprintln(f, os.Getpid())
	}
	if err != nil {
		f.Close()
		return nil, failure.New(failure.KindOf(err), "lock", name, err)
	}
	return f, nil
}
