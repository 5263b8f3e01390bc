package sortio

import (
	"io"
	"math"

	"github.com/howdah/howdah/mapreduce"
)

// cursor walks through the records of one sorted run.
type cursor interface {
	// next goes to the next record; false at the end.
	next() (bool, error)
	// key and tag belong to the current record. The key is valid until next.
	key() []byte
	tag() uint32
	// value gives the current record's value, valid until next.
	value() ([]byte, error)
}

// Merger merges sorted runs into one sequence, ordered by key, then tag, then number of the run; records of one run keep
// their order. It is a tree of losers: a step costs one comparison a level, most of them of prefixes only. It is used by
// one goroutine.
type Merger struct {
	cmp     mapreduce.Comparator
	heads   []head
	tree    []int32 // tree[0] is the winner, the others the losers of their matches
	cur     *head   // the current record's run; nil before the first Next
	done    bool
	err     error
	closers []io.Closer
}

// head is the record that a run stands at.
type head struct {
	prefix uint64
	key    []byte
	tag    uint32
	ended  bool
	cursor
}

// NewMerger merges segments. maxRecord bounds key and value of a record; 0 = 2 GiB. The segments' sources must stay open
// until Close, which closes closers. Runs with equal tags count as older the earlier they are listed.
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

// start begins with new runs. Memory of earlier ones is reused.
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

// replay plays the matches from a leaf to the root. While the tree is being built a run waits where nobody lost yet.
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
		return !a.ended || b.ended && i < j
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

// Next goes to the next record; false at the end and after an error.
func (m *Merger) Next() bool {
	if m.done || m.err != nil {
		return false
	}
	if m.cur != nil {
		m.advance(m.cur)
		if len(m.heads) > 1 {
			m.replay(m.tree[0])
		}
	}
	m.cur = &m.heads[m.tree[0]]
	if m.cur.ended || m.err != nil {
		m.done = true
		return false
	}
	return true
}

// Key gives the current record's key, valid until Next.
func (m *Merger) Key() []byte { return m.cur.key }

// Prefix gives the comparator's prefix of the current key.
func (m *Merger) Prefix() uint64 { return m.cur.prefix }

// Tag gives the current record's tag: the index of the map that it came from.
func (m *Merger) Tag() uint32 { return m.cur.tag }

// Value gives the current record's value, valid until Next. It is read here if it is large, so there may be an error.
func (m *Merger) Value() ([]byte, error) {
	v, err := m.cur.value()
	if err != nil && m.err == nil {
		m.err = err
	}
	return v, err
}

// Err gives the first error.
func (m *Merger) Err() error { return m.err }

// Close closes what the runs are read from.
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
