package sortio

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/maphash"
	"math"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mapreduce"
)

// table collects the records of a job with a combiner. It stores each key once, followed by the
// key's values in arrival order. When the values fill their space, the table combines them in
// memory. A text whose distinct words fit into the buffer is therefore sorted and written only
// once, as one record per word. A table may be used only if keys that compare as equal have the
// same bytes (see mapreduce.ExactComparator). Otherwise, it would change the order of the values of
// such keys.
//
// A block in the buffer's arena consists of a 12-byte header (partition, length of the values,
// space for values), the key with its length, and the values, each with its length. A block that
// needs more space moves to the end of the arena.
type table struct {
	buf     *buffer
	seed    maphash.Seed
	slots   []uint64 // 0 means free, otherwise the hash and the key's offset + 1
	mask    uint32
	n       int   // number of keys
	records int64 // number of records since the latest spill
	hits    int64 // number of these records that the cache has counted
	fold    folder
	// inPlace combines a value into a key's existing value. It is nil if the combiner does not
	// support this.
	inPlace func(acc, value []byte) bool
	// width is the size of the numbers that the combiner aggregates, or 0. If it is not 0, hot caches
	// frequent keys after the first hotAfter records.
	width int
	agg   aggregate
	hot   *[1 << hotBits]hotSet
	// roomy is true if hot exists and is not cold, and if all records of the stage are certain to fit
	// into the table. If they do not fit, a staged record might cause a spill. The table then does not
	// use the cache, so that no later record overtakes that one.
	roomy bool
}

const (
	blockHead = 12
	deadBlock = math.MaxUint32 // instead of the partition of a block that has moved
	// firstSpace is the initial space in bytes for the values of a new key. With its header and an
	// eight-letter word, such a block is about as large as a cache line.
	firstSpace = 36
	// foldSpace is the minimum space, in bytes, of a full block whose values are combined. A full
	// block with less space grows instead.
	foldSpace = 256
	minSlots  = 1 << 10
)

func newTable(buf *buffer, cfg *Config) *table {
	t := &table{buf: buf, seed: maphash.MakeSeed(), inPlace: cfg.CombineInPlace}
	t.fold = folder{combine: cfg.Combine, onKey: cfg.OnCombineKey}
	t.fold.each = t.fold.values
	t.setSlots(make([]uint64, minSlots))
	if cfg.Aggregation.Width > 0 {
		t.width, t.agg, t.inPlace = cfg.Aggregation.Width, newAggregate(cfg.Aggregation), t.aggregate
	}
	return t
}

func (t *table) setSlots(s []uint64) { t.slots, t.mask = s, uint32(len(s)-1) }

// fits reports whether size more bytes and one more key fit, including the key's slot.
func (t *table) fits(size int) bool {
	return t.buf.used+size+2*metaSize*(t.n+1)+8*len(t.slots) <= t.buf.limit
}

// fitsStage reports whether a full stage of new keys with numbers fits.
func (t *table) fitsStage() bool {
	const record = blockHead + 3*binary.MaxVarintLen16 + 2*metaSize // without key and value
	return t.fits(stageRecords*record + stageBytes + 8*len(t.slots))
}

// warm decides whether the next records may use the cache. The stage must be empty.
func (t *table) warm() {
	t.roomy = t.width > 0 && t.records >= hotAfter && !t.cold() && t.fitsStage()
	if t.roomy && t.hot == nil {
		t.hot = new([1 << hotBits]hotSet)
	}
}

// cold reports whether the cache has less than one hit in four records. Looking up keys in it then
// takes longer than it saves. The table does not use it until the next spill.
func (t *table) cold() bool { return t.records >= coldAfter && 4*t.hits < t.records }

// hash returns the hash of a key in a partition.
func (t *table) hash(part int, key []byte) uint32 {
	h := maphash.Bytes(t.seed, key) ^ uint64(part)*0x9e3779b97f4a7c15
	return uint32(h ^ h>>32)
}

// add stores a record with hash h. It returns false if there is no room. An error comes from the
// combiner.
func (t *table) add(h uint32, part int, key, value []byte) (bool, error) {
	for i := h & t.mask; ; i = (i + 1) & t.mask {
		s := t.slots[i]
		if s == 0 {
			return t.insert(i, h, part, key, value), nil
		}
		if uint32(s>>32) == h {
			off := int(uint32(s)) - 1
			if vals, ok := t.find(off, part, key); ok {
				moved, ok, err := t.append(off, vals, part, key, value)
				if moved != off {
					t.slots[i] = uint64(h)<<32 | uint64(moved+1)
				}
				return ok, err
			}
		}
	}
}

// find reports whether the block at off belongs to key in partition part. vals is the offset of the
// block's values.
func (t *table) find(off, part int, key []byte) (vals int, ok bool) {
	a := t.buf.arena
	k, _, n := parseRecord(a[off:])
	return off + n, bytes.Equal(k, key) && int(binary.LittleEndian.Uint32(a[off-blockHead:])) == part
}

// insert stores the first value of a key that is not yet in the table. It returns false if there is
// no room.
func (t *table) insert(slot, h uint32, part int, key, value []byte) bool {
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
	t.slots[slot] = uint64(h)<<32 | uint64(off+1)
	t.n++
	t.records++
	t.setUsed(off, t.put(off+recordSize(len(key), 0), value))
	return true
}

// block creates a block at the end of the arena with space bytes for values. ok is false if there
// is no room.
func (t *table) block(part int, key []byte, space int) (off int, ok bool) {
	size := blockHead + recordSize(len(key), 0) + space
	if !t.fits(size) || size > t.buf.alone {
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

// grow doubles the number of slots.
func (t *table) grow() {
	old := t.slots
	t.setSlots(make([]uint64, 2*len(old)))
	for _, s := range old {
		if s == 0 {
			continue
		}
		i := uint32(s>>32) & t.mask
		for t.slots[i] != 0 {
			i = (i + 1) & t.mask
		}
		t.slots[i] = s
	}
}

// values returns the values of the block at off and the space reserved for them.
func (t *table) values(off int) (vals []byte, space int) {
	a := t.buf.arena
	_, _, n := parseRecord(a[off:])
	used := int(binary.LittleEndian.Uint32(a[off-8:]))
	space = int(binary.LittleEndian.Uint32(a[off-4:]))
	return a[off+n : off+n+used], space
}

// put writes value with its length at the offset at, and returns the number of bytes written.
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

// setUsed sets the number of bytes that the values of a block use.
func (t *table) setUsed(off, n int) { binary.LittleEndian.PutUint32(t.buf.arena[off-8:], uint32(n)) }

// append adds value to the block at off, whose values start at vals. If necessary, it first
// combines the values or moves the block. It returns the block's new offset.
func (t *table) append(off, vals, part int, key, value []byte) (moved int, ok bool, err error) {
	a := t.buf.arena
	used := int(binary.LittleEndian.Uint32(a[off-8:]))
	space := int(binary.LittleEndian.Uint32(a[off-4:]))
	need := uvarintLen(uint64(len(value))) + len(value)
	if t.inPlace != nil && used == need {
		if n, acc := firstValue(a[vals : vals+used]); n == used && t.inPlace(acc, value) {
			if len(value) == t.width {
				t.remember(part, key, vals+1)
			}
			t.records++
			return off, true, nil
		}
	}
	t.forget(part, key)
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

// widen makes room for need more bytes of values in the block at off. It combines the values or
// moves the block.
func (t *table) widen(off, need int) (int, bool, error) {
	vals, space := t.values(off)
	key := t.buf.keyAt(uint32(off))
	if space >= foldSpace {
		folded, err := t.fold.run(key, vals)
		if err != nil {
			return off, false, err
		}
		// If combining does not shrink the values, the block keeps them unchanged. They are
		// combined again in spills and merges.
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
		// Filling the block completely is better than spilling.
		return off, len(vals)+need <= space, nil
	}
	n := recordSize(len(key), 0)
	copy(t.buf.arena[moved+n:], vals)
	t.setUsed(moved, len(vals))
	binary.LittleEndian.PutUint32(t.buf.arena[off-blockHead:], deadBlock)
	return moved, true, nil
}

// sort sorts the blocks by partition and key.
func (t *table) sort(cmp mapreduce.Comparator) *sorted {
	t.settleHot()
	b := t.buf
	for end := 0; end < b.used; {
		head := b.arena[end:]
		off := end + blockHead
		key, _, size := parseRecord(b.arena[off:])
		if part := binary.LittleEndian.Uint32(head); part != deadBlock {
			b.n++
			b.metas[len(b.metas)-b.n] = meta{cmp.Prefix(key), uint32(off), part}
			b.counts[part]++
		}
		end = off + size + int(binary.LittleEndian.Uint32(head[8:]))
	}
	return b.sort(cmp)
}

func (t *table) reset() {
	clear(t.slots)
	if t.hot != nil {
		clear(t.hot[:])
	}
	t.roomy = false
	t.n, t.records, t.hits = 0, 0, 0
	t.buf.reset()
}

// spillTable writes the table's keys with their combined values to a spill and empties the table.
// If keys rarely repeat, it also makes the collector use the plain buffer from then on.
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
			if n, _ := firstValue(vals); n < len(vals) {
				var err error
				if vals, err = t.fold.run(key, vals); err != nil {
					return err
				}
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
	// If keys rarely repeat, the plain buffer is faster.
	rare := int64(t.n)*2 > t.records
	t.reset()
	if rare {
		c.table = nil
	}
	return nil
}
