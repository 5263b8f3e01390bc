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

// largestTyped is the maximum size in bytes of a key or value in a typed-bytes file.
const largestTyped = 1 << 30

// LoadTypedBytes creates the SequenceFile called name from in, which contains alternating keys and
// values as typed bytes. It implements Streaming's loadtb command. If the file exists,
// LoadTypedBytes returns an error of kind Exists.
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

// DumpTypedBytes writes the records of files as typed bytes to out. It implements Streaming's
// dumptb command. It reads the first file that matches pattern or, if the first match is a
// directory, the files in the directory. DumpTypedBytes recognizes SequenceFiles by their first
// bytes. It reads other files as lines with their offsets as keys, after decompression. If nothing
// matches, it returns an error of kind NotFound.
func DumpTypedBytes(ctx context.Context, fs dfs.FileSystem, pattern string, out io.Writer) error {
	matches, err := dfs.Glob(ctx, fs, pattern)
	if err != nil {
		return err
	}
	if len(matches) == 0 {
		return failure.New(failure.NotFound, "find", pattern, nil)
	}
	files := matches[:1] // like Hadoop, dump only the first match
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
	if head, _ := in.Peek(4); sequencefile.Is(head) { // the reader created below reports read errors
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
