package faultfs

import (
	"bytes"
	"context"

	"github.com/howdah/howdah/dfs"
)

type file struct {
	dfs.File
	fs   *FS
	ctx  context.Context
	name string
	off  int64
}

func (f *file) Read(p []byte) (int, error) {
	n, err := f.read(p, f.off, f.File.Read)
	f.off += int64(n)
	return n, err
}

func (f *file) ReadAt(p []byte, off int64) (int, error) {
	return f.read(p, off, func(p []byte) (int, error) { return f.File.ReadAt(p, off) })
}

func (f *file) Seek(offset int64, whence int) (int64, error) {
	off, err := f.File.Seek(offset, whence)
	if err == nil {
		f.off = off
	}
	return off, err
}

// read calls do to read up to len(p) bytes at offset off, subject to the rules.
func (f *file) read(p []byte, off int64, do func([]byte) (int, error)) (int, error) {
	there := max(min(int64(len(p)), f.Size()-off), 0)
	s := f.fs.rules.next(Read, f.name, off, there)
	switch s.effect {
	case Fail, Lost:
		n := 0
		if s.pass > 0 {
			n, _ = do(p[:s.pass])
		}
		return n, s.err(Read, f.name)
	case Slow:
		if err := s.wait(f.ctx, Read, f.name); err != nil {
			return 0, err
		}
	}
	n, err := do(p)
	if s.effect == Corrupt && s.pass < int64(n) {
		p[s.pass] ^= s.bit
	}
	return n, err
}

type writer struct {
	dfs.Writer
	fs   *FS
	ctx  context.Context
	name string
	off  int64
	done bool
}

func (w *writer) Write(p []byte) (int, error) {
	if w.done {
		return w.Writer.Write(p) // the inner writer returns the right error
	}
	s := w.fs.rules.next(Write, w.name, w.off, int64(len(p)))
	switch s.effect {
	case Fail:
		n, err := w.Writer.Write(p[:s.pass])
		w.off += int64(n)
		if err != nil {
			return n, err
		}
		return n, s.err(Write, w.name)
	case Slow:
		if err := s.wait(w.ctx, Write, w.name); err != nil {
			return 0, err
		}
	case Corrupt:
		p = bytes.Clone(p)
		p[s.pass] ^= s.bit
	}
	n, err := w.Writer.Write(p)
	w.off += int64(n)
	if err == nil && s.effect == Lost {
		err = s.err(Write, w.name)
	}
	return n, err
}

func (w *writer) Sync() error {
	return w.fs.call(w.ctx, Sync, w.name, w.Writer.Sync)
}

// Close can return an error after it completes the file (Lost) or removes it (Fail).
func (w *writer) Close() error {
	if w.done {
		return nil
	}
	w.done = true
	s := w.fs.rules.next(Close, w.name, 0, 0)
	switch s.effect {
	case Fail:
		w.Writer.Abort()
		return s.err(Close, w.name)
	case Slow:
		if err := s.wait(w.ctx, Close, w.name); err != nil {
			w.Writer.Abort()
			return err
		}
	}
	err := w.Writer.Close()
	if err == nil && s.effect == Lost {
		err = s.err(Close, w.name)
	}
	return err
}

func (w *writer) Abort() {
	w.done = true
	w.Writer.Abort()
}
