package sortio

import (
	"iter"

	"github.com/howdah/howdah/mapreduce"
)

// Groups splits a sorted sequence of records into groups of equal keys. Because values are
// streamed, a group of any size needs the memory of only one record. There are no allocations per
// record or group. Groups is not safe for concurrent use.
//
//	for g.Next() {
//		err := reducer.Reduce(c, g.Key(), g.Values(), out)
//		…
//	}
//	return g.Err()
//
// After an error, the values of the current group end early, so check Err before using a group's
// result.
type Groups struct {
	m     *Merger
	group mapreduce.Comparator
	exact bool // the grouping comparator is also the sort comparator
	onKey func(key []byte)

	first  []byte // first key of the group
	prefix uint64
	fresh  bool // the merger's current record belongs to the group and has not yet been delivered
	ended  bool // the group has no more records
	any    bool // at least one group has been returned
	values iter.Seq[[]byte]

	groups, records int64
}

// NewGroups returns a Groups that splits the records of m. Consecutive records form a group if
// group compares their keys as equal. If group is nil, m's sort order is used instead. If onKey is
// not nil, it receives the key of each record before the record's value. The key is valid until the
// next value.
func NewGroups(m *Merger, group mapreduce.Comparator, onKey func(key []byte)) *Groups {
	g := &Groups{m: m, group: group, onKey: onKey, exact: group == nil}
	if g.exact {
		g.group = m.cmp
	}
	g.values = g.each
	return g
}

// restart prepares g for the records of new runs, with which the merger has been restarted.
func (g *Groups) restart() { g.any, g.fresh, g.ended = false, false, false }

// Next moves to the next group and skips unread values of the current group. It returns false at
// the end or after an error.
func (g *Groups) Next() bool {
	if !g.any {
		g.any = true
		if !g.m.Next() {
			return false
		}
	} else {
		for !g.ended {
			g.step()
		}
	}
	if g.m.done || g.m.err != nil {
		return false
	}
	g.groups++
	g.records++
	g.fresh, g.ended = true, false
	key := g.m.Key()
	if cap(g.first) > maxFrame {
		g.first = nil // the memory of a kept key, which must not change
	}
	if len(key) > maxFrame {
		g.m.cur.keepKey()
		g.first = key
	} else {
		g.first = append(g.first[:0], key...)
	}
	g.prefix = g.m.Prefix()
	return true
}

// step moves to the next record. If there is none or it belongs to a different group, step sets
// ended.
func (g *Groups) step() {
	if !g.m.Next() || !g.same() {
		g.ended = true
		return
	}
	g.records++
}

func (g *Groups) same() bool {
	if g.exact && g.m.Prefix() != g.prefix {
		return false
	}
	return g.group.Compare(g.first, g.m.Key()) == 0
}

// Key returns the group's first key. It is valid until Next.
func (g *Groups) Key() []byte { return g.first }

// Values returns an iterator over the group's values, which callers may use only once. Each value
// is valid until the next value.
func (g *Groups) Values() iter.Seq[[]byte] { return g.values }

func (g *Groups) each(yield func([]byte) bool) {
	for !g.ended {
		if !g.fresh {
			if g.step(); g.ended {
				return
			}
		}
		g.fresh = false
		v, err := g.m.Value()
		if err != nil {
			return
		}
		if g.onKey != nil {
			g.onKey(g.m.Key())
		}
		if !yield(v) {
			return
		}
	}
}

// Err returns the error that ended the sequence early, if any.
func (g *Groups) Err() error { return g.m.err }

// Groups returns the number of groups read so far, and Records returns the number of records.
func (g *Groups) Groups() int64  { return g.groups }
func (g *Groups) Records() int64 { return g.records }
