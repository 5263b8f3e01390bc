package mapreduce

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce/sequencefile"
)

// SequenceAsTextInput reads SequenceFiles like SequenceInput. It delivers keys and values as text,
// in the format of Java's toString. It is Hadoop's SequenceFileAsTextInputFormat.
type SequenceAsTextInput struct{ SequenceInput }

// Types returns Text for both key and value.
func (SequenceAsTextInput) Types(*conf.Config) (key, value Type) { return TextWritable, TextWritable }

// Open returns a reader for the records in s.
func (SequenceAsTextInput) Open(c *Context, s *Split) (RecordReader, error) {
	r, err := newSequenceReader(c, s)
	if err != nil {
		return nil, err
	}
	return &asTextReader{sequenceReader: r}, nil
}

type asTextReader struct {
	*sequenceReader
	text, kbuf, vbuf []byte
}

func (r *asTextReader) RecordTypes() (key, value Type) { return TextWritable, TextWritable }

func (r *asTextReader) Next() (key, value []byte, err error) {
	key, value, err = r.sequenceReader.Next()
	if err != nil {
		return nil, nil, err
	}
	r.text = appendToString(r.text[:0], r.key, key)
	r.kbuf = appendText(r.kbuf[:0], r.text)
	r.text = appendToString(r.text[:0], r.value, value)
	r.vbuf = appendText(r.vbuf[:0], r.text)
	return r.kbuf, r.vbuf, nil
}

// SequenceAsBinaryInput reads SequenceFiles like SequenceInput. It delivers the serialized bytes of
// keys and values of any type as BytesWritable. It is Hadoop's SequenceFileAsBinaryInputFormat.
type SequenceAsBinaryInput struct{ SequenceInput }

// Types returns BytesWritable for both key and value.
func (SequenceAsBinaryInput) Types(*conf.Config) (key, value Type) {
	return BytesWritable, BytesWritable
}

// Open returns a reader for the records in s.
func (SequenceAsBinaryInput) Open(c *Context, s *Split) (RecordReader, error) {
	r, err := newSequenceReader(c, s)
	if err != nil {
		return nil, err
	}
	return &asBinaryReader{sequenceReader: r}, nil
}

type asBinaryReader struct {
	*sequenceReader
	kbuf, vbuf []byte
}

func (r *asBinaryReader) RecordTypes() (key, value Type) { return BytesWritable, BytesWritable }

func (r *asBinaryReader) Next() (key, value []byte, err error) {
	key, value, err = r.sequenceReader.Next()
	if err != nil {
		return nil, nil, err
	}
	r.kbuf, r.vbuf = appendBytes(r.kbuf[:0], key), appendBytes(r.vbuf[:0], value)
	return r.kbuf, r.vbuf, nil
}

// SequenceAsBinaryOutput writes SequenceFiles. Its keys and values are BytesWritables that contain
// serialized objects of the configured classes, and the files contain these objects. It is Hadoop's
// SequenceFileAsBinaryOutputFormat.
type SequenceAsBinaryOutput struct{}

// Check returns the same errors as SequenceOutput's Check. Like Hadoop, it also rejects compression
// by record.
func (SequenceAsBinaryOutput) Check(ctx context.Context, env *Env) error {
	o, err := sequenceOptions(env.Conf)
	if err != nil {
		return err
	}
	if o.Compression == sequencefile.Record {
		return env.Conf.Refuse(conf.OutputFileOutputFormatCompressType.Name,
			errors.New("SequenceFileAsBinaryOutputFormat doesn't support Record Compression"))
	}
	return checkOutputDir(ctx, env)
}

// Open creates the task's output and returns a writer for its records.
func (SequenceAsBinaryOutput) Open(c *Context, key, value Type) (RecordWriter, error) {
	for half, t := range map[string]Type{"keys": key, "values": value} {
		if t.Class() != BytesWritable.Class() {
			return nil, failure.New(failure.Config, "open the output", "",
				fmt.Errorf("%s are %s, but SequenceFileAsBinaryOutputFormat writes BytesWritable", half, t.Class()))
		}
	}
	class := func(key string, other Type) string {
		if t := configuredType(c.Conf, key); t != nil {
			return t.Class()
		}
		return other.Class()
	}
	w, err := newSequenceWriter(c, PartName(c), class(conf.OutputSeqBinaryOutputFormatKeyClass.Name, key),
		class(conf.OutputSeqBinaryOutputFormatValueClass.Name, value))
	if err != nil {
		return nil, err
	}
	return binaryWriter{w}, nil
}

type binaryWriter struct{ *sequenceWriter }

func (w binaryWriter) Write(key, value []byte) error {
	for _, b := range [][]byte{key, value} {
		if len(b) < 4 || binary.BigEndian.Uint32(b) != uint32(len(b)-4) {
			_, err := decodeBytes(b)
			return err
		}
	}
	return w.w.Append(key[4:], value[4:])
}
