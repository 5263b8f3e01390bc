package sortio

import (
	"encoding/binary"
	"math/bits"
)

// A record is stored as the lengths of key and value (unsigned varints), the key, and the value. In
// runs that mix several maps, the map's index precedes the record. There is no end marker because
// the index entry contains the segment's length.

// maxLength limits the length of a key or value.
const maxLength = 1<<31 - 1

// uvarintLen returns the length of x as an unsigned varint, in bytes.
func uvarintLen(x uint64) int { return (bits.Len64(x|1) + 6) / 7 }

// recordSize returns the size of a record, not including its map index. key and value are the
// lengths of the record's key and value.
func recordSize(key, value int) int {
	return uvarintLen(uint64(key)) + uvarintLen(uint64(value)) + key + value
}

// putRecord writes a record to b, which must be large enough, and returns the record's size.
func putRecord(b, key, value []byte) int {
	n := putLengths(b, len(key), len(value))
	n += copy(b[n:], key)
	return n + copy(b[n:], value)
}

func putLengths(b []byte, key, value int) int {
	if key|value < 0x80 {
		b[0], b[1] = byte(key), byte(value)
		return 2
	}
	n := binary.PutUvarint(b, uint64(key))
	return n + binary.PutUvarint(b[n:], uint64(value))
}

// parseRecord splits the record at the start of b. It does not check the record, which must come
// from putRecord and not from a file.
func parseRecord(b []byte) (key, value []byte, size int) {
	klen, vlen, n := parseLengths(b)
	return b[n : n+klen : n+klen], b[n+klen : n+klen+vlen : n+klen+vlen], n + klen + vlen
}

func parseLengths(b []byte) (key, value, n int) {
	if b[0]|b[1] < 0x80 {
		return int(b[0]), int(b[1]), 2
	}
	k, n := binary.Uvarint(b)
	v, m := binary.Uvarint(b[n:])
	return int(k), int(v), n + m
}
