package fs

import (
	"bufio"
	"encoding/binary"
	"hash/crc32"
	"io"
	"path"
)

// crcChunk is the number of bytes that each checksum in a .crc file covers.
const crcChunk = 512

// crcName returns the name of the checksum file that Hadoop's local file system stores next to the
// named file.
func crcName(name string) string { return path.Join(path.Dir(name), "."+path.Base(name)+".crc") }

// writeChecksums writes the .crc file for the content of r. The file consists of "crc" and a zero
// byte, the number of bytes per checksum, and the checksums.
func writeChecksums(w io.Writer, r io.Reader) error {
	out := bufio.NewWriter(w)
	out.WriteString("crc\x00")
	out.Write(binary.BigEndian.AppendUint32(nil, crcChunk))
	chunk := make([]byte, crcChunk)
	in := bufio.NewReaderSize(r, 64<<10)
	for {
		n, err := io.ReadFull(in, chunk)
		if n > 0 {
			out.Write(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(chunk[:n])))
		}
		switch err {
		case nil:
		case io.EOF, io.ErrUnexpectedEOF:
			return out.Flush()
		default:
			return err
		}
	}
}

// writeCRC creates the .crc file for target, a file that was just copied.
func (s *shell) writeCRC(target *item) error {
	sums := &item{fs: target.fs, path: crcName(target.path), shown: crcName(target.shown), local: target.local}
	return s.open(target, func(r io.ReadSeeker) error {
		return s.write(sums, options{"f": "", "d": ""}, func(w io.Writer) error { return writeChecksums(w, r) })
	})
}
