package mapreduce

import (
	"bytes"
	"context"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/codec"
)

// TextInput reads lines. The key is a line's offset in its file (LongWritable), and the value is
// the line without its delimiter (Text). A split is about one block of a file. TextInput does not
// split compressed files except .bz2. It uses the same paths and settings as Hadoop's
// TextInputFormat.
type TextInput struct{}

// Types returns LongWritable and Text.
func (TextInput) Types(*conf.Config) (key, value Type) { return LongWritable, TextWritable }

// Splits divides the files listed in mapreduce.input.fileinputformat.inputdir into splits.
func (TextInput) Splits(ctx context.Context, env *Env) ([]Split, error) {
	return lineSplits(ctx, env)
}

// Open returns a reader for the lines in s, which can consist of several chunks.
func (TextInput) Open(c *Context, s *Split) (RecordReader, error) {
	return newLineReader(c, s, delimiter(c.Conf))
}

// lineSplits checks the settings of line readers and then divides the job's input into splits.
func lineSplits(ctx context.Context, env *Env) ([]Split, error) {
	if _, err := maxLine(env.Conf); err != nil {
		return nil, err
	}
	return fileSplits(ctx, env, splittable)
}

// splittable reports whether a reader can start in the middle of the file called name. This is
// impossible for most compressed files.
func splittable(name string) bool {
	how := codec.ByPath(name)
	_, cut := how.(codec.Splitter)
	return how == nil || cut
}

// KeyValueTextInput reads lines and splits each line at its first separator into key and value.
// Both are Text. A line without a separator is a key with an empty value.
type KeyValueTextInput struct{}

// Types returns Text for both key and value.
func (KeyValueTextInput) Types(*conf.Config) (key, value Type) { return TextWritable, TextWritable }

// Splits divides the job's input into splits in the same way as TextInput.
func (KeyValueTextInput) Splits(ctx context.Context, env *Env) ([]Split, error) {
	return lineSplits(ctx, env)
}

// Open returns a reader for the records in s.
func (KeyValueTextInput) Open(c *Context, s *Split) (RecordReader, error) {
	// As in Hadoop, the configured record delimiter has no effect.
	lines, err := newLineReader(c, s, nil)
	if err != nil {
		return nil, err
	}
	sep := conf.InputKeyValueLineRecordReaderKeyValueSeparator.Get(c.Conf)
	return &keyValueReader{lineReader: lines, sep: separatorByte(sep)}, nil
}

// separatorByte casts the first character of s to a byte, as Java does. If s is empty, it returns a
// tab.
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
	buf []byte // copy of the key, because the value's length prefix overwrites its last bytes
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

var emptyText = []byte{0}
