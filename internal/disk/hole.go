package disk

import "slices"

// Sector is the number of bytes that disks write as a unit.
const Sector = 512

// HasHole reports whether a sector of a file contains only zeros from the offset on. A file system
// leaves such sectors if the power fails after it has extended a file and before it has written the
// data. b is the end of the file from the offset.
func HasHole(b []byte, offset int64) bool {
	for len(b) > 0 {
		n := min(Sector-int(offset%Sector), len(b))
		if !slices.ContainsFunc(b[:n], func(c byte) bool { return c != 0 }) {
			return true
		}
		b, offset = b[n:], offset+int64(n)
	}
	return false
}
