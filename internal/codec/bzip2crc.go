package codec

import "sync"

// bzip2Table returns the table for bzip2's checksum. The checksum has gzip's polynomial, but
// processes the most significant bit of each byte first.
var bzip2Table = sync.OnceValue(func() *[256]uint32 {
	var t [256]uint32
	for i := range t {
		c := uint32(i) << 24
		for range 8 {
			if c&(1<<31) != 0 {
				c = c<<1 ^ 0x04c11db7
			} else {
				c <<= 1
			}
		}
		t[i] = c
	}
	return &t
})

func crcBzip2(c uint32, p []byte) uint32 {
	t := bzip2Table()
	for _, b := range p {
		c = c<<8 ^ t[byte(c>>24)^b]
	}
	return c
}
