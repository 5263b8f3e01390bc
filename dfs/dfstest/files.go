package dfstest

import (
	"bytes"
	"context"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"sync"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
	"github.com/stretchr/testify/require"
)

func (s *suite) identity() {
	require.Regexp(s.t, `^[a-z0-9]+$`, s.fs.Scheme())
	require.Regexp(s.t, `^`+s.fs.Scheme()+`:(//[^/]+)?$`, s.fs.URI())
	p, err := dfs.ParsePath(dfs.Qualify(s.fs, s.dir))
	s.ok(err)
	require.Equal(s.t, s.dir, p.Path)
	require.Equal(s.t, s.fs.Scheme(), p.Scheme)
}

func (s *suite) createAndRead() {
	for _, content := range []string{"", "x", "some bytes\x00\xff\n"} {
		name := "missing/parents/f" + string(rune('0'+len(content)))
		s.write(name, content)
		require.Equal(s.t, content, s.read(name))
		f, err := s.fs.Open(s.ctx, s.path(name))
		s.ok(err)
		require.EqualValues(s.t, len(content), f.Size())
		s.ok(f.Close())
		s.ok(f.Close()) // a second Close has no effect
		_, err = f.Read(make([]byte, 1))
		s.kind(failure.Usage, err)
	}
	_, err := s.fs.Open(s.ctx, s.path("none"))
	s.kind(failure.NotFound, err)
	_, err = s.fs.Open(s.ctx, s.dir)
	s.kind(failure.Usage, err)
	s.write("file", "x")
	_, err = s.fs.Open(s.ctx, s.path("file/below"))
	s.kind(failure.NotFound, err)
	_, err = s.fs.Create(s.ctx, s.path("file/below"), dfs.CreateOptions{})
	s.kind(failure.Exists, err)
}

func (s *suite) createIsExclusive() {
	w := s.create("f", dfs.CreateOptions{})
	_, err := s.fs.Create(s.ctx, s.path("f"), dfs.CreateOptions{})
	s.kind(failure.Exists, err) // Create, not Close, reserves the name
	_, err = io.WriteString(w, "first")
	s.ok(err)
	s.ok(w.Sync())
	s.ok(w.Close())
	s.ok(w.Close())
	w.Abort() // has no effect after Close
	_, err = w.Write([]byte("more"))
	s.kind(failure.Usage, err)
	require.Equal(s.t, "first", s.read("f"))
	_, err = s.fs.Create(s.ctx, s.path("f"), dfs.CreateOptions{})
	s.kind(failure.Exists, err)
	for _, o := range []dfs.CreateOptions{{}, {Overwrite: true}} {
		_, err = s.fs.Create(s.ctx, s.dir, o)
		s.kind(failure.Exists, err)
	}
}

func (s *suite) overwrite() {
	s.write("f", "old")
	w := s.create("f", dfs.CreateOptions{Overwrite: true})
	_, err := io.WriteString(w, "new")
	s.ok(err)
	require.Equal(s.t, "old", s.read("f"))
	w.Abort()
	require.Equal(s.t, "old", s.read("f"))
	w = s.create("f", dfs.CreateOptions{Overwrite: true})
	_, err = io.WriteString(w, "new")
	s.ok(err)
	s.ok(w.Close())
	require.Equal(s.t, "new", s.read("f"))
	w = s.create("g", dfs.CreateOptions{Overwrite: true, Mode: 0o600})
	s.ok(w.Close())
	i, err := s.fs.Stat(s.ctx, s.path("g"))
	s.ok(err)
	require.EqualValues(s.t, 0o600, i.Mode)
	require.Equal(s.t, []string{"f", "g"}, s.names(""))
}

func (s *suite) append() {
	_, err := s.fs.Create(s.ctx, s.path("f"), dfs.CreateOptions{Append: true})
	s.kind(failure.NotFound, err)
	s.write("f", "one")
	w := s.create("f", dfs.CreateOptions{Append: true})
	_, err = io.WriteString(w, " two")
	s.ok(err)
	s.ok(w.Close())
	require.Equal(s.t, "one two", s.read("f"))
	w = s.create("f", dfs.CreateOptions{Append: true})
	_, err = io.WriteString(w, " three")
	s.ok(err)
	s.ok(w.Sync())
	w.Abort()
	require.Equal(s.t, "one two", s.read("f"))
}

func (s *suite) abort() {
	w := s.create("f", dfs.CreateOptions{})
	_, err := io.WriteString(w, "half")
	s.ok(err)
	s.ok(w.Sync())
	w.Abort()
	w.Abort()
	require.False(s.t, s.exists("f"))
	_, err = w.Write([]byte("x"))
	s.kind(failure.Usage, err)

	// Abort must not remove another file that now has the name of the writer's file.
	w = s.create("a", dfs.CreateOptions{})
	s.ok(s.fs.Rename(s.ctx, s.path("a"), s.path("b")))
	s.write("a", "another")
	w.Abort()
	require.Equal(s.t, "another", s.read("a"))
}

func (s *suite) readAtAndSeek() {
	s.write("f", "0123456789")
	f, err := s.fs.Open(s.ctx, s.path("f"))
	s.ok(err)
	defer f.Close()
	b := make([]byte, 4)
	n, err := f.ReadAt(b, 3)
	s.ok(err)
	require.Equal(s.t, "3456", string(b[:n]))
	n, err = f.ReadAt(b, 8)
	require.ErrorIs(s.t, err, io.EOF)
	require.Equal(s.t, "89", string(b[:n]))
	_, err = f.ReadAt(b, 10)
	require.ErrorIs(s.t, err, io.EOF)
	off, err := f.Seek(-3, io.SeekEnd)
	s.ok(err)
	require.EqualValues(s.t, 7, off)
	rest, err := io.ReadAll(f)
	s.ok(err)
	require.Equal(s.t, "789", string(rest))
	_, err = f.Seek(-1, io.SeekStart)
	require.Error(s.t, err)

	var wg sync.WaitGroup
	for i := range 10 {
		wg.Go(func() {
			b := make([]byte, 1)
			for range 100 {
				if _, err := f.ReadAt(b, int64(i)); err != nil || b[0] != byte('0'+i) {
					s.t.Errorf("ReadAt(%d) = %q, %v", i, b, err)
				}
			}
		})
	}
	wg.Wait()
}

func (s *suite) bigFile() {
	block := make([]byte, 1<<20-7)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range block {
		block[i] = byte(r.Uint32())
	}
	w := s.create("big", dfs.CreateOptions{})
	sum := crc32.NewIEEE()
	const blocks = 20
	for range blocks {
		_, err := io.MultiWriter(w, sum).Write(block)
		s.ok(err)
	}
	_, err := io.Copy(io.MultiWriter(w, sum), bytes.NewReader(block[:12345]))
	s.ok(err)
	s.ok(w.Close())
	f, err := s.fs.Open(s.ctx, s.path("big"))
	s.ok(err)
	defer f.Close()
	require.EqualValues(s.t, blocks*len(block)+12345, f.Size())
	got := crc32.NewIEEE()
	_, err = io.Copy(got, f)
	s.ok(err)
	require.Equal(s.t, sum.Sum32(), got.Sum32())
}

func (s *suite) cancel() {
	s.write("f", "content")
	ctx, cancel := context.WithCancel(s.ctx)
	f, err := s.fs.Open(ctx, s.path("f"))
	s.ok(err)
	defer f.Close()
	w, err := s.fs.Create(ctx, s.path("g"), dfs.CreateOptions{})
	s.ok(err)
	cancel()
	_, err = f.Read(make([]byte, 1))
	s.kind(failure.Killed, err)
	_, err = f.ReadAt(make([]byte, 1), 0)
	s.kind(failure.Killed, err)
	_, err = w.Write([]byte("x"))
	s.kind(failure.Killed, err)
	w.Abort()
	require.False(s.t, s.exists("g"))

	_, err = s.fs.Open(ctx, s.path("f"))
	s.kind(failure.Killed, err)
	_, err = s.fs.Create(ctx, s.path("h"), dfs.CreateOptions{})
	s.kind(failure.Killed, err)
	_, err = s.fs.Stat(ctx, s.path("f"))
	s.kind(failure.Killed, err)
	_, err = s.fs.List(ctx, s.dir)
	s.kind(failure.Killed, err)
	s.kind(failure.Killed, s.fs.Mkdir(ctx, s.path("d")))
	s.kind(failure.Killed, s.fs.Rename(ctx, s.path("f"), s.path("i")))
	s.kind(failure.Killed, s.fs.Delete(ctx, s.path("f"), false))
	s.kind(failure.Killed, s.fs.SetMeta(ctx, s.path("f"), dfs.Meta{}))
	require.Equal(s.t, []string{"f"}, s.names(""))
}
