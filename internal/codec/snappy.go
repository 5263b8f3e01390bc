package codec

import (
	"fmt"
	"slices"

	"github.com/klauspost/compress/s2"
)

// newSnappy returns Hadoop's SnappyCodec.
func newSnappy() *blockCodec {
	return &blockCodec{
		class: "org.apache.hadoop.io.compress.SnappyCodec", ext: ".snappy",
		blockSize: directBuffer - (directBuffer/6 + 32),
		encode: func(dst, src []byte) ([]byte, error) {
			n := len(dst)
			dst = grow(dst, s2.MaxEncodedLen(len(src)))
			return dst[:n+len(s2.EncodeSnappy(dst[n:], src))], nil
		},
		decode: decodeSnappy,
	}
}

func decodeSnappy(dst, src []byte, limit int) ([]byte, error) {
	size, err := s2.DecodedLen(src)
	if err != nil {
		return dst, err
	}
	// Three bytes of snappy data decompress to at most 64 bytes.
	if size > limit || size/24 > len(src) {
		return dst, fmt.Errorf("%d bytes of snappy data declare a decompressed size of %d; the limit is %d",
			len(src), size, limit)
	}
	n := len(dst)
	dst = slices.Grow(dst, size)[:n+size]
	if _, err := s2.Decode(dst[n:], src); err != nil {
		return dst[:n], err
	}
	return dst, nil
}
