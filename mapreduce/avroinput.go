package mapreduce

import (
	"context"
	"io"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mapreduce/avro"
)

// AvroAsTextInput reads Avro object container files. Each key is the text of a datum in the format
// of Avro's GenericData.toString. The value is NullWritable. AvroAsTextInput splits files at sync
// markers. It is Avro's AvroAsTextInputFormat, used by Streaming jobs.
type AvroAsTextInput struct{}

// Types returns Text and NullWritable.
func (AvroAsTextInput) Types(*conf.Config) (key, value Type) { return TextWritable, NullWritable }

// Splits divides the files listed in mapreduce.input.fileinputformat.inputdir into splits.
func (AvroAsTextInput) Splits(ctx context.Context, env *Env) ([]Split, error) {
	return fileSplits(ctx, env, nil)
}

// Open returns a reader for the records in s.
func (AvroAsTextInput) Open(c *Context, s *Split) (RecordReader, error) {
	return &avroReader{splitFiles: splitFiles{c: c, split: s}}, nil
}

type avroReader struct {
	splitFiles
	r   *avro.Reader
	key []byte
}

func (r *avroReader) Next() (key, value []byte, err error) {
	for {
		if r.file != nil {
			text, err := r.r.Next()
			if err == nil {
				r.key = appendText(r.key[:0], text)
				return r.key, nil, nil
			}
			if err != io.EOF {
				return nil, nil, err
			}
		}
		if err := r.nextChunk(); err != nil {
			return nil, nil, err
		}
	}
}

func (r *avroReader) nextChunk() error {
	ch, err := r.open()
	if err != nil {
		return err
	}
	if r.r, err = avro.NewReader(r.file, ch.Path, avro.Plain); err != nil {
		return err
	}
	return r.r.Part(ch.Start, ch.Start+ch.Length)
}

func (r *avroReader) Progress() float32 {
	if r.r == nil {
		return 0
	}
	return r.share(r.r.Position())
}
