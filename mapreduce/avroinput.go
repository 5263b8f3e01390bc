package mapreduce

import (
	"context"
	"io"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mapreduce/avro"
)

// AvroAsTextInput reads Avro object container files: the key is a value's text as Avro's GenericData.toString gives it, the
// value NullWritable. It is Avro's AvroAsTextInputFormat, which Streaming jobs use. Files are cut at sync marks.
type AvroAsTextInput struct{}

// Types gives Text and NullWritable.
func (AvroAsTextInput) Types(*conf.Config) (key, value Type) { return TextWritable, NullWritable }

// Splits cuts the files at mapreduce.input.fileinputformat.inputdir.
func (AvroAsTextInput) Splits(ctx context.Context, env *Env) ([]Split, error) {
	return fileSplits(ctx, env, nil)
}

// Open reads the values of a split.
func (AvroAsTextInput) Open(c *Context, s *Split) (RecordReader, error) {
	return &avroReader{c: c, split: s}, nil
}

type avroReader struct {
	c     *Context
	split *Split
	chunk int // the next one
	file  *countedFile
	r     *avro.Reader
	done  int64 // bytes of the chunks before
	key   []byte
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
	if r.file != nil {
		r.done += r.split.Chunks[r.chunk-1].Length
		if err := r.Close(); err != nil {
			return err
		}
	}
	if r.chunk == len(r.split.Chunks) {
		return io.EOF
	}
	ch := r.split.Chunks[r.chunk]
	r.chunk++
	var err error
	if r.file, err = openCounted(r.c, ch.Path); err != nil {
		return err
	}
	if r.r, err = avro.NewReader(r.file, ch.Path, avro.Plain); err != nil {
		return err
	}
	return r.r.Part(ch.Start, ch.Start+ch.Length)
}

func (r *avroReader) Progress() float32 {
	if r.split.Length <= 0 {
		return 0
	}
	done := r.done
	if r.file != nil {
		ch := r.split.Chunks[r.chunk-1]
		done += min(max(r.r.Position()-ch.Start, 0), ch.Length)
	}
	return min(float32(float64(done)/float64(r.split.Length)), 1)
}

func (r *avroReader) Close() error {
	if r.file == nil {
		return nil
	}
	err := r.file.Close()
	r.file = nil
	return err
}
