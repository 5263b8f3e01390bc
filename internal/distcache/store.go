package distcache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"sync"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
)

// Store keeps copies of cache entries on a node's disks: one for every content, whatever number of jobs use it. What no job
// uses any more stays for the next one until there is more than Limit. A store begins empty and forgets everything with its
// process; whoever starts one clears the directories. All methods may be called concurrently.
type Store struct {
	// Dir gives the directory in which the next copy is made; it is called for each.
	Dir func() (string, error)
	// Limit is how many bytes the copies may take before unused ones are removed, and the most that one archive may unpack to.
	Limit int64

	mu    sync.Mutex
	all   map[string]*copied
	total int64
	clock int64 // grows with every use; the smallest of an unused copy is removed first
}

// copied is one entry on the local disk.
type copied struct {
	key   string
	ready chan struct{} // closed when it is there, or when it failed
	// Set before ready is closed.
	err  error
	dir  string // what removing it removes
	path string // the file, or the directory of an unpacked archive
	size int64

	users int // jobs; guarded by Store.mu, as used
	used  int64
}

// DefaultLimit is Hadoop's local.cache.size.
const DefaultLimit = 10 << 30

// Lease is one job's use of its cache. A nil Lease is that of a job without one.
type Lease struct {
	store   *Store
	entries []Entry
	copies  []*copied
}

// Acquire makes the entries of a user's job available and keeps them there until Release. A file that is not what the client saw
// any more is kind Stale.
func (s *Store) Acquire(ctx context.Context, fs dfs.Resolver, user string, entries []Entry) (*Lease, error) {
	l := &Lease{store: s, entries: entries}
	for i := range entries {
		c, err := s.one(ctx, fs, user, &entries[i])
		if err != nil {
			l.Release()
			return nil, err
		}
		l.copies = append(l.copies, c)
	}
	return l, nil
}

// one finds or makes the copy of an entry and counts its user.
func (s *Store) one(ctx context.Context, fs dfs.Resolver, user string, e *Entry) (*copied, error) {
	key := e.key(user)
	for {
		c, mine := s.claim(key)
		if mine {
			s.fill(ctx, fs, c, e)
		}
		select {
		case <-c.ready:
		case <-ctx.Done():
			s.release(c)
			return nil, failure.New(failure.Killed, "localise", e.URI, ctx.Err())
		}
		if c.err == nil {
			return c, nil
		}
		s.release(c)
		if mine || !failure.Is(c.err, failure.Killed) {
			return nil, c.err
		}
		// The job that fetched it has ended meanwhile. We still want it.
	}
}

// claim gives the copy of a key with one more user; mine tells that the caller has to make it.
func (s *Store) claim(key string) (c *copied, mine bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[string]*copied{}
	}
	c = s.all[key]
	if c == nil {
		c, mine = &copied{key: key, ready: make(chan struct{})}, true
		s.all[key] = c
	}
	c.users++
	s.clock++
	c.used = s.clock
	return c, mine
}

// fill makes the copy and tells those who wait for it.
func (s *Store) fill(ctx context.Context, fs dfs.Resolver, c *copied, e *Entry) {
	err := s.fetch(ctx, fs, c, e)
	if err != nil && c.dir != "" {
		_ = os.RemoveAll(c.dir)
	}
	s.mu.Lock()
	c.err = err
	if err != nil {
		delete(s.all, c.key)
	} else {
		s.total += c.size
	}
	s.mu.Unlock()
	close(c.ready)
	s.evict()
}

func (s *Store) release(c *copied) {
	s.mu.Lock()
	c.users--
	s.mu.Unlock()
	s.evict()
}

// Release ends the use.
func (l *Lease) Release() {
	if l == nil {
		return
	}
	for _, c := range l.copies {
		l.store.release(c)
	}
	l.copies = nil
}

// maxCopies bounds the copies as Limit does their bytes.
const maxCopies = 10_000

// evict removes unused copies, the longest unused first, until the rest is within the limits.
func (s *Store) evict() {
	for {
		c := s.oldest()
		if c == nil {
			return
		}
		_ = os.RemoveAll(c.dir) // nobody finds it any more; what stays goes with the next start
	}
}

func (s *Store) oldest() *copied {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.total <= s.Limit && len(s.all) <= maxCopies {
		return nil
	}
	var oldest *copied
	for _, c := range s.all {
		if c.users == 0 && (oldest == nil || c.used < oldest.used) {
			oldest = c
		}
	}
	if oldest != nil {
		delete(s.all, oldest.key)
		s.total -= oldest.size
	}
	return oldest
}

// Size gives the bytes and the number of the copies.
func (s *Store) Size() (bytes int64, copies int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total, len(s.all)
}

// key tells contents apart: what is the same for two jobs is fetched once. Files that not everybody may read are a user's own.
func (e *Entry) key(user string) string {
	if e.Public {
		user = ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %d %d %t", user, e.URI, e.ModTime, e.Size, e.Archive))
	return hex.EncodeToString(sum[:])
}

// fileMode: tasks may execute whatever they find in the cache, and change nothing, for others use it too.
const fileMode = 0o555

// fetch copies or unpacks an entry into a directory of its own.
func (s *Store) fetch(ctx context.Context, resolver dfs.Resolver, c *copied, e *Entry) error {
	fs, name, err := resolver.Resolve(e.URI)
	if err != nil {
		return err
	}
	info, err := e.stat(ctx, fs, name)
	if err != nil {
		return err
	}
	parent, err := s.Dir()
	if err != nil {
		return err
	}
	if c.dir, err = os.MkdirTemp(parent, c.key[:16]+"-"); err == nil {
		err = os.Chmod(c.dir, 0o755)
	}
	if err != nil {
		return failure.New(failure.KindOf(err), "localise", e.URI, err)
	}
	c.path = filepath.Join(c.dir, path.Base(name))
	f := fetcher{ctx: ctx, fs: fs, limit: s.Limit}
	switch {
	case e.Archive:
		err = f.archive(name, c.path)
	case info.Dir:
		err = f.tree(name, c.path)
	default:
		err = f.file(name, c.path)
	}
	if err != nil {
		return err
	}
	c.size = f.size
	if e.Size >= 0 && !e.Archive && !info.Dir && f.size != e.Size {
		return e.changed("size", e.Size, f.size)
	}
	_, err = e.stat(ctx, fs, name) // it may have changed while it was read
	return err
}

// stat describes the source and makes sure that it is what the client saw.
func (e *Entry) stat(ctx context.Context, fs dfs.FileSystem, name string) (dfs.Info, error) {
	info, err := fs.Stat(ctx, name)
	switch {
	case err != nil:
		return info, err
	case e.ModTime >= 0 && info.ModTime.UnixMilli() != e.ModTime:
		return info, e.changed("time", e.ModTime, info.ModTime.UnixMilli())
	case e.Size >= 0 && info.Size != e.Size:
		return info, e.changed("size", e.Size, info.Size)
	}
	return info, nil
}

// fetcher copies from a file system to the local disk and adds up the bytes.
type fetcher struct {
	ctx         context.Context
	fs          dfs.FileSystem
	limit, size int64
}

func (f *fetcher) archive(from, to string) error {
	in, err := f.fs.Open(f.ctx, from)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := os.Mkdir(to, 0o755); err != nil {
		return failure.New(failure.KindOf(err), "localise", to, err)
	}
	f.size, err = unpack(f.ctx, f.fs.URI()+from, in, in.Size(), to, f.limit)
	return err
}

func (f *fetcher) tree(from, to string) error {
	if err := os.Mkdir(to, 0o755); err != nil {
		return failure.New(failure.KindOf(err), "localise", to, err)
	}
	list, err := f.fs.List(f.ctx, from)
	if err != nil {
		return err
	}
	for _, x := range list {
		next := f.file
		if x.Dir {
			next = f.tree
		}
		if err := next(x.Path, filepath.Join(to, x.Name())); err != nil {
			return err
		}
	}
	return nil
}

func (f *fetcher) file(from, to string) error {
	in, err := f.fs.Open(f.ctx, from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return failure.New(failure.KindOf(err), "localise", to, err)
	}
	n, err := io.Copy(out, reader{f.ctx, in})
	f.size += n
	if err = errors.Join(err, out.Chmod(fileMode), out.Close()); err != nil {
		return failure.New(failure.KindOf(err), "localise", f.fs.URI()+from, err)
	}
	return nil
}
