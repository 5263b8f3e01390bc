//go:build unix

package disk

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/howdah/howdah/job/failure"
)

// A Checker checks files that are used repeatedly. After it has found a file to be intact, it does
// not read the file again for a minute unless the file's size or modification time changes. It can
// therefore miss silent damage for up to a minute. The zero value is ready for use. It is safe for
// concurrent use.
type Checker struct {
	mu   sync.Mutex
	good map[string]checked // by name
	most int                // number of entries at which Check removes the expired ones
}

type checked struct {
	sum      Sum
	modified time.Time
	until    time.Time
}

const trusted = time.Minute

// Check returns an error of kind Corrupt if the content of a file below dir does not match sum. It
// follows no link that leads out of dir, and does not wait for the other end of a pipe. The file
// can therefore belong to another user.
func (c *Checker) Check(dir *os.Root, file string, sum Sum) error {
	name := filepath.Join(dir.Name(), file)
	f, err := dir.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return failure.New(failure.KindOf(err), "read", name, errors.Unwrap(err))
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return failure.New(failure.KindOf(err), "read", name, errors.Unwrap(err))
	}
	now := time.Now()
	c.mu.Lock()
	last := c.good[name]
	c.mu.Unlock()
	if info.Size() == sum.Size && last.sum == sum && last.modified.Equal(info.ModTime()) && now.Before(last.until) {
		return nil
	}
	if err := sum.check(f, info); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.good == nil {
		c.good = map[string]checked{}
	}
	if len(c.good) >= c.most {
		maps.DeleteFunc(c.good, func(_ string, x checked) bool { return !now.Before(x.until) })
		c.most = 2*len(c.good) + 100
	}
	c.good[name] = checked{sum, info.ModTime(), now.Add(trusted)}
	return nil
}
