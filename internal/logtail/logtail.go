// Package logtail shortens log files while processes append to them.
package logtail

import (
	"bytes"
	"io"
	"os"
)

const (
	bufferSize = 1 << 20
	// maxLine is how far Cut looks for the beginning of a line, in bytes.
	maxLine = 64 << 10
)

// Cut removes the beginning of the part of a file that starts at offset start, and keeps at most
// the last n bytes of that part. If possible, what remains of it starts at the beginning of a line.
// Processes can append to the file at the same time if they opened it with O_APPEND. What they
// write while Cut runs can be lost.
func Cut(f *os.File, start, n int64) error {
	info, err := f.Stat()
	if err != nil || info.Size()-start <= n {
		return err
	}
	from := info.Size() - n
	buf := make([]byte, bufferSize)
	got, err := f.ReadAt(buf[:min(n, maxLine)], from)
	if err != nil && err != io.EOF {
		return err
	}
	from += int64(bytes.IndexByte(buf[:got], '\n') + 1)
	var to int64
	for to < n {
		got, err := f.ReadAt(buf[:min(n-to, bufferSize)], from+to)
		if err != nil && err != io.EOF {
			return err
		}
		if got == 0 {
			break
		}
		if _, err := f.WriteAt(buf[:got], start+to); err != nil {
			return err
		}
		to += int64(got)
	}
	return f.Truncate(start + to)
}
