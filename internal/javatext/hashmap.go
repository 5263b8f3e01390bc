package javatext

import (
	"math/bits"
	"unicode/utf16"
)

// HashOrder returns the order in which a java.util.HashMap iterates over keys with the given hash
// codes. The result contains indices into the insertion order. capacity is the map's initial
// capacity; 0 means Java's default of 16. The keys must be distinct. If a bucket gets more than
// eight keys, the result can differ, because Java then enlarges the table or makes the bucket a tree.
func HashOrder(hashes []int32, capacity int) []int {
	size := 16
	if capacity > 0 {
		size = 1 << bits.Len(uint(capacity-1))
	}
	// The table doubles when it is more than three quarters full. Doubling keeps the order within
	// each bucket.
	for 4*len(hashes) > 3*size {
		size *= 2
	}
	heads := make([]int, size) // index of the first element of each bucket's list, plus 1
	tails := make([]int, size)
	next := make([]int, len(hashes))
	for i, h := range hashes {
		b := int(uint32(h)^uint32(h)>>16) & (size - 1)
		if heads[b] == 0 {
			heads[b] = i + 1
		} else {
			next[tails[b]] = i + 1
		}
		tails[b] = i
	}
	order := make([]int, 0, len(hashes))
	for _, h := range heads {
		for ; h != 0; h = next[h-1] {
			order = append(order, h-1)
		}
	}
	return order
}

// StringHash returns the result of String.hashCode for UTF-8 text.
func StringHash(s string) int32 {
	h := int32(0)
	for _, r := range s {
		if r < 0x10000 {
			h = 31*h + r
			continue
		}
		a, b := utf16.EncodeRune(r)
		h = 31*(31*h+a) + b
	}
	return h
}
