package streaming

import (
	"io"
	"strings"

	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/typedbytes"
)

// format is the encoding of the records that a command reads or writes (-io).
type format struct {
	name       string
	key, value mapreduce.Type // types of a command's output records
}

// formats lists Hadoop's formats. The first is the default, which also applies to unknown names.
var formats = []format{
	{"text", mapreduce.TextWritable, mapreduce.TextWritable},
	{"rawbytes", mapreduce.BytesWritable, mapreduce.BytesWritable},
	{"typedbytes", mapreduce.TypedBytesWritable, mapreduce.TypedBytesWritable},
	{"keyonlytext", mapreduce.TextWritable, mapreduce.NullWritable},
}

// formatOf returns the format whose name is name, ignoring case.
func formatOf(name string) format {
	for _, f := range formats {
		if strings.EqualFold(f.name, strings.TrimSpace(name)) {
			return f
		}
	}
	return formats[0]
}

// encoder appends a record in the encoding that a command reads.
type encoder func(dst, key, value []byte) []byte

// encoder returns the encoder for records of the given types. Only text uses the separator and can
// omit the key.
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

// appender appends a key or a value.
type appender func(dst, b []byte) []byte

// textOf returns an appender in the format of Java's toString. For a BytesWritable or a
// TypedBytesWritable, the appender instead appends the bytes that it contains.
func textOf(t mapreduce.Type) appender {
	if holdsBytes(t) {
		return func(dst, b []byte) []byte { return append(dst, b[min(4, len(b)):]...) }
	}
	return t.AppendText
}

// rawOf returns an appender that appends a 4-byte length and the serialized value. The appender
// appends a BytesWritable or a TypedBytesWritable unchanged.
func rawOf(t mapreduce.Type) appender {
	if holdsBytes(t) {
		return func(dst, b []byte) []byte { return append(dst, b...) } // the serialized value already starts with the length
	}
	return typedbytes.AppendTyped
}

func holdsBytes(t mapreduce.Type) bool {
	return t.Class() == mapreduce.BytesWritable.Class() || t.Class() == mapreduce.TypedBytesWritable.Class()
}

// decoder decodes the output of a command.
type decoder interface {
	// next returns the next record in the format's types, or io.EOF at the end. The record is valid
	// until the next call.
	next() (key, value []byte, err error)
}

// decoder returns a decoder for in, a command's output. The decoder returns an error of kind
// RecordTooLarge for a line, key, or value that exceeds limit bytes. For text, fields is the number
// of fields in the key.
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
