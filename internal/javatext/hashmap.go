package javatext

import (
	"math/bits"
	"unicode/utf16"
)

// HashOrder gives the order in which a java.util.HashMap hands out keys with these hash codes, as indices of the keys in the
// order of insertion. capacity is what the map was made with; 0 = Java's default of 16. Keys differ; many keys in one bucket,
// which Java keeps in a tree, come in the order of insertion here as there.
func HashOrder(hashes []int32, capacity int) []int {
	size := 16
	if capacity > 0 {
		size = 1 << bits.Len(uint(capacity-1))
	}
	// The table doubles when it is three quarters full. Doubling keeps the order inside of buckets.
	for 4*len(hashes) > 3*size {
		size *= 2
	}
	heads := make([]int, size) // of lists, plus 1
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

// StringHash gives String.hashCode of text in UTF-8.
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
