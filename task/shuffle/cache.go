package shuffle

import (
	"container/list"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/howdah/howdah/internal/owned"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/task/sortio"
)

// Cache keeps the most recently used map outputs of this host open, and their indexes in memory. A
// process that reads many segments of a map output then opens its file and reads its index once.
// Only one reader at a time uses an open file, so concurrent readers of a map output have one file
// each. If a map output has changed, Cache opens and reads it again. It is safe for concurrent use.
// A nil Cache keeps nothing.
type Cache struct {
	mu      sync.Mutex
	indexes recent[sortio.Index] // by directory; the cost is in bytes
	files   recent[*os.File]     // by directory; without those in use
	// releases is the number of calls of Release. A file that was opened before the last call does
	// not return to files.
	releases int
}

// maxOpen returns the maximum number of files that a Cache keeps open in addition to those in use. It
// is a quarter of the process's limit on open files, because a reducer may merge maxLocal of them
// while the limit is only 1,024. Each file costs about 2 KiB of memory, so the number is at most 4,096.
func maxOpen() int64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int64(min(limit.Cur/4, 4096))
}

// NewCache returns a Cache whose indexes use at most the given number of bytes.
func NewCache(indexes int64) *Cache {
	return &Cache{indexes: recent[sortio.Index]{limit: indexes},
		files: recent[*os.File]{limit: maxOpen(), drop: func(f *os.File) { f.Close() }}}
}

// Release closes all files. It closes a file that is in use when its reader no longer needs it. The
// file system frees the space of removed map outputs only then. The cache remains usable.
func (c *Cache) Release() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.releases++
	c.files.clear()
}

// openOutput is an open map output. Close returns the file to the cache.
type openOutput struct {
	*os.File
	cache    *Cache
	dir      string
	stamp    fs.FileInfo // as found in dir before the file was opened
	releases int
}

// open opens the map output in dir. Another user's task may have written the file.
func (c *Cache) open(dir string) (*openOutput, error) {
	o := &openOutput{cache: c, dir: dir}
	if c != nil {
		var err error
		if o.stamp, err = c.look(dir); err != nil {
			return nil, err
		}
		c.mu.Lock()
		o.releases = c.releases
		o.File, _ = c.files.take(dir, o.stamp)
		c.mu.Unlock()
		if o.File != nil {
			return o, nil
		}
	}
	f, err := owned.Open(dir, sortio.OutputName)
	if err != nil {
		return nil, openError(dir, err)
	}
	o.File = f
	return o, nil
}

// Close makes the file available to other readers.
func (o *openOutput) Close() error {
	c := o.cache
	if c == nil {
		return o.File.Close()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if o.releases != c.releases {
		return o.File.Close()
	}
	c.files.put(o.dir, o.stamp, 1, o.File)
	return nil
}

// look returns the current state of the map output in dir. If there is none, look closes the file
// that the cache has for dir.
func (c *Cache) look(dir string) (fs.FileInfo, error) {
	st, err := os.Lstat(filepath.Join(dir, sortio.OutputName))
	if err != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.indexes.remove(dir)
		c.files.remove(dir)
		return nil, openError(dir, err)
	}
	return st, nil
}

func openError(dir string, err error) error {
	return failure.New(failure.KindOf(err), "open map output", filepath.Join(dir, sortio.OutputName), err)
}

// index returns the index of the map output in dir.
func (c *Cache) index(dir string) (sortio.Index, error) {
	st, err := c.look(dir)
	if err != nil {
		return nil, err
	}
	if x, ok := c.known(dir, st); ok {
		return x, nil
	}
	o, err := c.open(dir)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	return o.index()
}

// known returns the index of the map output in dir if the cache has it.
func (c *Cache) known(dir string, st fs.FileInfo) (sortio.Index, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.indexes.get(dir, st)
}

// index returns the map output's index.
func (o *openOutput) index() (sortio.Index, error) {
	c := o.cache
	if c == nil {
		return sortio.ReadIndexOf(o.File)
	}
	if x, ok := c.known(o.dir, o.stamp); ok {
		return x, nil
	}
	x, err := sortio.ReadIndexOf(o.File)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.indexes.put(o.dir, o.stamp, indexCost(o.dir, x), x)
	return x, nil
}

// indexCost returns the approximate memory usage of the index x of the map output in dir, in bytes.
func indexCost(dir string, x sortio.Index) int64 { return int64(len(x))*32 + int64(len(dir)) + 400 }

// recent contains the most recently used values by directory, up to a limit on their total cost. Its
// zero value with a limit is ready to use.
type recent[V any] struct {
	limit, size int64
	drop        func(V) // called for each value that recent removes; nil means nothing to do
	byDir       map[string]*list.Element
	order       list.List // most recently used first
}

type stamped[V any] struct {
	dir   string
	stamp fs.FileInfo
	cost  int64
	value V
}

// get returns the value of the map output in dir, whose current state is st. It removes the value of
// an earlier state.
func (r *recent[V]) get(dir string, st fs.FileInfo) (v V, ok bool) {
	e := r.byDir[dir]
	if e == nil {
		return v, false
	}
	s := e.Value.(*stamped[V])
	if !os.SameFile(s.stamp, st) || s.stamp.Size() != st.Size() || !s.stamp.ModTime().Equal(st.ModTime()) {
		r.remove(dir)
		return v, false
	}
	r.order.MoveToFront(e)
	return s.value, true
}

// take is like get, but the value then belongs to the caller.
func (r *recent[V]) take(dir string, st fs.FileInfo) (v V, ok bool) {
	if v, ok = r.get(dir, st); ok {
		r.unlink(r.byDir[dir])
	}
	return v, ok
}

// put adds a value. If dir already has one, put drops the new value.
func (r *recent[V]) put(dir string, st fs.FileInfo, cost int64, v V) {
	s := &stamped[V]{dir, st, cost, v}
	if r.byDir[dir] != nil {
		r.dropped(s)
		return
	}
	if r.byDir == nil {
		r.byDir = map[string]*list.Element{}
	}
	r.byDir[dir] = r.order.PushFront(s)
	r.size += cost
	for r.size > r.limit && r.order.Len() > 0 {
		r.remove(r.order.Back().Value.(*stamped[V]).dir)
	}
}

func (r *recent[V]) remove(dir string) {
	if e := r.byDir[dir]; e != nil {
		r.dropped(r.unlink(e))
	}
}

func (r *recent[V]) clear() {
	for r.order.Len() > 0 {
		r.dropped(r.unlink(r.order.Back()))
	}
}

func (r *recent[V]) unlink(e *list.Element) *stamped[V] {
	s := r.order.Remove(e).(*stamped[V])
	delete(r.byDir, s.dir)
	r.size -= s.cost
	return s
}

func (r *recent[V]) dropped(s *stamped[V]) {
	if r.drop != nil {
		r.drop(s.value)
	}
}
