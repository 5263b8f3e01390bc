package sortio

import (
	"io"
	"math"

	"github.com/howdah/howdah/mapreduce"
)

// cursor iterates over the records of one sorted run.
type cursor interface {
	// next moves to the next record. It returns false at the end.
	next() (bool, error)
	// key and tag belong to the current record. The key is valid until next.
	key() []byte
	tag() uint32
	// keepKey makes the memory of the current key, which has more than maxFrame bytes, remain
	// unchanged after next.
	keepKey()
	// value returns the current record's value. It is valid until next.
	value() ([]byte, error)
}

// Merger merges sorted runs into one sequence, ordered by key, then tag, then run number. Records
// in the same run keep their order. The Merger is a loser tree, in which a step needs one
// comparison per level, and most comparisons involve only prefixes. It is not safe for concurrent
// use.
type Merger struct {
	cmp     mapreduce.Comparator
	heads   []head
	tree    []int32 // tree[0] is the winner; the other entries are the losers of their matches
	cur     *head   // run of the current record; nil before the first Next
	done    bool
	err     error
	closers []io.Closer
}

// head is the current record of a run.
type head struct {
	prefix uint64
	key    []byte
	tag    uint32
	ended  bool
	cursor
}

// NewMerger returns a merger of segments. maxRecord limits the total size of a record's key and
// value; 0 means 2 GiB. The segments' sources must stay open until Close, which closes closers.
// Among runs with equal tags, those listed earlier come first.
func NewMerger(cmp mapreduce.Comparator, segments []Segment, maxRecord int64, closers ...io.Closer) *Merger {
	m := &Merger{cmp: cmp, closers: closers}
	cursors := make([]cursor, len(segments))
	readers := make([]reader, len(segments))
	for i := range segments {
		readers[i].open(&segments[i], recordLimit(maxRecord))
		cursors[i] = &readers[i]
	}
	m.start(cursors)
	return m
}

func recordLimit(n int64) int {
	if n <= 0 || n > math.MaxInt32 {
		return math.MaxInt32
	}
	return int(n)
}

// start restarts the merger with new runs and reuses the memory of earlier runs.
func (m *Merger) start(cursors []cursor) {
	k := len(cursors)
	m.cur, m.done, m.err = nil, k == 0, nil
	if cap(m.heads) < k {
		m.heads, m.tree = make([]head, k), make([]int32, k)
	}
	m.heads, m.tree = m.heads[:k], m.tree[:k]
	for i := range m.heads {
		m.heads[i] = head{cursor: cursors[i]}
		m.advance(&m.heads[i])
	}
	for i := range m.tree {
		m.tree[i] = -1
	}
	for i := range m.heads {
		m.replay(int32(i))
	}
}

// advance moves a run to its next record.
func (m *Merger) advance(h *head) {
	ok, err := h.cursor.next()
	if err != nil {
		if m.err == nil {
			m.err = err
		}
		ok = false
	}
	if !ok {
		h.ended, h.key = true, nil
		return
	}
	h.key, h.tag = h.cursor.key(), h.cursor.tag()
	h.prefix = m.cmp.Prefix(h.key)
}

// replay plays the matches from a leaf to the root. While the tree is being built, it stores a run
// at the first node without a loser.
func (m *Merger) replay(w int32) {
	k := int32(len(m.heads))
	for n := (w + k) / 2; n > 0; n /= 2 {
		l := m.tree[n]
		if l < 0 {
			m.tree[n] = w
			return
		}
		if m.before(l, w) {
			m.tree[n], w = w, l
		}
	}
	m.tree[0] = w
}

func (m *Merger) before(i, j int32) bool {
	a, b := &m.heads[i], &m.heads[j]
	if a.ended || b.ended {
		return !a.ended
	}
	if a.prefix != b.prefix {
		return a.prefix < b.prefix
	}
	if c := m.cmp.Compare(a.key, b.key); c != 0 {
		return c < 0
	}
	if a.tag != b.tag {
		return a.tag < b.tag
	}
	return i < j
}

// Next moves to the next record. It returns false at the end or after an error.
func (m *Merger) Next() bool {
	if m.done || m.err != nil {
		return false
	}
	if m.cur != nil {
		m.advance(m.cur)
		m.replay(m.tree[0])
	}
	m.cur = &m.heads[m.tree[0]]
	if m.cur.ended || m.err != nil {
		m.done = true
		return false
	}
	return true
}

// Key returns the current record's key. It is valid until Next.
func (m *Merger) Key() []byte { return m.cur.key }

// Prefix returns the current key's prefix, as defined by the comparator.
func (m *Merger) Prefix() uint64 { return m.cur.prefix }

// Tag returns the current record's tag. In a reducer, the tag is the index of the map that emitted
// the record.
func (m *Merger) Tag() uint32 { return m.cur.tag }

// Value returns the current record's value, which is valid until Next. Value reads a large value on
// demand, so it can return a read error.
func (m *Merger) Value() ([]byte, error) {
	v, err := m.cur.value()
	if err != nil {
		m.err = err
	}
	return v, err
}

// Err returns the first error.
func (m *Merger) Err() error { return m.err }

// Close closes the sources of the runs.
func (m *Merger) Close() error {
	var first error
	for _, c := range m.closers {
		if err := c.Close(); err != nil && first == nil {
			first = err
		}
	}
	m.closers, m.done = nil, true
	return first
}
