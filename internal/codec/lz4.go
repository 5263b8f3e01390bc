package codec

import (
	"slices"
	"sync"

	"github.com/pierrec/lz4/v4"
)

// newLz4 returns Hadoop's Lz4Codec.
func newLz4() *blockCodec {
	return &blockCodec{
		class: "org.apache.hadoop.io.compress.Lz4Codec", ext: ".lz4",
		blockSize: directBuffer - (directBuffer/255 + 16),
		encode:    encodeLz4,
		decode:    decodeLz4,
	}
}

var lz4Compressors = sync.Pool{New: func() any { return new(lz4.Compressor) }}

func encodeLz4(dst, src []byte) ([]byte, error) {
	if len(src) == 0 {
		return append(dst, 0), nil // a token without literals, which the library does not write
	}
	c := lz4Compressors.Get().(*lz4.Compressor)
	defer lz4Compressors.Put(c)
	n := len(dst)
	dst = grow(dst, lz4.CompressBlockBound(len(src)))
	k, err := c.CompressBlock(src, dst[n:])
	return dst[:n+k], err
}

// decodeLz4 decompresses a chunk. A chunk does not contain the length of the result, so the buffer
// grows until the result fits. It does not grow beyond limit or beyond the largest size to which
// src can decompress.
func decodeLz4(dst, src []byte, limit int) ([]byte, error) {
	if limit = min(limit, 255*len(src)+64); limit == 0 && len(src) == 1 && src[0] == 0 {
		return dst, nil
	}
	n := len(dst)
	for room := min(limit, max(directBuffer, cap(dst)-n)); ; room = min(limit, 4*room) {
		dst = slices.Grow(dst, room)[:n+room]
		k, err := lz4.UncompressBlock(src, dst[n:])
		if err == nil {
			return dst[:n+k], nil
		}
		if room == limit {
			return dst[:n], err
		}
	}
}
