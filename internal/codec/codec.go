// Package codec implements Hadoop's compression codecs and finds them by class name or file
// extension. A codec compresses streams, for files that users see, and blocks, for intermediate
// data. Each block is independent, so readers keep no decoder state between blocks. Codecs
// initialize lazily and reuse their encoders and decoders. A Codec is safe for concurrent use.
package codec

import (
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/howdah/howdah/job/failure"
)

// Codec is one compression format.
type Codec interface {
	// Class returns the Java class, such as "org.apache.hadoop.io.compress.GzipCodec".
	Class() string
	// Extension returns the file name extension with its dot, such as ".gz".
	Extension() string
	// NewReader returns a reader that decompresses one or more concatenated streams. For damaged or
	// truncated data, NewReader or Read returns an error of kind Corrupt. They return errors from r
	// unchanged. Close does not close r.
	NewReader(r io.Reader) (io.ReadCloser, error)
	// NewWriter returns a writer that compresses a stream. Close ends the stream and does not close
	// w.
	NewWriter(w io.Writer) io.WriteCloser
	// AppendStream compresses src as a stream in the format of NewWriter and appends it to dst.
	AppendStream(dst, src []byte) ([]byte, error)
	// AppendDecodedStream decompresses the complete streams in src and appends the result to dst.
	// If the result is longer than limit bytes, or src is damaged, the error is of kind Corrupt. The
	// buffer is O(limit) bytes long, even if src claims a larger size.
	AppendDecodedStream(dst, src []byte, limit int) ([]byte, error)
	// Append compresses the block src and appends it to dst.
	Append(dst, src []byte) ([]byte, error)
	// AppendDecoded decompresses the block src and appends the result to dst. If src is damaged, or
	// the result does not have exactly size bytes, the error is of kind Corrupt. The buffer is O(size)
	// bytes long, even if src claims a larger size.
	AppendDecoded(dst, src []byte, size int) ([]byte, error)
}

// all is the registry of codecs.
var all = []Codec{
	&deflateCodec{"org.apache.hadoop.io.compress.DefaultCodec", ".deflate", zlibFormat},
	&deflateCodec{"org.apache.hadoop.io.compress.GzipCodec", ".gz", gzipFormat},
	bzip2Codec{},
	newSnappy(),
	newLz4(),
	zstdCodec{},
	// DeflateCodec is another name for DefaultCodec.
	&deflateCodec{"org.apache.hadoop.io.compress.DeflateCodec", ".deflate", zlibFormat},
}

// ByClass returns the codec with the given Java class. class is the full name, its last part
// ("GzipCodec"), or that part without "Codec" in any case ("gzip"). For an unknown class the error
// is of kind Config.
func ByClass(class string) (Codec, error) {
	var known []string
	short := strings.TrimPrefix(class, "org.apache.hadoop.io.compress.")
	for _, c := range all {
		name := c.Class()[strings.LastIndexByte(c.Class(), '.')+1:]
		if short == name || strings.EqualFold(short, strings.TrimSuffix(name, "Codec")) {
			return c, nil
		}
		known = append(known, name)
	}
	return nil, failure.New(failure.Config, "find codec", class, nil).Fix("use one of " + strings.Join(known, ", "))
}

// ByPath returns the codec for a file name's extension. It returns nil if no codec has that
// extension.
func ByPath(name string) Codec {
	ext := path.Ext(name)
	for _, c := range all {
		if ext == c.Extension() {
			return c
		}
	}
	return nil
}

func corrupt(err error) error { return failure.New(failure.Corrupt, "decompress", "", err) }

// watched is a reader that counts the bytes that a decoder reads. It records errors from the
// underlying reader, so that they can be distinguished from errors in the decoder.
type watched struct {
	io.Reader
	read int64
	err  error
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	w.read += int64(n)
	if err != nil && err != io.EOF {
		w.err = err
	}
	return n, err
}

// classify adds kind Corrupt and the number of bytes read to an error from the decoder. It returns
// io.EOF and errors from the underlying reader unchanged.
func (w *watched) classify(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return w.fault(err, fmt.Sprintf("the first %d compressed bytes", w.read))
}

// faultAt is like classify, but for a decoder that itself tracks its position, pos, in the
// compressed bytes.
func (w *watched) faultAt(err error, pos int64) error {
	return w.fault(err, fmt.Sprintf("compressed byte %d", pos))
}

func (w *watched) fault(err error, where string) error {
	if err == nil || err == io.EOF || w.err != nil {
		return err
	}
	return failure.New(failure.Corrupt, "decompress", where, err)
}
