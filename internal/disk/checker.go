package disk

import (
	"maps"
	"os"
	"sync"
	"time"
)

// A Checker checks files that are used repeatedly. After it has found a file to be intact, it does
// not read the file again for a minute unless the file's size or modification time changes. It
// therefore detects a write immediately, and silent damage on the disk within a minute. The zero
// value is ready for use. It is safe for concurrent use.
type Checker struct {
	mu   sync.Mutex
	good map[string]checked // by name
	most int                // number of entries above which old entries are removed
}

type checked struct {
	sum      Sum
	modified time.Time
	until    time.Time
}

const trusted = time.Minute

// Check returns an error of kind Corrupt if the content of the named file does not match sum.
func (c *Checker) Check(name string, sum Sum) error {
	info, err := os.Stat(name)
	if err != nil || info.Size() != sum.Size {
		return sum.Check(name)
	}
	now := time.Now()
	c.mu.Lock()
	last := c.good[name]
	c.mu.Unlock()
	if last.sum == sum && last.modified.Equal(info.ModTime()) && now.Before(last.until) {
		return nil
	}
	if err := sum.Check(name); err != nil {
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
