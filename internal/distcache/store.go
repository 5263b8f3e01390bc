package distcache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/internal/owned"
	"github.com/howdah/howdah/job/failure"
)

// Store keeps copies of cache entries on the disks of a node. Jobs that use the same content share
// one copy. Unused copies stay for later jobs until the Store exceeds its limits. A new Store is
// empty, so the process that creates it must clear the directories. It is safe for concurrent use.
type Store struct {
	// Dir returns the directory for the next copy. Store calls it for each copy.
	Dir func() (string, error)
	// Limit is the total size in bytes above which the Store evicts unused copies. It is also the
	// maximum unpacked size of an archive.
	Limit int64
	// Archives contains the other limits for archives. Its Bytes field is unused.
	Archives ArchiveLimits
	// The Store calls Damaged, unless it is nil, with the error for a damaged copy. It then fetches
	// the entry again.
	Damaged func(error)

	checker disk.Checker

	mu    sync.Mutex
	all   map[string]*copied
	total int64
	clock int64 // increases with every use; the unused copy with the smallest value is evicted first
}

// copied is the copy of one entry on the local disk.
type copied struct {
	key   string
	ready chan struct{} // closed when the copy is complete or has failed
	// err is set before ready is closed.
	err  error
	dir  string // directory to remove on eviction
	path string // the file, or the directory of an unpacked archive
	content

	users   int // number of jobs that use the copy; Store.mu guards the fields from here on
	used    int64
	damaged bool // the copy is not in Store.all anymore; its last user removes it
}

// content is the list of the files in a complete copy, with their sums.
type content struct {
	size int64               // total size in bytes
	sums map[string]disk.Sum // by path relative to the copy; "." if the copy is a file
}

// check returns an error of kind Corrupt if a file of the copy has changed. It ignores files that
// tasks have added, such as Python's compiled modules. It reads nothing outside the copy's
// directory, because a private copy belongs to its user, who can replace files with links.
func (s *Store) check(ctx context.Context, c *copied) error {
	dir, err := os.OpenRoot(c.dir)
	if err != nil {
		return failure.New(failure.Corrupt, "use", c.path, err)
	}
	defer dir.Close()
	for _, name := range slices.Sorted(maps.Keys(c.sums)) {
		if err := ctx.Err(); err != nil {
			return failure.New(failure.Killed, "check", c.path, err)
		}
		if err := s.checker.Check(dir, filepath.Join(filepath.Base(c.path), name), c.sums[name]); err != nil {
			return failure.New(failure.Corrupt, "use", c.path, err)
		}
	}
	return nil
}

// Lease is one job's use of its cache. A nil Lease means that the job has no cache.
type Lease struct {
	store   *Store
	entries []Entry
	copies  []*copied
}

// User is the user of a job.
type User struct {
	Name string
	// Give makes the user the owner of a complete private copy, which is in dir. It is nil if tasks
	// run as the user of this process.
	Give func(dir string) error
}

// Acquire fetches the entries of a user's job and keeps them until Release. fs must have the user's
// rights. If a file has changed since the job was submitted, the error is of kind Stale. Acquire
// verifies existing copies and fetches an entry again if its copy is damaged.
//
// Users share the copy of an entry only if the job declares the entry public and every user can
// read its source. Only the user can read the copy of any other entry.
func (s *Store) Acquire(ctx context.Context, fs dfs.Resolver, user User, entries []Entry) (*Lease, error) {
	l := &Lease{store: s, entries: slices.Clone(entries)}
	entries = l.entries
	for i := range entries {
		c, err := s.one(ctx, fs, user, &entries[i])
		if errors.Is(err, errNotPublic) {
			entries[i].Public = false
			c, err = s.one(ctx, fs, user, &entries[i])
		}
		if err != nil {
			l.Release()
			return nil, err
		}
		l.copies = append(l.copies, c)
	}
	return l, nil
}

// one returns the copy of e, and creates it if necessary. It counts the calling job as a user of
// the copy.
func (s *Store) one(ctx context.Context, fs dfs.Resolver, user User, e *Entry) (*copied, error) {
	key := e.key(user.Name)
	var damage error
	for {
		c, mine := s.claim(key)
		if mine {
			s.fill(ctx, fs, user, c, e)
		}
		select {
		case <-c.ready:
		case <-ctx.Done():
			s.release(c)
			return nil, failure.New(failure.Killed, "localize", e.URI, ctx.Err())
		}
		if c.err == nil && mine {
			return c, nil
		}
		err := c.err
		if err == nil {
			if err = s.check(ctx, c); err == nil {
				return c, nil
			}
			if failure.Is(err, failure.Corrupt) {
				s.discard(c, err)
				damage = err
				continue
			}
		}
		s.release(c)
		if damage != nil {
			err = failure.New(failure.KindOf(err), "replace", "a damaged copy", errors.Join(err, damage))
		}
		if mine || !failure.Is(err, failure.Killed) || ctx.Err() != nil {
			return nil, err
		}
		// The job that was fetching the copy ended before the copy was complete, but this job still
		// needs it.
	}
}

// claim returns the copy for a key and counts the calling job as a user. If mine is true, the
// caller must create the copy.
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

// fill creates the copy, or records the error, and wakes the callers that wait for it. It then
// evicts unused copies if necessary.
func (s *Store) fill(ctx context.Context, fs dfs.Resolver, user User, c *copied, e *Entry) {
	err := s.fetch(ctx, fs, c, e)
	if err == nil {
		err = c.show(user, e)
	}
	if err != nil && c.dir != "" {
		_ = owned.RemoveAll(context.Background(), c.dir)
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
	remove := c.damaged && c.users == 0
	s.mu.Unlock()
	if remove {
		_ = owned.RemoveAll(context.Background(), c.dir)
	}
	s.evict()
}

// discard releases a damaged copy and ensures that no other job starts to use it.
func (s *Store) discard(c *copied, why error) {
	s.mu.Lock()
	first := !c.damaged
	if first {
		c.damaged = true
		delete(s.all, c.key)
		s.total -= c.size
	}
	s.mu.Unlock()
	if first && s.Damaged != nil {
		s.Damaged(why)
	}
	s.release(c)
}

// Release ends the job's use of the copies.
func (l *Lease) Release() {
	if l == nil {
		return
	}
	for _, c := range l.copies {
		l.store.release(c)
	}
	l.copies = nil
}

// maxCopies is the number of copies above which the Store evicts unused copies, regardless of their
// size.
const maxCopies = 10_000

// evict removes unused copies, the least recently used first, until the remaining copies are in use
// or within the limits.
func (s *Store) evict() {
	for {
		c := s.oldest()
		if c == nil {
			return
		}
		_ = owned.RemoveAll(context.Background(), c.dir) // the copy is already unreachable, and a restart removes its remains
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

// Size returns the total size of the complete copies, in bytes, and the number of all copies.
func (s *Store) Size() (bytes int64, copies int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total, len(s.all)
}

// key identifies content, so that jobs can share a copy. A private file has a separate key for each
// user.
func (e *Entry) key(user string) string {
	if e.Public {
		user = ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %d %d %t", user, e.URI, e.ModTime, e.Size, e.Archive))
	return hex.EncodeToString(sum[:])
}

// show makes a complete copy readable. Everybody can read a public copy, and only the user can read
// any other copy.
func (c *copied) show(user User, e *Entry) error {
	var err error
	switch {
	case e.Public:
		err = os.Chmod(c.dir, 0o755)
	case user.Give != nil:
		err = user.Give(c.dir)
	}
	if err != nil {
		return failure.New(failure.KindOf(err), "localize", e.URI, err)
	}
	return nil
}

// errNotPublic is the error for an entry that a job declares public although not every user can
// read it.
var errNotPublic = errors.New("not every user can read the file")

// fileMode lets tasks read and execute cached files. Tasks must not change these files, because
// other jobs also use them.
const fileMode = 0o555

// fetch copies or unpacks an entry into its own directory.
func (s *Store) fetch(ctx context.Context, resolver dfs.Resolver, c *copied, e *Entry) error {
	fs, name, err := resolver.Resolve(e.URI)
	if err != nil {
		return err
	}
	info, err := e.stat(ctx, fs, name)
	if err != nil {
		return err
	}
	if e.Public && !isPublic(ctx, fs, info) {
		return failure.New(failure.Permission, "localize", e.URI, errNotPublic)
	}
	parent, err := s.Dir()
	if err != nil {
		return err
	}
	if c.dir, err = os.MkdirTemp(parent, c.key[:16]+"-"); err != nil {
		return failure.New(failure.KindOf(err), "localize", e.URI, err)
	}
	c.path = filepath.Join(c.dir, path.Base(name))
	f := fetcher{ctx: ctx, fs: fs, limits: s.Archives, public: e.Public, home: c.path}
	f.sums = map[string]disk.Sum{}
	f.limits.Bytes = s.Limit
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
	c.content = f.content
	if e.Size >= 0 && !e.Archive && !info.Dir && f.size != e.Size {
		return e.changed("size", e.Size, f.size)
	}
	_, err = e.stat(ctx, fs, name) // the file might have changed during the copy
	return err
}

// stat returns the status of the source, and checks that the source has not changed since
// submission.
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

// fetcher copies from a file system to the local disk and counts the bytes.
type fetcher struct {
	ctx    context.Context
	fs     dfs.FileSystem
	limits ArchiveLimits
	public bool   // every user will be able to read the copy
	home   string // path of the copy
	found  int64  // number of entries of a directory and the directories below it
	content
}

func (f *fetcher) archive(from, to string) error {
	in, err := f.fs.Open(f.ctx, from)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := os.Mkdir(to, 0o755); err != nil {
		return failure.New(failure.KindOf(err), "localize", to, err)
	}
	f.content, err = unpack(f.ctx, f.fs.URI()+from, in, in.Size(), to, f.limits)
	return err
}

func (f *fetcher) tree(from, to string) error {
	if err := os.Mkdir(to, 0o755); err != nil {
		return failure.New(failure.KindOf(err), "localize", to, err)
	}
	list, err := f.fs.List(f.ctx, from)
	if err != nil {
		return err
	}
	for _, x := range list {
		if f.found++; f.found > f.limits.entries() { // a link to its own directory, for example
			return tooMany(f.fs.URI()+x.Path, f.limits.entries())
		}
		if f.public && !readableByAll(x) {
			return failure.New(failure.Permission, "localize", f.fs.URI()+x.Path, errNotPublic)
		}
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
		return failure.New(failure.KindOf(err), "localize", to, err)
	}
	sum := disk.NewSummer()
	n, err := io.Copy(io.MultiWriter(out, sum), reader{f.ctx, in})
	f.size += n
	name, _ := filepath.Rel(f.home, to) // to is below home, or home itself
	f.sums[name] = sum.Sum()
	if err = errors.Join(err, out.Chmod(fileMode), out.Close()); err != nil {
		return failure.New(failure.KindOf(err), "localize", f.fs.URI()+from, err)
	}
	return nil
}
