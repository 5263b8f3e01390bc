package keyfield

import (
	"bytes"
	"cmp"
	"encoding/binary"
)

// Compare orders two serialised keys whose bodies begin at fromA and fromB. Where a field is missing in one of them, that one
// is the smaller, with r the larger; what follows does not count any more. Two keys that both lack a field are equal here:
// Hadoop calls each of them smaller than the other.
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

// Distinct reports whether keys that Compare calls equal lack a field that is compared: Hadoop's reducer never takes them for
// one group.
func (f *Fields) Distinct(key []byte, from int) bool {
	for i := range f.spans {
		if _, _, ok := f.bounds(key, from, &f.spans[i]); !ok {
			return true
		}
	}
	return false
}

// compareBytes orders a[firstA..lastA] and b[firstB..lastB]. A stretch that ends before it begins has a negative length, and
// the more so the smaller it is.
func compareBytes(a []byte, firstA, lastA int, b []byte, firstB, lastB int) int {
	n := min(lastA-firstA, lastB-firstB) + 1
	if n > 0 {
		if x := bytes.Compare(at(a, firstA, n), at(b, firstB, n)); x != 0 {
			return x
		}
	}
	return cmp.Compare(lastA-firstA, lastB-firstB)
}

// at gives n bytes from first on, or what there is of them: character 0 of an unserialised key is before its first byte.
func at(b []byte, first, n int) []byte {
	return b[max(first, 0):min(first+n, len(b))]
}

// Prefix gives a number that orders as Compare does as far as it goes: equal keys have the same one.
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

// prefix gives the first eight bytes, as if zeros followed a shorter b.
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
