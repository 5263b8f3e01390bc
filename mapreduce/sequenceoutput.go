package mapreduce

import (
	"context"
	"io"
	"math"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/codec"
	"github.com/howdah/howdah/mapreduce/sequencefile"
)

// Keys of SequenceOutput beside KeyOutputCompress and KeyOutputCodec.
const (
	KeyOutputCompressType = "mapreduce.output.fileoutputformat.compress.type" // RECORD
	KeySequenceBlock      = "io.seqfile.compress.blocksize"                   // bytes, 1,000,000
	KeySequenceSync       = "io.seqfile.sync.interval"                        // bytes between marks, 102,400
)

// SequenceOutput writes SequenceFiles, Hadoop's SequenceFileOutputFormat: part-r-00000 without extension, compressed by record
// or by block if the job asks for it.
type SequenceOutput struct{}

// Check refuses what TextOutput refuses, and an unknown way of compression.
func (SequenceOutput) Check(ctx context.Context, env *Env) error {
	if _, err := sequenceOptions(env.Conf); err != nil {
		return err
	}
	return checkOutputDir(ctx, env)
}

// Open starts the output of one task.
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

// sequenceOptions reads how SequenceFiles are written.
func sequenceOptions(c *conf.Config) (o sequencefile.Options, err error) {
	var how codec.Codec
	if how, err = outputCodec(c); err != nil {
		return o, err
	}
	if how != nil {
		o.Codec, o.Compression = how.Class(), sequencefile.Record
		if kind := c.Get(KeyOutputCompressType); kind != "" {
			if o.Compression, err = sequencefile.ParseCompression(kind); err != nil {
				return o, c.Refuse(KeyOutputCompressType, err)
			}
		}
	}
	block, err := c.Int(KeySequenceBlock, sequencefile.DefaultBlockSize, 1, 1<<30)
	if err != nil {
		return o, err
	}
	o.BlockSize = int(min(block, math.MaxInt32))
	o.SyncInterval, err = c.Int(KeySequenceSync, sequencefile.DefaultSyncInterval, 20, 1<<30)
	return o, err
}

type sequenceWriter struct {
	w    *sequencefile.Writer
	file io.Closer
}

func (w *sequenceWriter) Write(key, value []byte) error { return w.w.Append(key, value) }

func (w *sequenceWriter) Close() error {
	if err := w.w.Close(); err != nil {
		return err // the file must not count: it is left for the attempt's cleanup
	}
	return w.file.Close()
}
