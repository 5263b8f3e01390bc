package local

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"syscall"

	"golang.org/x/sync/errgroup"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
)

// Truncate implements dfs.Truncater.
func (l *FS) Truncate(ctx context.Context, name string, size int64) error {
	const op = "truncate"
	if err := begin(ctx, op, name); err != nil {
		return err
	}
	return wrap(op, name, l.do(func(c calls) error {
		i, err := c.Stat(name)
		if err == nil {
			err = regular(op, name, i)
		}
		if err == nil && (size < 0 || size > i.Size()) {
			err = failure.New(failure.Usage, op, name, fmt.Errorf("the file has only %d bytes, not %d", i.Size(), size))
		}
		if err != nil {
			return err
		}
		f, err := c.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(f.Truncate(size), f.Close())
	}))
}

// Access implements dfs.Accesser.
func (l *FS) Access(ctx context.Context, name string, write bool) error {
	const mayWrite, mayRead = 2, 4 // bits of access(2)
	if err := begin(ctx, "access", name); err != nil {
		return err
	}
	mode := uint32(mayRead)
	if write {
		mode = mayWrite
	}
	return wrap("access", name, l.do(func(calls) error { return access(name, mode) }))
}

// Space implements dfs.Spacer.
func (l *FS) Space(ctx context.Context, name string) (dfs.Space, error) {
	if err := begin(ctx, "measure", name); err != nil {
		return dfs.Space{}, err
	}
	var s syscall.Statfs_t
	if err := l.do(func(calls) error { return syscall.Statfs(name, &s) }); err != nil {
		return dfs.Space{}, wrap("measure", name, err)
	}
	total, free := int64(s.Blocks)*int64(s.Bsize), int64(s.Bavail)*int64(s.Bsize)
	return dfs.Space{Total: total, Used: total - free, Free: free}, nil
}

// Persist implements dfs.Persister. It skips directories that the user is not allowed to read.
func (l *FS) Persist(ctx context.Context, names ...string) error {
	all := map[string]bool{}
	for _, name := range names {
		name = path.Clean(name)
		all[name], all[path.Dir(name)] = true, true
	}
	return l.syncAll(ctx, slices.Collect(maps.Keys(all)))
}

// Persist implements dfs.Persister. It includes checksum files.
func (l *Checksummed) Persist(ctx context.Context, names ...string) error {
	all := slices.Clone(names)
	for _, name := range names {
		if _, err := l.FS.Stat(ctx, sumsOf(name)); err == nil {
			all = append(all, sumsOf(name))
		}
	}
	return l.FS.Persist(ctx, all...)
}

// maxSyncs is the maximum number of concurrent syncs. Concurrency saves time because file systems
// combine syncs.
const maxSyncs = 8

func (l *FS) syncAll(ctx context.Context, names []string) error {
	var group errgroup.Group
	group.SetLimit(maxSyncs)
	for _, name := range names {
		group.Go(func() error {
			if err := begin(ctx, "sync", name); err != nil {
				return err
			}
			return wrap("sync", name, l.sync(name))
		})
	}
	return group.Wait()
}

func (l *FS) sync(name string) error {
	in := *l
	if name == path.Dir(l.top) {
		in.top = "" // the parent is outside top; syncing it changes nothing
	}
	var f *os.File
	err := in.do(func(c calls) (err error) {
		if f, err = c.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0); errors.Is(err, syscall.EACCES) && isDir(c, name) {
			err = nil
		}
		return err
	})
	if f == nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func isDir(c calls, name string) bool {
	i, err := c.Stat(name)
	return err == nil && i.IsDir()
}
