package streaming

import (
	"io"
	"strings"

	"github.com/howdah/howdah/internal/vint"
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

// encoder encodes records for a command. A record consists of key, separator, value, and end.
type encoder struct {
	key, value     appender // without append, the record has no key and separator, or no value
	separator, end string
}

// append appends a record to dst.
func (e *encoder) append(dst, key, value []byte) []byte {
	if e.key.append != nil {
		dst = append(e.key.append(dst, key), e.separator...)
	}
	if e.value.append != nil {
		dst = e.value.append(dst, value)
	}
	return append(dst, e.end...)
}

// encoder returns the encoder for records of the given types. Only text uses the separator and can
// omit the key.
func (f format) encoder(key, value mapreduce.Type, separator string, ignoreKey bool) encoder {
	switch f.name {
	case "rawbytes":
		return encoder{key: rawOf(key), value: rawOf(value)}
	case "typedbytes":
		return encoder{key: typedOf(key), value: typedOf(value)}
	case "keyonlytext":
		return encoder{key: textOf(key), end: "\n"}
	}
	e := encoder{key: textOf(key), value: textOf(value), separator: separator, end: "\n"}
	if ignoreKey {
		e.key = appender{}
	}
	return e
}

// appender encodes keys or values.
type appender struct {
	append func(dst, b []byte) []byte
	// view returns the bytes that append would append, as a part of b. Nil means that b does not contain
	// these bytes.
	view func(b []byte) []byte
}

// viewed returns an appender that appends a part of a key or value.
func viewed(view func(b []byte) []byte) appender {
	return appender{func(dst, b []byte) []byte { return append(dst, view(b)...) }, view}
}

// textOf returns an appender in the format of Java's toString. For a BytesWritable or a
// TypedBytesWritable, the appender instead appends the bytes that it contains.
func textOf(t mapreduce.Type) appender {
	switch {
	case holdsBytes(t):
		return viewed(func(b []byte) []byte { return b[min(4, len(b)):] })
	case t == mapreduce.TextWritable:
		return viewed(vint.Body)
	}
	return appender{append: t.AppendText}
}

// rawOf returns an appender that appends a 4-byte length and the serialized value. The appender
// appends a BytesWritable or a TypedBytesWritable unchanged.
func rawOf(t mapreduce.Type) appender {
	if holdsBytes(t) {
		return viewed(func(b []byte) []byte { return b }) // the serialized value already starts with the length
	}
	return appender{append: typedbytes.AppendTyped}
}

// typedOf returns an appender that appends a key or value as typed bytes.
func typedOf(t mapreduce.Type) appender {
	return appender{append: typedbytes.FromWritable(t.Class())}
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
