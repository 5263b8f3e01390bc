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

// SequenceInput reads SequenceFiles and the data files of MapFiles. It is Hadoop's
// SequenceFileInputFormat. A split is about one block of a file. Its reader reads from sync mark to
// sync mark and delivers keys and values as stored.
type SequenceInput struct{}

// Types returns nil for both types because each file has its own. If a job's mapper declares no
// types, conf.MapOutputKeyClass and the related keys determine the map output types.
func (SequenceInput) Types(*conf.Config) (key, value Type) { return nil, nil }

// Splits divides the files listed in mapreduce.input.fileinputformat.inputdir into splits.
func (SequenceInput) Splits(ctx context.Context, env *Env) ([]Split, error) {
	return cutting{least: conf.IOSeqFileSyncInterval.BuiltIn(), mapFiles: true}.splits(ctx, env)
}

// Open returns a reader for the records in s.
func (SequenceInput) Open(c *Context, s *Split) (RecordReader, error) { return newSequenceReader(c, s) }

// TypedReader is a RecordReader whose input determines the record types. RecordTypes returns nil
// for a type that is still unknown.
type TypedReader interface {
	RecordReader
	RecordTypes() (key, value Type)
}

// sequenceReader reads the chunks of a split in order.
type sequenceReader struct {
	splitFiles
	limit      int
	r          *sequencefile.Reader
	key, value Type
}

// newSequenceReader returns a reader that has opened the first chunk, which determines the record
// types.
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

// setTypes stores the types of the first file. It returns an error if a later file has different
// types.
func (r *sequenceReader) setTypes(name string) error {
	h := r.r.Header()
	if r.key == nil {
		r.key, r.value = TypeOf(h.KeyClass), TypeOf(h.ValueClass)
		return nil
	}
	if h.KeyClass != r.key.Class() || h.ValueClass != r.value.Class() {
		return failure.New(failure.Config, "read SequenceFile", name,
			errors.New("its records have types "+h.KeyClass+" and "+h.ValueClass+
				", but those of the previous file have "+r.key.Class()+" and "+r.value.Class()))
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

// countedFile counts the bytes that an attempt reads from a file. Reads fail after the attempt's
// context has ended.
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

// mapFile returns the data file of dir, which must be a MapFile.
func mapFile(ctx context.Context, fs dfs.FileSystem, dir dfs.Info) (dfs.Info, error) {
	return fs.Stat(ctx, path.Join(dir.Path, mapfile.Data))
}
