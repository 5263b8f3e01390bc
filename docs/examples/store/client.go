package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
)

const scheme = "store"

// store is the file system. It sends each operation to the server at the given address.
type store struct{ address string }

// open is the constructor for howdah.WithFileSystem. It does not connect to the server.
func open(_ *conf.Config, authority string) (dfs.FileSystem, error) {
	if authority == "" {
		return nil, failure.New(failure.Usage, "open", scheme+":", errors.New("the address is missing")).
			Fix("write store://HOST:PORT/PATH")
	}
	return &store{authority}, nil
}

// Scheme implements dfs.FileSystem.
func (s *store) Scheme() string { return scheme }

// URI implements dfs.FileSystem.
func (s *store) URI() string { return scheme + "://" + s.address }

// send sends a request about name. For a reply that is an error, it returns that error.
func (s *store) send(ctx context.Context, op, name string, query url.Values, method string, header http.Header,
	body io.Reader) (*http.Response, error) {
	if !path.IsAbs(name) || strings.ContainsRune(name, 0) {
		return nil, failure.New(failure.Usage, op, name, errors.New("the path must be absolute, without zero bytes"))
	}
	target := url.URL{Scheme: "http", Host: s.address, Path: path.Clean(name), RawQuery: query.Encode()}
	r, err := http.NewRequestWithContext(ctx, method, target.String(), body)
	if err != nil {
		return nil, failure.New(failure.Usage, op, name, err)
	}
	r.Header = header
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, s.unreachable(op, err)
	}
	if answer.StatusCode < 300 {
		return answer, nil
	}
	defer answer.Body.Close()
	var failed reply
	if err := json.NewDecoder(answer.Body).Decode(&failed); err != nil {
		return nil, failure.New(failure.IO, op, name, fmt.Errorf("%s: %w", answer.Status, err))
	}
	return nil, failure.New(failed.Kind, op, s.URI()+name, errors.New(failed.Error))
}

// unreachable returns the error for a request without a reply. Its kind is Killed or Timeout if the
// context has ended. Otherwise, howdah may retry the operation.
func (s *store) unreachable(op string, err error) error {
	kind := failure.KindOf(err)
	if kind == failure.Unknown {
		kind = failure.Unreachable
	}
	return failure.New(kind, op, s.URI(), err)
}

// call carries out an operation of the server. query alternates further parameters and values.
func (s *store) call(ctx context.Context, op, name string, body io.Reader, query ...string) (result reply, err error) {
	values := url.Values{"op": {op}}
	for i := 0; i < len(query); i += 2 {
		values.Set(query[i], query[i+1])
	}
	answer, err := s.send(ctx, op, name, values, http.MethodPost, nil, body)
	if err != nil {
		return result, err
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(answer.Body).Decode(&result); err != nil {
		return result, s.unreachable(op, err)
	}
	return result, nil
}

// Stat implements dfs.FileSystem.
func (s *store) Stat(ctx context.Context, name string) (dfs.Info, error) {
	r, err := s.call(ctx, "stat", name, nil)
	if err != nil {
		return dfs.Info{}, err
	}
	return r.Infos[0], nil
}

// List implements dfs.FileSystem.
func (s *store) List(ctx context.Context, name string) ([]dfs.Info, error) {
	r, err := s.call(ctx, "list", name, nil)
	return r.Infos, err
}

// Mkdir implements dfs.FileSystem.
func (s *store) Mkdir(ctx context.Context, name string) error {
	_, err := s.call(ctx, "mkdir", name, nil)
	return err
}

// Rename implements dfs.FileSystem.
func (s *store) Rename(ctx context.Context, from, to string) error {
	_, err := s.call(ctx, "rename", from, nil, "to", to)
	return err
}

// Delete implements dfs.FileSystem.
func (s *store) Delete(ctx context.Context, name string, recursive bool) error {
	var query []string
	if recursive {
		query = []string{"recursive", ""}
	}
	_, err := s.call(ctx, "delete", name, nil, query...)
	return err
}

// Locations implements dfs.FileSystem. The store is equally close to every node.
func (s *store) Locations(ctx context.Context, name string, off, n int64) ([]dfs.Block, error) {
	info, err := s.Stat(ctx, name)
	n = min(n, info.Size-off)
	if err != nil || info.Dir || off < 0 || n <= 0 {
		return nil, err
	}
	return []dfs.Block{{Offset: off, Length: n}}, nil
}

// SetMeta implements dfs.FileSystem.
func (s *store) SetMeta(ctx context.Context, name string, m dfs.Meta) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = s.call(ctx, "meta", name, bytes.NewReader(b))
	return err
}

// Open implements dfs.FileSystem.
func (s *store) Open(ctx context.Context, name string) (dfs.File, error) {
	info, err := s.Stat(ctx, name)
	if err != nil {
		return nil, err
	}
	if info.Dir {
		return nil, failure.New(failure.Usage, "open", s.URI()+name, errors.New("is a directory"))
	}
	f := &file{s: s, ctx: ctx, name: name}
	f.SectionReader = io.NewSectionReader(readerAt{f}, 0, info.Size)
	return f, nil
}

// file reads an object with one request for each read. SectionReader keeps the position.
type file struct {
	*io.SectionReader
	s      *store
	ctx    context.Context
	name   string
	closed bool
}

func (f *file) Read(b []byte) (int, error) {
	if f.closed {
		return 0, failure.New(failure.Usage, "read", f.name, fs.ErrClosed)
	}
	return f.SectionReader.Read(b)
}

type readerAt struct{ *file }

// ReadAt reads a range of bytes within the object.
func (r readerAt) ReadAt(b []byte, off int64) (int, error) {
	f := r.file
	if f.closed {
		return 0, failure.New(failure.Usage, "read", f.name, fs.ErrClosed)
	}
	if len(b) == 0 {
		return 0, nil
	}
	bytes := http.Header{"Range": {fmt.Sprintf("bytes=%d-%d", off, off+int64(len(b))-1)}}
	answer, err := f.s.send(f.ctx, "read", f.name, nil, http.MethodGet, bytes, nil)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	n, err := io.ReadFull(answer.Body, b)
	if err != nil {
		return n, f.s.unreachable("read", err)
	}
	return n, nil
}

func (f *file) Close() error {
	f.closed = true
	return nil
}

// partSize is the number of bytes of an upload's parts.
const partSize = 4 << 20

// Create implements dfs.FileSystem. It reserves the name.
func (s *store) Create(ctx context.Context, name string, o dfs.CreateOptions) (dfs.Writer, error) {
	b, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	r, err := s.call(ctx, "create", name, bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	return &writer{s: s, ctx: ctx, name: name, id: r.Upload}, nil
}

// writer uploads an object in parts.
type writer struct {
	s        *store
	ctx      context.Context
	name, id string
	buf      []byte
	done     bool
}

func (w *writer) Write(p []byte) (int, error) {
	if w.done {
		return 0, failure.New(failure.Usage, "write", w.name, fs.ErrClosed)
	}
	if err := w.ctx.Err(); err != nil {
		return 0, failure.New(failure.KindOf(err), "write", w.name, err)
	}
	w.buf = append(w.buf, p...)
	if len(w.buf) < partSize {
		return len(p), nil
	}
	return len(p), w.Sync()
}

// Sync sends the part. The store keeps everything in memory, so nothing is ever durable.
func (w *writer) Sync() error {
	_, err := w.s.call(w.ctx, "part", w.name, bytes.NewReader(w.buf), "upload", w.id)
	w.buf = w.buf[:0]
	return err
}

// Close publishes the object. After an error, it aborts the upload.
func (w *writer) Close() error {
	if w.done {
		return nil
	}
	err := w.Sync()
	if err == nil {
		_, err = w.s.call(w.ctx, "complete", w.name, nil, "upload", w.id)
	}
	if err != nil {
		w.Abort()
	}
	w.done = true
	return err
}

func (w *writer) Abort() {
	if w.done {
		return
	}
	w.done = true
	// The caller aborts because of an error, which may be the end of ctx.
	_, _ = w.s.call(context.WithoutCancel(w.ctx), "abort", w.name, nil, "upload", w.id)
}
