package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

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
