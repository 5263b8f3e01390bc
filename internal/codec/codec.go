// Package codec knows Hadoop's compression codecs by class name and by file extension. A codec offers streams, for files
// that users see, and blocks, for intermediate data, where each block stands alone and needs no decoder state between
// reads. Nothing is initialised before the first use; encoders and decoders are kept for reuse. All methods are safe for
// concurrent use.
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
	// Class gives the Java class: "org.apache.hadoop.io.compress.GzipCodec".
	Class() string
	// Extension gives the ending of file names, with its dot: ".gz".
	Extension() string
	// NewReader decompresses a stream, one that consists of several concatenated ones too. Damaged or truncated data is
	// kind Corrupt; errors of r come through as they are. Close does not close r.
	NewReader(r io.Reader) (io.ReadCloser, error)
	// NewWriter compresses a stream. Close ends the stream and does not close w.
	NewWriter(w io.Writer) io.WriteCloser
	// AppendStream appends to dst a stream as NewWriter makes it: src compressed.
	AppendStream(dst, src []byte) ([]byte, error)
	// AppendDecodedStream appends to dst what NewReader delivers for the whole streams src. More than limit bytes is kind
	// Corrupt, like damage; about as much is ever allocated.
	AppendDecodedStream(dst, src []byte, limit int) ([]byte, error)
	// Append appends the compressed form of the block src to dst.
	Append(dst, src []byte) ([]byte, error)
	// AppendDecoded appends the decompressed form of the block src to dst. size is what the block must decompress to;
	// any other size is kind Corrupt, and no more than that is ever allocated for it.
	AppendDecoded(dst, src []byte, size int) ([]byte, error)
}

// all is the registry. A further codec is a line here.
var all = []Codec{
	&deflateCodec{"org.apache.hadoop.io.compress.DefaultCodec", ".deflate", zlibFormat},
	&deflateCodec{"org.apache.hadoop.io.compress.GzipCodec", ".gz", gzipFormat},
	bzip2Codec{},
	newSnappy(),
	newLz4(),
	zstdCodec{},
	&deflateCodec{"org.apache.hadoop.io.compress.DeflateCodec", ".deflate", zlibFormat}, // DefaultCodec under its other name
}

// ByClass finds a codec by its Java class, by the class's last name alone ("GzipCodec"), or by that without "Codec" in any
// case ("gzip"). An unknown one is kind Config.
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

// ByPath finds the codec of a file by its name's ending; nil means that the file is not compressed, as far as we know.
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

// watched counts what a decoder reads and remembers the error of the underlying reader, so that it can be told from the
// decoder's own complaint.
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

// classify gives the error of a decoder its kind, and tells how far the decoder had read.
func (w *watched) classify(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return w.fault(err, fmt.Sprintf("the first %d compressed bytes", w.read))
}

// faultAt is classify for a decoder that knows which compressed byte it is at.
func (w *watched) faultAt(err error, pos int64) error {
	return w.fault(err, fmt.Sprintf("compressed byte %d", pos))
}

func (w *watched) fault(err error, where string) error {
	if err == nil || err == io.EOF || w.err != nil {
		return err
	}
	return failure.New(failure.Corrupt, "decompress", where, err)
}
