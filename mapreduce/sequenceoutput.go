package mapreduce

import (
	"context"
	"io"
	"math"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/codec"
	"github.com/howdah/howdah/mapreduce/sequencefile"
)

// SequenceOutput writes SequenceFiles. It is Hadoop's SequenceFileOutputFormat. It names files like
// part-r-00000, without an extension. The configuration can enable compression by record or by
// block.
type SequenceOutput struct{}

// Check returns the same errors as TextOutput's Check, and an error for an unknown compression
// type.
func (SequenceOutput) Check(ctx context.Context, env *Env) error {
	if _, err := sequenceOptions(env.Conf); err != nil {
		return err
	}
	return checkOutputDir(ctx, env)
}

// Open creates the task's output and returns a writer for its records.
func (SequenceOutput) Open(c *Context, key, value Type) (RecordWriter, error) {
	return newSequenceWriter(c, PartName(c), key.Class(), value.Class())
}

func newSequenceWriter(c *Context, name, key, value string) (*sequenceWriter, error) {
	o, err := sequenceOptions(c.Conf)
	if err != nil {
		return nil, err
	}
	o.KeyClass, o.ValueClass = key, value
	file, err := c.CreateOutput(name)
	if err != nil {
		return nil, err
	}
	w, err := sequencefile.NewWriter(&countedWriter{w: file, c: c}, o)
	if err != nil {
		return nil, err
	}
	return &sequenceWriter{w, file}, nil
}

// sequenceOptions returns the configured options for writing SequenceFiles.
func sequenceOptions(c *conf.Config) (o sequencefile.Options, err error) {
	var how codec.Codec
	if how, err = outputCodec(c); err != nil {
		return o, err
	}
	if how != nil {
		o.Codec, o.Compression = how.Class(), sequencefile.Record
		if kind := conf.OutputFileOutputFormatCompressType.Get(c); kind != "" {
			if o.Compression, err = sequencefile.ParseCompression(kind); err != nil {
				return o, c.Refuse(conf.OutputFileOutputFormatCompressType.Name, err)
			}
		}
	}
	block, err := conf.IOSeqFileCompressBlockSize.Get(c)
	if err != nil {
		return o, err
	}
	o.BlockSize = int(min(block, math.MaxInt32))
	o.SyncInterval, err = conf.IOSeqFileSyncInterval.Get(c)
	return o, err
}

type sequenceWriter struct {
	w    *sequencefile.Writer
	file io.Closer
}

func (w *sequenceWriter) Write(key, value []byte) error { return w.w.Append(key, value) }

func (w *sequenceWriter) Close() error {
	if err := w.w.Close(); err != nil {
		return err // leave the file incomplete; the attempt's cleanup removes it
	}
	return w.file.Close()
}
