package sortio

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/maphash"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mapreduce"
)

// table collects the records of a job with a combiner: each key is stored once and its values lie behind it, in order of
// arrival. When they fill their space they are combined on the spot. So a text whose words fit into the buffer is sorted
// and written once, as one record a word. Only exact orders may use it: values of different keys that compare as equal
// would not keep their order.
//
// A block in the buffer's arena is a head of 12 bytes (partition, length of the values, space for values), the key with its
// length, and the values, each with its length. A block that needs more space moves to the end of the arena.
type table struct {
	buf     *buffer
	seed    maphash.Seed
	slots   []uint64 // 0 = free, otherwise the hash's upper half and the key's offset + 1
	mask    uint64
	n       int   // keys
	records int64 // since the last spill
	fold    folder
	// inPlace adds a value to the one that a key has; nil = the combiner cannot.
	inPlace func(acc, value []byte) bool
}

const (
	blockHead = 12
	// firstSpace is the space for values of a new key. With an eight-letter word and its head it makes a cache line.
	firstSpace = 36
	// foldSpace is the space from which on values are combined when it is full; below, the block just grows.
	foldSpace = 256
	minSlots  = 1 << 10
)

func newTable(buf *buffer, cfg *Config) *table {
	t := &table{buf: buf, seed: maphash.MakeSeed(), inPlace: cfg.CombineInPlace}
	t.fold = folder{combine: cfg.Combine, onKey: cfg.OnCombineKey}
	t.fold.each = t.fold.values
	t.setSlots(make([]uint64, minSlots))
	return t
}

func (t *table) setSlots(s []uint64) { t.slots, t.mask = s, uint64(len(s)-1) }

// fits reports whether size more bytes and one more key fit. Slots count as well.
func (t *table) fits(size int) bool {
	return t.buf.used+size+2*metaSize*(t.n+1)+8*len(t.slots) <= t.buf.limit
}

// hash tells keys, and the same key in different partitions, apart.
func (t *table) hash(part int, key []byte) uint64 {
	return maphash.Bytes(t.seed, key) ^ uint64(part)*0x9e3779b97f4a7c15
}

// add stores a record whose hash is h; false if there is no room. An error is the combiner's.
func (t *table) add(h uint64, part int, key, value []byte) (bool, error) {
	for i := h & t.mask; ; i = (i + 1) & t.mask {
		s := t.slots[i]
		if s == 0 {
			return t.insert(i, h, part, key, value), nil
		}
		if s>>32 == h>>32 {
			off := int(uint32(s)) - 1
			if vals, ok := t.find(off, part, key); ok {
				moved, ok, err := t.append(off, vals, key, value)
				if ok && moved != off {
					t.slots[i] = h>>32<<32 | uint64(moved+1)
				}
				return ok, err
			}
		}
	}
}

// find reports whether a block is that of a key and where its values start.
func (t *table) find(off, part int, key []byte) (vals int, ok bool) {
	a := t.buf.arena
	k, _, n := parseRecord(a[off:])
	return off + n, bytes.Equal(k, key) && int(binary.LittleEndian.Uint32(a[off-blockHead:])) == part
}

// insert stores the first value of a key.
func (t *table) insert(slot, h uint64, part int, key, value []byte) bool {
	if 2*t.n >= len(t.slots) {
		if !t.fits(8 * len(t.slots)) {
			return false
		}
		t.grow()
		for slot = h & t.mask; t.slots[slot] != 0; slot = (slot + 1) & t.mask {
		}
	}
	need := uvarintLen(uint64(len(value))) + len(value)
	space := need
	if t.inPlace == nil {
		space = max(firstSpace, need)
	}
	off, ok := t.block(part, key, space)
	if !ok {
		return false
	}
	t.slots[slot] = h>>32<<32 | uint64(off+1)
	t.n++
	t.records++
	t.setUsed(off, t.put(off+recordSize(len(key), 0), value))
	return true
}

// block makes an empty block at the end of the arena.
func (t *table) block(part int, key []byte, space int) (off int, ok bool) {
	size := blockHead + recordSize(len(key), 0) + space
	if !t.fits(size) {
		return 0, false
	}
	a := t.buf.arena[t.buf.used:]
	binary.LittleEndian.PutUint32(a, uint32(part))
	binary.LittleEndian.PutUint32(a[4:], 0)
	binary.LittleEndian.PutUint32(a[8:], uint32(space))
	putRecord(a[blockHead:], key, nil)
	off = t.buf.used + blockHead
	t.buf.used += size
	return off, true
}

// grow doubles the slots.
func (t *table) grow() {
	old := t.slots
	t.setSlots(make([]uint64, 2*len(old)))
	for _, s := range old {
		if s == 0 {
			continue
		}
		i := t.home(s)
		for t.slots[i] != 0 {
			i = (i + 1) & t.mask
		}
		t.slots[i] = s
	}
}

// home gives the slot where the search for an entry starts.
func (t *table) home(s uint64) uint64 {
	off := int(uint32(s)) - 1
	key, _, _ := parseRecord(t.buf.arena[off:])
	part := binary.LittleEndian.Uint32(t.buf.arena[off-blockHead:])
	return t.hash(int(part), key) & t.mask
}

// values gives a block's values and the space for them.
func (t *table) values(off int) (vals []byte, space int) {
	a := t.buf.arena
	_, _, n := parseRecord(a[off:])
	used := int(binary.LittleEndian.Uint32(a[off-8:]))
	space = int(binary.LittleEndian.Uint32(a[off-4:]))
	return a[off+n : off+n+used], space
}

// put writes a value at an offset and gives the bytes that it takes.
func (t *table) put(at int, value []byte) int {
	a := t.buf.arena[at:]
	n := 1
	if len(value) < 0x80 {
		a[0] = byte(len(value))
	} else {
		n = binary.PutUvarint(a, uint64(len(value)))
	}
	return n + copy(a[n:], value)
}

// setUsed notes how many bytes the values of a block take.
func (t *table) setUsed(off, n int) { binary.LittleEndian.PutUint32(t.buf.arena[off-8:], uint32(n)) }

// append adds a value to a block whose values start at vals, after combining or moving it if need be, and tells where the
// block is now.
func (t *table) append(off, vals int, key, value []byte) (moved int, ok bool, err error) {
	a := t.buf.arena
	used := int(binary.LittleEndian.Uint32(a[off-8:]))
	space := int(binary.LittleEndian.Uint32(a[off-4:]))
	need := uvarintLen(uint64(len(value))) + len(value)
	if t.inPlace != nil && used == need {
		if n, acc := firstValue(a[vals : vals+used]); n == used && t.inPlace(acc, value) {
			t.records++
			return off, true, nil
		}
	}
	if used+need > space {
		if off, ok, err = t.widen(off, need); !ok {
			return off, false, err
		}
		used = int(binary.LittleEndian.Uint32(a[off-8:]))
		vals = off + recordSize(len(key), 0)
	}
	t.setUsed(off, used+t.put(vals+used, value))
	t.records++
	return off, true, nil
}

// widen makes room for need more bytes of values.
func (t *table) widen(off, need int) (int, bool, error) {
	vals, space := t.values(off)
	key := t.buf.keyAt(uint32(off))
	if space >= foldSpace {
		folded, err := t.fold.run(key, vals)
		if err != nil {
			return off, false, err
		}
		// What does not shrink stays as it was: it takes the longer way of spill and merge.
		if len(folded) < len(vals) {
			copy(vals, folded)
			vals = vals[:len(folded)]
			t.setUsed(off, len(vals))
		}
		if len(vals)+need <= space/2 {
			return off, true, nil
		}
	}
	part := int(binary.LittleEndian.Uint32(t.buf.arena[off-blockHead:]))
	moved, ok := t.block(part, key, max(2*space, 2*(len(vals)+need)))
	if !ok {
		// Better a full block than a spill.
		return off, len(vals)+need <= space, nil
	}
	n := recordSize(len(key), 0)
	copy(t.buf.arena[moved+n:], vals)
	t.setUsed(moved, len(vals))
	return moved, true, nil
}

// sort brings the blocks in order by partition and key.
func (t *table) sort(cmp mapreduce.Comparator) *sorted {
	b := t.buf
	for _, s := range t.slots {
		if s == 0 {
			continue
		}
		off := uint32(s) - 1
		part := binary.LittleEndian.Uint32(b.arena[off-blockHead:])
		b.n++
		b.metas[len(b.metas)-b.n] = meta{cmp.Prefix(b.keyAt(off)), off, part}
		b.counts[part]++
	}
	return b.sort(cmp)
}

func (t *table) reset() {
	clear(t.slots)
	t.n, t.records = 0, 0
	t.buf.reset()
}

// spillTable writes the table's keys with what their values combine to.
func (c *Collector) spillTable(ctx context.Context) error {
	t := c.table
	s := t.sort(c.cfg.Cmp)
	var out int64
	x, err := c.write(ctx, func(w *Writer, p int) error {
		metas := s.part(p)
		for i, m := range metas {
			t.buf.touch(metas, i)
			key := t.buf.keyAt(m.off)
			vals, _ := t.values(int(m.off))
			if n, v := firstValue(vals); n < len(vals) {
				var err error
				if vals, err = t.fold.run(key, vals); err != nil {
					return err
				}
			} else if err := w.Append(0, key, v); err != nil {
				return err
			} else {
				out++
				continue
			}
			for len(vals) > 0 {
				n, v := firstValue(vals)
				if err := w.Append(0, key, v); err != nil {
					return err
				}
				vals = vals[n:]
				out++
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	c.cfg.Counters.Inc(job.CombineInputRecords, t.records)
	c.cfg.Counters.Inc(job.CombineOutputRecords, out)
	c.spills = append(c.spills, x)
	// Keys that hardly repeat are better off with the plain buffer.
	rare := int64(t.n)*2 > t.records
	t.reset()
	if rare {
		c.table = nil
	}
	return nil
}
