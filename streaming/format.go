package streaming

import (
	"io"
	"strings"

	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/typedbytes"
)

// format is how records travel to and from a command: one of the words behind -io.
type format struct {
	name       string
	key, value mapreduce.Type // of the records that a command's output becomes
}

// formats are Hadoop's. The first is the default, which also stands for every unknown word.
var formats = []format{
	{"text", mapreduce.TextWritable, mapreduce.TextWritable},
	{"rawbytes", mapreduce.BytesWritable, mapreduce.BytesWritable},
	{"typedbytes", mapreduce.TypedBytesWritable, mapreduce.TypedBytesWritable},
	{"keyonlytext", mapreduce.TextWritable, mapreduce.NullWritable},
}

// formatOf finds a format, in any case.
func formatOf(name string) format {
	for _, f := range formats {
		if strings.EqualFold(f.name, strings.TrimSpace(name)) {
			return f
		}
	}
	return formats[0]
}

// encoder appends a record as the command reads it.
type encoder func(dst, key, value []byte) []byte

// encoderOf makes the encoder for records of two types. Text alone knows a separator and may leave out the key.
func (f format) encoder(key, value mapreduce.Type, separator string, ignoreKey bool) encoder {
	switch f.name {
	case "rawbytes":
		k, v := rawOf(key), rawOf(value)
		return func(dst, key, value []byte) []byte { return v(k(dst, key), value) }
	case "typedbytes":
		k, v := typedbytes.FromWritable(key.Class()), typedbytes.FromWritable(value.Class())
		return func(dst, key, value []byte) []byte { return v(k(dst, key), value) }
	case "keyonlytext":
		k := textOf(key)
		return func(dst, key, _ []byte) []byte { return append(k(dst, key), '\n') }
	}
	k, v := textOf(key), textOf(value)
	if ignoreKey {
		return func(dst, _, value []byte) []byte { return append(v(dst, value), '\n') }
	}
	return func(dst, key, value []byte) []byte { return append(v(append(k(dst, key), separator...), value), '\n') }
}

// appender appends one half of a record.
type appender func(dst, b []byte) []byte

// textOf appends what Java's toString gives, but the bytes of a BytesWritable, and of a TypedBytesWritable, which is one, as they are.
func textOf(t mapreduce.Type) appender {
	if holdsBytes(t) {
		return func(dst, b []byte) []byte { return append(dst, b[min(4, len(b)):]...) }
	}
	return t.AppendText
}

// rawOf appends a length of four bytes and the serialised value, of a BytesWritable its bytes alone.
func rawOf(t mapreduce.Type) appender {
	if holdsBytes(t) {
		return func(dst, b []byte) []byte { return append(dst, b...) } // it has that length in front already
	}
	return typedbytes.AppendTyped
}

func holdsBytes(t mapreduce.Type) bool {
	return t.Class() == mapreduce.BytesWritable.Class() || t.Class() == mapreduce.TypedBytesWritable.Class()
}

// decoder reads what a command writes.
type decoder interface {
	// next gives the next record in the format's types, valid until the next call; io.EOF at the end.
	next() (key, value []byte, err error)
}

// decoder makes the decoder of an output; no record may be longer than limit bytes.
func (f format) decoder(in io.Reader, separator string, fields, limit int) decoder {
	switch f.name {
	case "rawbytes":
		return newRawReader(in, limit)
	case "typedbytes":
		return newTypedReader(in, limit)
	case "keyonlytext":
		return &keyReader{newLineReader(in, limit)}
	}
	return &textReader{lineReader: newLineReader(in, limit), separator: []byte(separator), fields: fields}
}
