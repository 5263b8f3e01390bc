package shuffle

import (
	"container/list"
	"os"
	"path/filepath"
	"sync"

	"github.com/howdah/howdah/internal/owned"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/task/sortio"
)

// indexCache caches the most recently used indexes, up to a limit in bytes. If a map output has
// changed, it reads the index again.
type indexCache struct {
	mu    sync.Mutex
	limit int64
	size  int64
	byDir map[string]*list.Element
	order list.List // most recently used first
}

type cachedIndex struct {
	dir   string
	index sortio.Index
	stamp fileStamp
}

type fileStamp struct{ size, mtime int64 }

// indexCost returns the approximate memory usage of x, in bytes.
func indexCost(x *cachedIndex) int64 { return int64(len(x.index))*32 + int64(len(x.dir)) + 200 }

func newIndexCache(limit int64) *indexCache {
	return &indexCache{limit: limit, byDir: map[string]*list.Element{}}
}

// get returns the index of the map output in dir.
func (c *indexCache) get(dir string) (sortio.Index, error) {
	st, err := os.Lstat(filepath.Join(dir, sortio.OutputName))
	if err != nil {
		c.drop(dir)
		return nil, err
	}
	stamp := fileStamp{st.Size(), st.ModTime().UnixNano()}
	c.mu.Lock()
	if e := c.byDir[dir]; e != nil && e.Value.(*cachedIndex).stamp == stamp {
		c.order.MoveToFront(e)
		c.mu.Unlock()
		return e.Value.(*cachedIndex).index, nil
	}
	c.mu.Unlock()
	c.drop(dir)
	f, x, err := openOutput(dir)
	if err != nil {
		return nil, err
	}
	f.Close()
	c.put(&cachedIndex{dir, x, stamp})
	return x, nil
}

// openOutput opens the map output in dir and reads its index. Another user's task may have written
// the file.
func openOutput(dir string) (*os.File, sortio.Index, error) {
	f, err := owned.Open(dir, sortio.OutputName)
	if err != nil {
		return nil, nil, failure.New(failure.KindOf(err), "open map output", filepath.Join(dir, sortio.OutputName), err)
	}
	x, err := sortio.ReadIndexOf(f)
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, x, nil
}

func (c *indexCache) put(x *cachedIndex) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byDir[x.dir] != nil {
		return
	}
	c.byDir[x.dir] = c.order.PushFront(x)
	c.size += indexCost(x)
	for c.size > c.limit && c.order.Len() > 0 {
		c.remove(c.order.Back())
	}
}

func (c *indexCache) drop(dir string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.byDir[dir]; e != nil {
		c.remove(e)
	}
}

func (c *indexCache) remove(e *list.Element) {
	x := e.Value.(*cachedIndex)
	c.order.Remove(e)
	delete(c.byDir, x.dir)
	c.size -= indexCost(x)
}
