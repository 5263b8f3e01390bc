package sortio

import (
	"sync"
	"unsafe"

	"github.com/howdah/howdah/internal/heap"
)

// meta represents a record during the sort.
type meta struct {
	prefix uint64
	off    uint32 // offset of the record in the arena; later records have higher offsets
	part   uint32
}

const metaSize = 16

// buffer holds records and their metas in one block of memory. Records grow from the bottom, and
// metas grow from the top. Sorting needs as much free memory between the two as the metas use. The
// block's size is therefore the total memory usage. Pages that are never written use no physical
// memory.
type buffer struct {
	words  *[]uint64
	arena  []byte
	metas  []meta // the same memory
	used   int    // bytes of records
	n      int    // records
	limit  int    // number of bytes that may be used before a spill
	alone  int    // a record with more bytes becomes its own spill
	counts []int  // number of records in each partition

	touched byte // unused result of touch
}

// minAlone is the size in bytes that a record must exceed to become its own spill although the
// buffer could hold it. A copy in the buffer would cost memory, and spills nothing less.
const minAlone = 16 << 20

// maxBuffer is the maximum size of a buffer. It keeps offsets within 32 bits.
const maxBuffer = 4<<30 - 64

// spare holds the memory of finished collectors for the process's next task, to avoid zeroing new
// memory.
var spare sync.Pool

func newBuffer(size int64, spillPercent float64, partitions int) *buffer {
	n := int(size / 8 &^ 1)
	words, _ := spare.Get().(*[]uint64)
	if words == nil || len(*words) != n {
		// A large allocation starts a collection immediately. At this point, the process has hardly
		// any garbage. Without the delay, the next collection would occur at twice the size.
		heap.Delay(2 * size)
		fresh := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(heap.Untouched(8*n)))), n)
		words = &fresh
	}
	base := unsafe.Pointer(unsafe.SliceData(*words))
	b := &buffer{
		words: words,
		// This is one allocation without pointers, viewed as two types. The alignment of a meta is
		// 8 bytes.
		arena:  unsafe.Slice((*byte)(base), n*8),
		metas:  unsafe.Slice((*meta)(base), n*8/metaSize),
		counts: make([]int, partitions),
	}
	b.limit = int(float64(len(b.arena)) * spillPercent)
	b.alone = max(b.limit/2, minAlone)
	return b
}

// free releases the memory. After that, the buffer has no room for records.
func (b *buffer) free() {
	if b.words != nil {
		spare.Put(b.words)
	}
	*b = buffer{}
}

// add stores a record. It returns false if the record does not fit.
func (b *buffer) add(part int, prefix uint64, key, value []byte) bool {
	size := recordSize(len(key), len(value))
	if b.used+size+2*metaSize*(b.n+1) > b.limit || size > b.alone {
		return false
	}
	b.n++
	b.metas[len(b.metas)-b.n] = meta{prefix, uint32(b.used), uint32(part)}
	b.counts[part]++
	b.used += putRecord(b.arena[b.used:], key, value)
	return true
}

// ahead is the number of records that touch loads in a batch.
const ahead = 32

// touch loads the first bytes of a batch of records into the cache. Call it for every i before
// using the i-th record. Sorted records are scattered over the arena, so a processor that accesses
// them one by one would wait for each. In a tight loop, it waits for many at the same time.
func (b *buffer) touch(metas []meta, i int) {
	if i%ahead == 0 {
		sum := byte(0)
		for _, m := range metas[i:min(i+ahead, len(metas))] {
			sum += b.arena[m.off]
		}
		b.touched = sum
	}
}

// reset discards all records.
func (b *buffer) reset() {
	b.used, b.n = 0, 0
	clear(b.counts)
}

func (b *buffer) keyAt(off uint32) []byte {
	key, _, _ := parseRecord(b.arena[off:])
	return key
}

// sorted is the sorted content of a buffer.
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
func (r *memRun) keepKey()               {}
func (r *memRun) value() ([]byte, error) { return r.curV, nil }
