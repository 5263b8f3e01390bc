package codec

import "io"

// Splitter is a codec that can read a part of a file.
type Splitter interface {
	Codec
	// NewSplitReader returns a reader for the blocks that begin in the bytes [start, end) of a file.
	// r must be at offset start. As in Hadoop's SplittableCompressionCodec, a block belongs to the
	// part that contains the first byte of its marker. The first block of the file belongs to the
	// part that starts at 0.
	NewSplitReader(r io.Reader, start, end int64) SplitReader
}

// SplitReader decompresses one part of a file. After the end of the part, it continues with the
// next blocks, because the last record can extend into them. It returns the same errors as the
// reader that Codec.NewReader returns.
type SplitReader interface {
	io.ReadCloser
	// Boundary returns the number of decompressed bytes that belong to the part. known is true at the
	// latest when Read returns the first byte after the part.
	Boundary() (n int64, known bool)
}
