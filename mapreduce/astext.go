package mapreduce

import (
	"bufio"
	"io"

	"github.com/howdah/howdah/internal/codec"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce/avro"
	"github.com/howdah/howdah/mapreduce/sequencefile"
)

// WriteAsText reads the file called name from r and writes it to w as text, like `hadoop fs -text`.
// It recognizes SequenceFiles, Avro files, and gzip by their first bytes, and other kinds of
// compression by the extension in name. A SequenceFile becomes lines of key, tab, and value, and an
// Avro file becomes lines of JSON. WriteAsText copies any other file. It returns errors from w
// unchanged and an error of kind Corrupt for damaged input.
func WriteAsText(w io.Writer, r io.Reader, name string) error {
	b := bufio.NewReaderSize(r, 64<<10)
	head, _ := b.Peek(4) // if the file is unreadable, the reader below returns the error
	c := codec.ByPath(name)
	switch {
	case len(head) > 1 && head[0] == 0x1f && head[1] == 0x8b:
		c = codec.ByPath(".gz")
	case sequencefile.Is(head):
		return sequenceAsText(w, b, name)
	case avro.Is(head):
		return avroAsText(w, b, name)
	}
	if c == nil {
		_, err := io.Copy(w, b)
		return err
	}
	d, err := c.NewReader(b)
	if err == nil {
		defer d.Close()
		_, err = io.Copy(w, d)
	}
	if failure.Is(err, failure.Corrupt) {
		err = failure.New(failure.Corrupt, "decompress", name, err)
	}
	return err
}

func sequenceAsText(w io.Writer, r io.Reader, name string) error {
	f, err := sequencefile.NewReader(r, sequencefile.ReadOptions{Name: name})
	if err != nil {
		return err
	}
	key, value := TypeOf(f.Header().KeyClass), TypeOf(f.Header().ValueClass)
	out := bufio.NewWriterSize(w, outputBufferSize)
	var line []byte
	for {
		k, v, err := f.Next()
		if err != nil {
			return flushed(out, err)
		}
		line = append(appendToString(line[:0], key, k), '\t')
		line = append(appendToString(line, value, v), '\n')
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
}

func avroAsText(w io.Writer, r io.Reader, name string) error {
	f, err := avro.NewReader(r, name, avro.JSON)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, outputBufferSize)
	for {
		line, err := f.Next()
		if err != nil {
			return flushed(out, err)
		}
		_, _ = out.Write(line)
		if err := out.WriteByte('\n'); err != nil { // out keeps the error of any earlier write
			return err
		}
	}
}

// flushed flushes out after reading has stopped with err. At the end of the input (io.EOF), it
// returns the error from flushing. Otherwise, it returns err.
func flushed(out *bufio.Writer, err error) error {
	if e := out.Flush(); err == io.EOF {
		return e
	}
	return err
}
