package sortio

import (
	"encoding/binary"
	"math/bits"
)

// hotKey is an entry of the table's cache of frequent keys. The cache is direct-mapped and small
// enough for the processor's second-level cache, whereas a table is scattered over memory.
type hotKey struct {
	lo, hi uint64 // the key's bytes
	id     uint32 // partition and length of the key; 0 means that the entry is free
	at     uint32 // offset of the key's sum in the arena
	sum    uint64 // not yet part of the sum in the arena
}

const (
	hotBits   = 12
	maxHotKey = 16 // bytes
)

// keyWords returns the bytes of key as two words. The key must have 1 to maxHotKey bytes. Keys of
// the same length have the same words only if they are equal.
func keyWords(key []byte) (lo, hi uint64) {
	n := len(key)
	switch {
	case n >= 8:
		return binary.LittleEndian.Uint64(key), binary.LittleEndian.Uint64(key[n-8:])
	case n >= 4:
		return uint64(binary.LittleEndian.Uint32(key)), uint64(binary.LittleEndian.Uint32(key[n-4:]))
	}
	return uint64(key[0]) | uint64(key[n/2])<<8, uint64(key[n-1])
}

// hotEntry returns the only entry that can contain the key with these words.
func (t *table) hotEntry(lo, hi uint64) *hotKey {
	h := (lo ^ bits.RotateLeft64(hi, 29)) * 0x9e3779b97f4a7c15
	return &t.hot[h>>(64-hotBits)]
}

func hotID(part int, key []byte) uint32 { return uint32(part)<<5 | uint32(len(key)) }

func (e *hotKey) holds(lo, hi uint64, id uint32) bool { return e.lo == lo && e.hi == hi && e.id == id }

func canBeHot(key []byte) bool { return uint(len(key)-1) < maxHotKey }

// addHot adds value to the sum of key in the cache. It returns false if the cache does not contain
// key or cannot be used.
func (t *table) addHot(part int, key, value []byte) bool {
	if !t.roomy || len(value) != t.width || !canBeHot(key) {
		return false
	}
	lo, hi := keyWords(key)
	e := t.hotEntry(lo, hi)
	if !e.holds(lo, hi, hotID(part, key)) {
		return false
	}
	e.sum += integer(value)
	t.records++
	return true
}

// remember stores key in the cache. at is the offset of the only value in the key's block. If the
// entry's current key has been used since the last conflict, that key keeps the entry, and remember
// does not store key.
func (t *table) remember(part int, key []byte, at int) {
	if !canBeHot(key) {
		return
	}
	lo, hi := keyWords(key)
	e := t.hotEntry(lo, hi)
	if e.sum != 0 {
		t.settle(e)
		return
	}
	*e = hotKey{lo: lo, hi: hi, id: hotID(part, key), at: uint32(at)}
}

// forget removes a key from the cache.
func (t *table) forget(part int, key []byte) {
	if t.width == 0 || !canBeHot(key) {
		return
	}
	lo, hi := keyWords(key)
	if e := t.hotEntry(lo, hi); e.holds(lo, hi, hotID(part, key)) {
		t.settle(e)
		*e = hotKey{}
	}
}

// settle adds e.sum, which is not yet part of the key's sum in the arena, to that sum.
func (t *table) settle(e *hotKey) {
	if e.sum != 0 {
		addInteger(t.buf.arena[e.at:int(e.at)+t.width], e.sum)
		e.sum = 0
	}
}

// settleHot settles all keys in the cache.
func (t *table) settleHot() {
	if t.width == 0 {
		return
	}
	for i := range t.hot {
		t.settle(&t.hot[i])
	}
}

// integer decodes an integer of 4 or 8 bytes.
func integer(b []byte) uint64 {
	if len(b) == 4 {
		return uint64(binary.BigEndian.Uint32(b))
	}
	return binary.BigEndian.Uint64(b)
}

// addIntegers is Config.CombineInPlace for integers of t.width bytes.
func (t *table) addIntegers(acc, value []byte) bool {
	if len(acc) != t.width || len(value) != t.width {
		return false
	}
	addInteger(acc, integer(value))
	return true
}

// addInteger adds x to acc, an integer of 4 or 8 bytes. The sum wraps around.
func addInteger(acc []byte, x uint64) {
	if len(acc) == 4 {
		binary.BigEndian.PutUint32(acc, uint32(integer(acc)+x))
	} else {
		binary.BigEndian.PutUint64(acc, integer(acc)+x)
	}
}
