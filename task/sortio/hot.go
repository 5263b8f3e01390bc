package sortio

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// hotKey is an entry of the table's cache of frequent keys. The cache fits into the processor's
// second-level cache, whereas a table is scattered over memory.
type hotKey struct {
	lo, hi uint64 // the key's bytes after the first, padded with zeros
	id     uint32 // the key's partition, first byte, and length; 0 means that the entry is free
	at     uint32 // offset of the key's number in the arena
	// pending is the part of the key's result that is not yet in the arena: a sum, or the rank of a
	// minimum or maximum. 0 means that nothing is pending.
	pending uint64
}

// hotSet contains keys with the same hash. It is as large as a cache line.
type hotSet [2]hotKey

const (
	hotBits = 14
	// hotAfter is the number of records after which the table allocates the cache. A smaller map does
	// without it.
	hotAfter   = 1024
	coldAfter  = 1 << 16 // number of records after which the table stops using a cache with few hits
	maxHotBody = 15      // maximum number of bytes after a key's first

	// These masks select the bits of an id that a lookup compares.
	wholeID = math.MaxUint32
	noPart  = 1<<12 - 1
)

// hotID returns the id of the key that consists of head and body.
func hotID(part int, head byte, body []byte) uint32 {
	return uint32(part)<<12 | uint32(head)<<4 | uint32(len(body))
}

// canBeHot reports whether the cache can contain a key with this body.
func canBeHot(body []byte) bool { return uint(len(body)-1) < maxHotBody }

// hotWords returns a body that canBeHot as two words, padded with zeros.
func hotWords(body []byte) (lo, hi uint64) {
	var padded [16]byte
	b := &padded
	if cap(body) >= len(padded) {
		b = (*[16]byte)(body[:16]) // The bits of the bytes past the end are cleared below.
	} else {
		copy(padded[:], body)
	}
	lo, hi = binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:])
	n := uint(len(body))
	if n <= 8 {
		return lo & (1<<(8*n) - 1), 0
	}
	return lo, hi & (1<<(8*(n-8)) - 1)
}

// hotSet returns the set that can contain a key with these words.
func (t *table) hotSet(lo, hi uint64) *hotSet {
	h := (lo ^ bits.RotateLeft64(hi, 29)) * 0x9e3779b97f4a7c15
	return &t.hot[h>>(64-hotBits)]
}

// findHot returns the entry of a key, or nil. mask selects the bits of id to compare.
func (t *table) findHot(body []byte, id, mask uint32) *hotKey {
	lo, hi := hotWords(body)
	s := t.hotSet(lo, hi)
	if e := &s[0]; e.lo == lo && e.hi == hi && e.id&mask == id {
		return e
	}
	if e := &s[1]; e.lo == lo && e.hi == hi && e.id&mask == id {
		return e
	}
	return nil
}

// addHot adds value, a number of width bytes, to a key's result in the cache. It returns false if the
// cache does not contain the key or cannot be used.
func (t *table) addHot(body []byte, id, mask uint32, width int, value uint64) bool {
	if !t.roomy || width != t.width || !canBeHot(body) {
		return false
	}
	e := t.findHot(body, id, mask)
	if e == nil {
		return false
	}
	if t.agg.sums {
		e.pending += value
	} else {
		e.pending = t.agg.best(e.pending, value)
	}
	t.records++
	t.hits++
	return true
}

// remember stores key in the cache. at is the offset of the only value in the key's block. If both
// keys in the set have pending numbers, they remain, and remember does not store key. It settles the
// smaller number in one of four such conflicts, so that a key leaves the cache when it is no longer
// frequent.
func (t *table) remember(part int, key []byte, at int) {
	if !t.roomy || len(key) == 0 || !canBeHot(key[1:]) {
		return
	}
	lo, hi := hotWords(key[1:])
	s := t.hotSet(lo, hi)
	e := &s[0]
	if s[1].pending < e.pending {
		e = &s[1]
	}
	if e.pending != 0 {
		if t.records%4 == 0 {
			t.settle(e)
		}
		return
	}
	*e = hotKey{lo: lo, hi: hi, id: hotID(part, key[0], key[1:]), at: uint32(at)}
}

// forget removes a key from the cache.
func (t *table) forget(part int, key []byte) {
	if t.hot == nil || len(key) == 0 || !canBeHot(key[1:]) {
		return
	}
	if e := t.findHot(key[1:], hotID(part, key[0], key[1:]), wholeID); e != nil {
		t.settle(e)
		*e = hotKey{}
	}
}

// settle makes e.pending part of the key's number in the arena.
func (t *table) settle(e *hotKey) {
	if e.pending != 0 {
		t.agg.settle(t.buf.arena[e.at:int(e.at)+t.width], e.pending)
		e.pending = 0
	}
}

// settleHot settles all keys in the cache.
func (t *table) settleHot() {
	if t.hot == nil {
		return
	}
	for i := range t.hot {
		t.settle(&t.hot[i][0])
		t.settle(&t.hot[i][1])
	}
}
