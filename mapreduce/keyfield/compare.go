package keyfield

import (
	"bytes"
	"cmp"
	"encoding/binary"
)

// Compare orders two serialized keys, whose bodies start at fromA and fromB. If only one key lacks
// a field, that key sorts first (or last, with the r option), and later fields do not count. If
// both keys lack a field, they are equal. Hadoop instead reports each as less than the other.
func (f *Fields) Compare(a []byte, fromA int, b []byte, fromB int) int {
	if f.Whole() {
		return bytes.Compare(a[fromA:], b[fromB:])
	}
	for i := range f.spans {
		s := &f.spans[i]
		firstA, lastA, okA := f.bounds(a, fromA, s)
		firstB, lastB, okB := f.bounds(b, fromB, s)
		var x int
		switch {
		case !okA && !okB:
			return 0
		case !okA:
			x = -1
		case !okB:
			x = 1
		case s.numeric:
			x = compareNumbers(a, firstA, lastA, b, firstB, lastB)
		default:
			x = compareBytes(a, firstA, lastA, b, firstB, lastB)
		}
		if x != 0 {
			if s.reverse {
				return -x
			}
			return x
		}
	}
	return 0
}

// Distinct reports whether a key lacks a compared field. Hadoop's reducer never groups such keys,
// even though Compare considers them equal.
func (f *Fields) Distinct(key []byte, from int) bool {
	for i := range f.spans {
		if _, _, ok := f.bounds(key, from, &f.spans[i]); !ok {
			return true
		}
	}
	return false
}

// compareBytes compares a[firstA..lastA] with b[firstB..lastB]. A range that ends before it starts
// has a negative length and compares accordingly.
func compareBytes(a []byte, firstA, lastA int, b []byte, firstB, lastB int) int {
	n := min(lastA-firstA, lastB-firstB) + 1
	if n > 0 {
		if x := bytes.Compare(at(a, firstA, n), at(b, firstB, n)); x != 0 {
			return x
		}
	}
	return cmp.Compare(lastA-firstA, lastB-firstB)
}

// at returns up to n bytes of b, starting at first. first can be negative, because character 0 of
// an unserialized key is the position before its first byte.
func at(b []byte, first, n int) []byte {
	return b[max(first, 0):min(first+n, len(b))]
}

// Prefix returns a number whose order is consistent with Compare. Equal keys have equal prefixes.
func (f *Fields) Prefix(key []byte, from int) uint64 {
	if f.Whole() {
		return prefix(key[from:])
	}
	s := &f.spans[0]
	first, last, ok := f.bounds(key, from, s)
	var p uint64
	switch {
	case !ok:
		p = 0
	case s.numeric:
		p = numberPrefix(key, first, last)
	case last >= first:
		p = prefix(at(key, first, last-first+1))
	}
	if s.reverse {
		return ^p
	}
	return p
}

// prefix returns the first eight bytes of b as a number. It pads a shorter slice with zeros.
func prefix(b []byte) uint64 {
	if len(b) >= 8 {
		return binary.BigEndian.Uint64(b)
	}
	var p uint64
	for i, x := range b {
		p |= uint64(x) << (56 - 8*i)
	}
	return p
}
