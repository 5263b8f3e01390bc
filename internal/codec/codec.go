// Package codec knows Hadoop's compression codecs by class name and by file extension. A codec offers streams, for files
// that users see, and blocks, for intermediate data, where each block stands alone and needs no decoder state between
// reads. Nothing is initialised before the first use; encoders and decoders are kept for reuse. All methods are safe for
// concurrent use.
package codec

import (
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
	&zstdCodec{},
}

// ByClass finds a codec by its Java class or by the class's last name alone ("GzipCodec"). An unknown one is kind Config.
func ByClass(class string) (Codec, error) {
	var known []string
	for _, c := range all {
		short := c.Class()[strings.LastIndexByte(c.Class(), '.')+1:]
		if class == c.Class() || class == short {
			return c, nil
		}
		known = append(known, short)
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

// watched remembers the error of the underlying reader, so that it can be told from a decoder's complaint.
type watched struct {
	io.Reader
	err error
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if err != nil && err != io.EOF {
		w.err = err
	}
	return n, err
}

// classify gives the error of a decoder its kind.
func (w *watched) classify(err error) error {
	if err == nil || err == io.EOF || w.err != nil {
		return err
	}
	return corrupt(err)
}
