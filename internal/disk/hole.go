package disk

import "slices"

// Sector is the number of bytes that a disk writes as a unit.
const Sector = 512

// HasHole reports whether any sector of a file's tail contains only zeros. The tail b is the content
// from offset to the end of the file. A partial sector at either end of b counts as a sector. A
// power failure leaves such sectors if the file system has extended the file but not yet written
// the data.
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
