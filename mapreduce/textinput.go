package mapreduce

import (
	"bytes"
	"context"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/codec"
)

// TextInput reads lines: the key is a line's offset in its file (LongWritable), the value the line without its end (Text).
// Files are cut into splits of about a block; compressed files other than .bz2 are read whole, by one map each. Paths and settings are
// those of Hadoop's TextInputFormat.
type TextInput struct{}

// Types gives LongWritable and Text.
func (TextInput) Types(*conf.Config) (key, value Type) { return LongWritable, TextWritable }

// Splits cuts the files at mapreduce.input.fileinputformat.inputdir.
func (TextInput) Splits(ctx context.Context, env *Env) ([]Split, error) {
	return lineSplits(ctx, env)
}

// Open reads the lines of a split, which may be made of several chunks.
func (TextInput) Open(c *Context, s *Split) (RecordReader, error) {
	return newLineReader(c, s, delimiter(c.Conf))
}

// lineSplits cuts the input after a look at what the readers of its lines will need.
func lineSplits(ctx context.Context, env *Env) ([]Split, error) {
	if _, err := maxLine(env.Conf); err != nil {
		return nil, err
	}
	return fileSplits(ctx, env, splittable)
}

// splittable: most compressed files can be read from their start only.
func splittable(name string) bool {
	how := codec.ByPath(name)
	_, cut := how.(codec.Splitter)
	return how == nil || cut
}

// KeySeparator is the key of KeyValueTextInput's separator, one byte; default tab.
const KeySeparator = "mapreduce.input.keyvaluelinerecordreader.key.value.separator"

// KeyValueTextInput reads lines and cuts each at the first separator: key and value are Text. A line without separator is
// a key with an empty value.
type KeyValueTextInput struct{}

// Types gives Text and Text.
func (KeyValueTextInput) Types(*conf.Config) (key, value Type) { return TextWritable, TextWritable }

// Splits cuts the input as TextInput does.
func (KeyValueTextInput) Splits(ctx context.Context, env *Env) ([]Split, error) {
	return lineSplits(ctx, env)
}

// Open reads the records of a split.
func (KeyValueTextInput) Open(c *Context, s *Split) (RecordReader, error) {
	// As in Hadoop, the record delimiter is not heard.
	lines, err := newLineReader(c, s, nil)
	if err != nil {
		return nil, err
	}
	return &keyValueReader{lineReader: lines, sep: separatorByte(c.Conf.Get(KeySeparator))}, nil
}

// separatorByte does what Java does when it casts a string's first character to a byte.
func separatorByte(s string) byte {
	if s == "" {
		return '\t'
	}
	r, _ := utf8.DecodeRuneInString(s)
	if r > 0xffff {
		r, _ = utf16.EncodeRune(r)
	}
	return byte(r)
}

type keyValueReader struct {
	*lineReader
	sep byte
	buf []byte // the key's copy: the value's length is written over its last bytes
}

func (r *keyValueReader) Next() (key, value []byte, err error) {
	start, end, err := r.nextLine()
	if err != nil {
		return nil, nil, err
	}
	line := r.scan.buf[start:end]
	cut := bytes.IndexByte(line, r.sep)
	if cut < 0 {
		return r.scan.buf[putVInt(r.scan.buf, start, end-start):end], emptyText, nil
	}
	r.buf = appendText(r.buf[:0], line[:cut])
	start += cut + 1
	return r.buf, r.scan.buf[putVInt(r.scan.buf, start, end-start):end], nil
}

// emptyText is a Text of no bytes.
var emptyText = []byte{0}
