package mapreduce

import (
	"context"
	"errors"
	"io"
	"path"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce/mapfile"
	"github.com/howdah/howdah/mapreduce/sequencefile"
)

// SequenceInput reads SequenceFiles, and the data of MapFiles, which are directories: Hadoop's SequenceFileInputFormat. Files
// are cut into splits of about a block, read from sync mark to sync mark. Keys and values are as they lie in the file.
type SequenceInput struct{}

// Types gives nil: each file names its types. A job whose mapper does not say what it reads takes what the user says by
// KeyMapKeyClass and the like.
func (SequenceInput) Types(*conf.Config) (key, value Type) { return nil, nil }

// Splits cuts the files at mapreduce.input.fileinputformat.inputdir.
func (SequenceInput) Splits(ctx context.Context, env *Env) ([]Split, error) {
	return cutting{least: sequencefile.DefaultSyncInterval, mapFiles: true}.splits(ctx, env)
}

// Open reads the records of a split.
func (SequenceInput) Open(c *Context, s *Split) (RecordReader, error) { return newSequenceReader(c, s) }

// TypedReader is a RecordReader that knows the types of its records only when it has opened its input. RecordTypes gives nil
// before.
type TypedReader interface {
	RecordReader
	RecordTypes() (key, value Type)
}

// sequenceReader reads the chunks of a split one after the other.
type sequenceReader struct {
	splitFiles
	limit      int
	r          *sequencefile.Reader
	key, value Type
}

// newSequenceReader opens the first chunk, which tells the types.
func newSequenceReader(c *Context, s *Split) (*sequenceReader, error) {
	limit, err := recordLimit(c.Conf)
	if err != nil {
		return nil, err
	}
	r := &sequenceReader{splitFiles: splitFiles{c: c, split: s}, limit: limit}
	if err := r.nextChunk(); err != nil && err != io.EOF {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

func (r *sequenceReader) RecordTypes() (key, value Type) { return r.key, r.value }

func (r *sequenceReader) nextChunk() error {
	ch, err := r.open()
	if err != nil {
		return err
	}
	if r.r, err = sequencefile.NewReader(r.file, sequencefile.ReadOptions{Name: ch.Path, MaxRecord: r.limit}); err != nil {
		return err
	}
	if err := r.setTypes(ch.Path); err != nil {
		return err
	}
	return r.r.Part(ch.Start, ch.Start+ch.Length, r.file.Size())
}

// setTypes takes the first file's types; those of further files must be the same.
func (r *sequenceReader) setTypes(name string) error {
	h := r.r.Header()
	if r.key == nil {
		r.key, r.value = TypeOf(h.KeyClass), TypeOf(h.ValueClass)
		return nil
	}
	if h.KeyClass != r.key.Class() || h.ValueClass != r.value.Class() {
		return failure.New(failure.Config, "read SequenceFile", name, errors.New("its records are of types "+h.KeyClass+" and "+h.ValueClass+
			", those of the file before of "+r.key.Class()+" and "+r.value.Class()))
	}
	return nil
}

func (r *sequenceReader) Next() (key, value []byte, err error) {
	for r.file != nil {
		key, value, err = r.r.Next()
		if err != io.EOF {
			return key, value, err
		}
		if err := r.nextChunk(); err != nil {
			return nil, nil, err
		}
	}
	return nil, nil, io.EOF
}

func (r *sequenceReader) Progress() float32 {
	if r.r == nil {
		return 0
	}
	return r.share(r.r.Position())
}

// countedFile counts what a task reads of a file, and ends with the task.
type countedFile struct {
	dfs.File
	c *Context
}

func openCounted(c *Context, name string) (*countedFile, error) {
	fs, name, err := c.FS.Resolve(name)
	if err != nil {
		return nil, err
	}
	f, err := fs.Open(c.Context(), name)
	if err != nil {
		return nil, err
	}
	return &countedFile{f, c}, nil
}

func (f *countedFile) Read(p []byte) (int, error) {
	if err := f.c.Context().Err(); err != nil {
		return 0, err
	}
	n, err := f.File.Read(p)
	f.c.Inc(job.InputBytesRead, int64(n))
	return n, err
}

// mapFile gives the records of a directory that is a MapFile.
func mapFile(ctx context.Context, fs dfs.FileSystem, dir dfs.Info) (dfs.Info, error) {
	return fs.Stat(ctx, path.Join(dir.Path, mapfile.Data))
}
