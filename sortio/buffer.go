package sortio

import (
	"sync"
	"unsafe"
)

// meta stands for a record while it is sorted.
type meta struct {
	prefix uint64
	off    uint32 // of the record in the arena; records that came later lie higher
	part   uint32
}

const metaSize = 16

// buffer holds records and their metas in one stretch of memory: records grow from the bottom, metas from the top. As
// much as the metas take stays free between the two: sorting needs it. So the size is the whole truth about memory, and
// pages that were never written cost nothing.
type buffer struct {
	words  *[]uint64
	arena  []byte
	metas  []meta // the same memory
	used   int    // bytes of records
	n      int    // records
	limit  int    // bytes that may be used before a spill
	counts []int  // records of each partition

	touched byte // of no meaning, see touch
}

// maxBuffer keeps offsets within 32 bits.
const maxBuffer = 4<<30 - 64

// spare keeps the memory of collectors that are done, for the next task of the process: it need not be zeroed again.
var spare sync.Pool

func newBuffer(size int64, spillPercent float64, partitions int) *buffer {
	n := int(size / 8 &^ 1)
	words, _ := spare.Get().(*[]uint64)
	if words == nil || len(*words) != n {
		fresh := make([]uint64, n)
		words = &fresh
	}
	base := unsafe.Pointer(unsafe.SliceData(*words))
	b := &buffer{
		words: words,
		// One allocation without pointers, seen in two ways; 8 bytes is the alignment of a meta.
		arena:  unsafe.Slice((*byte)(base), n*8),
		metas:  unsafe.Slice((*meta)(base), n*8/metaSize),
		counts: make([]int, partitions),
	}
	b.limit = int(float64(len(b.arena)) * spillPercent)
	return b
}

// free gives the memory back; nothing fits into the buffer any more.
func (b *buffer) free() {
	if b.words != nil {
		spare.Put(b.words)
	}
	*b = buffer{}
}

// add stores a record; false if it does not fit.
func (b *buffer) add(part int, prefix uint64, key, value []byte) bool {
	size := recordSize(len(key), len(value))
	if b.used+size+2*metaSize*(b.n+1) > b.limit {
		return false
	}
	b.n++
	b.metas[len(b.metas)-b.n] = meta{prefix, uint32(b.used), uint32(part)}
	b.counts[part]++
	b.used += putRecord(b.arena[b.used:], key, value)
	return true
}

// ahead is how many records are touched at once. A power of two.
const ahead = 32

// touch is called before the i-th record is used, for every i. It loads the first bytes of a batch of records into the
// cache. Sorted records lie all over the arena; a processor that meets them one by one waits for each, while a tight loop
// lets it wait for many at the same time.
func (b *buffer) touch(metas []meta, i int) {
	if i%ahead == 0 {
		sum := byte(0)
		for _, m := range metas[i:min(i+ahead, len(metas))] {
			sum += b.arena[m.off]
		}
		b.touched = sum
	}
}

// reset forgets all records.
func (b *buffer) reset() {
	b.used, b.n = 0, 0
	clear(b.counts)
}

func (b *buffer) keyAt(off uint32) []byte {
	key, _, _ := parseRecord(b.arena[off:])
	return key
}

// sorted is a buffer's content in order.
type sorted struct {
	buf    *buffer
	metas  []meta
	bounds []int // partition p is metas[bounds[p]:bounds[p+1]]
}

func (s *sorted) part(p int) []meta { return s.metas[s.bounds[p]:s.bounds[p+1]] }

// memRun is a cursor over one partition of a sorted buffer.
type memRun struct {
	buf        *buffer
	metas      []meta
	i          int
	runTag     uint32
	curK, curV []byte
}

func (r *memRun) open(s *sorted, part int, tag uint32) {
	*r = memRun{buf: s.buf, metas: s.part(part), runTag: tag}
}

func (r *memRun) next() (bool, error) {
	if r.i == len(r.metas) {
		return false, nil
	}
	r.buf.touch(r.metas, r.i)
	r.curK, r.curV, _ = parseRecord(r.buf.arena[r.metas[r.i].off:])
	r.i++
	return true, nil
}

func (r *memRun) key() []byte            { return r.curK }
func (r *memRun) tag() uint32            { return r.runTag }
func (r *memRun) value() ([]byte, error) { return r.curV, nil }
