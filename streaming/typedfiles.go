package streaming

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/codec"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce/sequencefile"
	"github.com/howdah/howdah/mapreduce/typedbytes"
)

// largestTyped bounds one key or value of files of typed bytes, in bytes.
const largestTyped = 1 << 30

// LoadTypedBytes makes a SequenceFile of the typed bytes that in holds, key, value, key, value: Streaming's loadtb. A file that is
// there already is kind Exists.
func LoadTypedBytes(ctx context.Context, fs dfs.FileSystem, name string, in io.Reader) error {
	w, err := fs.Create(ctx, name, dfs.CreateOptions{})
	if err != nil {
		return err
	}
	defer w.Abort()
	out, err := sequencefile.NewWriter(w, sequencefile.Options{KeyClass: typedbytes.Class, ValueClass: typedbytes.Class})
	if err != nil {
		return err
	}
	records := newTypedReader(in, largestTyped)
	for {
		key, value, err := records.next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = out.Append(key, value)
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(out.Close(), w.Close())
}

// DumpTypedBytes writes the records of the files that a pattern matches, of a directory those in it, as typed bytes: Streaming's
// dumptb. SequenceFiles are recognised by their beginning, everything else is lines behind their offsets. No match is kind
// NotFound.
func DumpTypedBytes(ctx context.Context, fs dfs.FileSystem, pattern string, out io.Writer) error {
	matches, err := dfs.Glob(ctx, fs, pattern)
	if err != nil {
		return err
	}
	if len(matches) == 0 {
		return failure.New(failure.NotFound, "find", pattern, nil)
	}
	files := matches[:1] // Hadoop dumps the first match alone
	if matches[0].Dir {
		if files, err = fs.List(ctx, matches[0].Path); err != nil {
			return err
		}
	}
	w := bufio.NewWriterSize(out, binaryBuffer)
	for _, f := range files {
		if f.Dir {
			continue
		}
		if err := dumpFile(ctx, fs, f.Path, w); err != nil {
			return err
		}
	}
	return w.Flush()
}

func dumpFile(ctx context.Context, fs dfs.FileSystem, name string, out io.Writer) error {
	f, err := fs.Open(ctx, name)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, binaryBuffer)
	if head, _ := in.Peek(4); sequencefile.Is(head) { // what cannot be read is told by who reads it
		return dumpSequence(in, name, out)
	}
	if c := codec.ByPath(name); c != nil {
		d, err := c.NewReader(in)
		if err != nil {
			return err
		}
		defer d.Close()
		return dumpLines(d, out)
	}
	return dumpLines(in, out)
}

func dumpSequence(in io.Reader, name string, out io.Writer) error {
	r, err := sequencefile.NewReader(in, sequencefile.ReadOptions{Name: name})
	if err != nil {
		return err
	}
	key, value := typedbytes.FromWritable(r.Header().KeyClass), typedbytes.FromWritable(r.Header().ValueClass)
	var buf []byte
	for {
		k, v, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		buf = value(key(buf[:0], k), v)
		if _, err := out.Write(buf); err != nil {
			return err
		}
	}
}

func dumpLines(in io.Reader, out io.Writer) error {
	r := newLineReader(in, largestTyped)
	var buf []byte
	for {
		offset := r.delivered
		start, end, err := r.line()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		buf = append(buf[:0], typedbytes.Long)
		buf = binary.BigEndian.AppendUint64(buf, uint64(offset))
		buf = typedbytes.AppendString(buf, r.buf[start:end])
		if _, err := out.Write(buf); err != nil {
			return err
		}
	}
}
