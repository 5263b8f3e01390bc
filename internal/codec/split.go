package codec

import "io"

// Splitter is a codec whose files can be read in parts.
type Splitter interface {
	Codec
	// NewSplitReader decompresses what begins in the bytes [start, end) of a file. r is at start. The rule is that of Hadoop's
	// SplittableCompressionCodec: a block belongs to the part that has the first byte of its marker, and the first block of
	// the file to the part that starts at 0.
	NewSplitReader(r io.Reader, start, end int64) SplitReader
}

// SplitReader decompresses one part of a file, and the blocks after it for as long as it is asked, since the last record
// may reach into them. Errors are those of Codec.NewReader.
type SplitReader interface {
	io.ReadCloser
	// Boundary gives the number of decompressed bytes that belong to the part. It is known before Read delivers a byte from
	// behind it.
	Boundary() (n int64, known bool)
}
