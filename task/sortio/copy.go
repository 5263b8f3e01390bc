package sortio

import (
	"io"

	"github.com/howdah/howdah/internal/codec"
)

// LoadSegment reads a segment from src, verifies and decompresses it, and appends its records to
// dst. The capacity of dst should be e.Raw. After an error, do not use the segment. name is for
// error messages.
func LoadSegment(dst []byte, src io.Reader, e Entry, c codec.Codec, name string) ([]byte, error) {
	var f frameReader
	f.reset(src, e, c, name)
	start := len(dst)
	for {
		b, err := f.next()
		if err == io.EOF {
			return dst, nil
		}
		if err != nil {
			return dst, err
		}
		if int64(len(dst)-start+len(b)) > e.Raw {
			return dst, f.corrupt("segment is longer than the %d bytes of its index", e.Raw)
		}
		dst = append(dst, b...)
	}
}

// CopySegment copies a stored segment unchanged and verifies it. After an error, do not use the
// copy.
func CopySegment(dst io.Writer, src io.Reader, e Entry, name string) error {
	f := &frameReader{asStored: true}
	f.reset(src, e, nil, name)
	for {
		b, err := f.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := dst.Write(f.cur[:]); err != nil {
			return ioError("write", name, err)
		}
		if _, err := dst.Write(b); err != nil {
			return ioError("write", name, err)
		}
	}
}

// VerifySegment reads the segment with entry e from src and returns an error if the segment is
// damaged.
func VerifySegment(src io.Reader, e Entry, name string) error {
	return CopySegment(io.Discard, src, e, name)
}
