// Package faultfs wraps a file system and injects faults according to rules. It reproduces the
// storage faults of real clusters. See New and Rule.
package faultfs

import (
	"context"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/lifecycle"
)

// FS is a file system that injects faults. It is safe for concurrent use. The same seed yields the
// same faults only if calls come in the same order.
type FS struct {
	inner dfs.FileSystem
	rules *rules
}

// New returns an FS that wraps inner. The first rule that applies to a call decides its outcome.
// seed determines the random numbers for Rule.Chance and the bits that Corrupt flips.
func New(inner dfs.FileSystem, seed uint64, r ...Rule) *FS {
	return &FS{inner: inner, rules: newRules(seed, r)}
}

// Struck returns the faults injected so far, such as "rename /a to /b: lost answer".
func (f *FS) Struck() []string { return f.rules.log() }

// Heal stops the injection of faults.
func (f *FS) Heal() { f.rules.heal() }

// Scheme implements dfs.FileSystem.
func (f *FS) Scheme() string { return f.inner.Scheme() }

// URI implements dfs.FileSystem.
func (f *FS) URI() string { return f.inner.URI() }

// call performs one operation, subject to the rules. A fault can delay the operation, replace it,
// or make a completed operation return an error.
func (f *FS) call(ctx context.Context, op Op, on string, do func() error) error {
	s := f.rules.next(op, on, 0, 0)
	switch s.effect {
	case Fail:
		return s.err(op, on)
	case Lost:
		if err := do(); err != nil {
			return err
		}
		return s.err(op, on)
	case Slow:
		if err := s.wait(ctx, op, on); err != nil {
			return err
		}
	}
	return do()
}

// Open implements dfs.FileSystem.
func (f *FS) Open(ctx context.Context, name string) (out dfs.File, err error) {
	err = f.call(ctx, Open, name, func() error {
		inner, err := f.inner.Open(ctx, name)
		if err == nil {
			out = &file{File: inner, fs: f, ctx: ctx, name: name}
		}
		return err
	})
	if err != nil {
		if out != nil {
			out.Close()
		}
		return nil, err
	}
	return out, nil
}

// Create implements dfs.FileSystem. If a Lost fault strikes the call, an empty file remains.
func (f *FS) Create(ctx context.Context, name string, o dfs.CreateOptions) (out dfs.Writer, err error) {
	err = f.call(ctx, Create, name, func() error {
		inner, err := f.inner.Create(ctx, name, o)
		if err == nil {
			out = &writer{Writer: inner, fs: f, ctx: ctx, name: name}
		}
		return err
	})
	if err != nil {
		if out != nil {
			out.(*writer).Writer.Close()
		}
		return nil, err
	}
	return out, nil
}

// Stat implements dfs.FileSystem.
func (f *FS) Stat(ctx context.Context, name string) (out dfs.Info, err error) {
	err = f.call(ctx, Stat, name, func() error { out, err = f.inner.Stat(ctx, name); return err })
	return out, err
}

// List implements dfs.FileSystem.
func (f *FS) List(ctx context.Context, name string) (out []dfs.Info, err error) {
	err = f.call(ctx, List, name, func() error { out, err = f.inner.List(ctx, name); return err })
	if err != nil {
		return nil, err
	}
	return out, nil
}

// Mkdir implements dfs.FileSystem.
func (f *FS) Mkdir(ctx context.Context, name string) error {
	return f.call(ctx, Mkdir, name, func() error { return f.inner.Mkdir(ctx, name) })
}

// Rename implements dfs.FileSystem.
func (f *FS) Rename(ctx context.Context, from, to string) error {
	return f.call(ctx, Rename, from+" to "+to, func() error { return f.inner.Rename(ctx, from, to) })
}

// Delete implements dfs.FileSystem.
func (f *FS) Delete(ctx context.Context, name string, recursive bool) error {
	return f.call(ctx, Delete, name, func() error { return f.inner.Delete(ctx, name, recursive) })
}

// Locations implements dfs.FileSystem.
func (f *FS) Locations(ctx context.Context, name string, off, n int64) (out []dfs.Block, err error) {
	err = f.call(ctx, Locations, name, func() error { out, err = f.inner.Locations(ctx, name, off, n); return err })
	return out, err
}

// SetMeta implements dfs.FileSystem.
func (f *FS) SetMeta(ctx context.Context, name string, m dfs.Meta) error {
	return f.call(ctx, SetMeta, name, func() error { return f.inner.SetMeta(ctx, name, m) })
}

// wait delays a call by the strike's delay. It returns early with an error if ctx ends.
func (s strike) wait(ctx context.Context, op Op, on string) error {
	if lifecycle.Sleep(ctx, s.delay) != nil {
		return ended(ctx, op, on)
	}
	return nil
}
