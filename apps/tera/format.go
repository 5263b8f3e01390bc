package tera

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// bufferSize is the size of a buffer in bytes. It is enough for a few thousand rows.
const bufferSize = 256 << 10

// rowInput reads files of rows. The key is a row's first 10 bytes, and the value is the other 90,
// both as Text. A split begins with the first row that starts in it.
type rowInput struct{}

func (rowInput) Types(*conf.Config) (key, value mapreduce.Type) {
	return mapreduce.TextWritable, mapreduce.TextWritable
}

func (rowInput) Splits(ctx context.Context, env *mapreduce.Env) ([]mapreduce.Split, error) {
	return mapreduce.FileSplits(ctx, env, nil)
}

func (rowInput) Open(c *mapreduce.Context, s *mapreduce.Split) (mapreduce.RecordReader, error) {
	at := s.Chunks[0]
	fs, name, err := c.FS.Resolve(at.Path)
	if err != nil {
		return nil, err
	}
	f, err := fs.Open(c.Context(), name)
	if err != nil {
		return nil, err
	}
	skip := (RowLen - at.Start%RowLen) % RowLen
	if _, err := f.Seek(at.Start+skip, io.SeekStart); err != nil {
		_ = f.Close()
		return nil, err
	}
	r := &rowReader{file: f, in: bufio.NewReaderSize(f, bufferSize), c: c, path: at.Path, start: at.Start, pos: skip,
		length: at.Length}
	r.key[0], r.value[0] = KeyLen, RowLen-KeyLen // each Text starts with a one-byte length
	return r, nil
}

type rowReader struct {
	file               dfs.File
	in                 *bufio.Reader
	c                  *mapreduce.Context
	path               string
	start, pos, length int64 // pos is relative to start
	key                [1 + KeyLen]byte
	value              [1 + RowLen - KeyLen]byte
}

func (r *rowReader) Next() (key, value []byte, err error) {
	if r.pos >= r.length {
		return nil, nil, io.EOF
	}
	row, err := r.in.Peek(RowLen)
	if err == io.EOF {
		return nil, nil, failure.New(failure.Corrupt, "read", fmt.Sprintf("%s at offset %d", r.path, r.start+r.pos),
			io.ErrUnexpectedEOF).
			Fix("terasort and teravalidate need rows of 100 bytes, such as the output of teragen")
	}
	if err != nil {
		return nil, nil, err
	}
	copy(r.key[1:], row)
	copy(r.value[1:], row[KeyLen:])
	_, _ = r.in.Discard(RowLen) // Peek has read the row
	r.pos += RowLen
	r.c.Inc(job.InputBytesRead, RowLen)
	return r.key[:], r.value[:], nil
}

func (r *rowReader) Progress() float32 { return float32(r.pos) / float32(max(r.length, 1)) }

func (r *rowReader) Close() error { return r.file.Close() }

// rowOutput writes keys and values without separators.
type rowOutput struct{}

func (rowOutput) Check(ctx context.Context, env *mapreduce.Env) error {
	return mapreduce.TextOutput{}.Check(ctx, env)
}

func (rowOutput) Open(c *mapreduce.Context, _, _ mapreduce.Type) (mapreduce.RecordWriter, error) {
	f, err := c.CreateOutput(mapreduce.PartName(c))
	if err != nil {
		return nil, err
	}
	return &rowWriter{c: c, file: f, out: bufio.NewWriterSize(f, bufferSize)}, nil
}

type rowWriter struct {
	c    *mapreduce.Context
	file io.WriteCloser
	out  *bufio.Writer
	rows int64
}

// Write writes key and value without the one-byte length at the start of each Text.
func (w *rowWriter) Write(key, value []byte) error {
	w.rows++
	if _, err := w.out.Write(key[1:]); err != nil {
		return err
	}
	_, err := w.out.Write(value[1:])
	return err
}

func (w *rowWriter) Close() error {
	w.c.Inc(job.OutputBytesWritten, w.rows*RowLen)
	if err := w.out.Flush(); err != nil {
		return err
	}
	return w.file.Close()
}
