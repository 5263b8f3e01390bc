package sortio

import (
	"iter"

	"github.com/howdah/howdah/mapreduce"
)

// Groups cuts a sorted sequence of records into groups of equal keys. Values stream: a group of any size needs the memory
// of one record. Nothing is allocated per record or group. It is used by one goroutine.
//
//	for g.Next() {
//		err := reducer.Reduce(c, g.Key(), g.Values(), out)
//		…
//	}
//	return g.Err()
//
// After an error the values of the current group end early; so Err must be asked before a group's result counts.
type Groups struct {
	m     *Merger
	group mapreduce.Comparator
	exact bool // groups are cut by the comparator that sorted
	onKey func(key []byte)

	first  []byte // first key of the group
	prefix uint64
	fresh  bool // the merger stands at a record of the group that was not delivered
	ended  bool // of the group
	any    bool // there was a group
	values iter.Seq[[]byte]

	groups, records int64
}

// NewGroups groups the records of m by group; nil groups by the order that m sorts in. onKey, if not nil, is called with
// the key of each record before its value is delivered; the key is valid until the next value.
func NewGroups(m *Merger, group mapreduce.Comparator, onKey func(key []byte)) *Groups {
	g := &Groups{m: m, group: group, onKey: onKey, exact: group == nil}
	if g.exact {
		g.group = m.cmp
	}
	g.values = g.each
	return g
}

// restart begins with new runs of the same merger.
func (g *Groups) restart() { g.any, g.fresh, g.ended = false, false, false }

// Next goes to the next group and skips what was left unread of the current one.
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
	if len(key) > max(cap(g.first), smallKey) {
		g.first = nil // so that it can go before the new one comes
	}
	g.first = append(g.first[:0], key...)
	g.prefix = g.m.Prefix()
	return true
}

// step goes to the next record; ended is set if it belongs to another group.
func (g *Groups) step() {
	if !g.m.Next() || !g.same() {
		g.ended = true
		return
	}
	g.records++
	g.fresh = true
}

func (g *Groups) same() bool {
	if g.exact && g.m.Prefix() != g.prefix {
		return false
	}
	return g.group.Compare(g.first, g.m.Key()) == 0
}

// Key gives the group's first key, valid until Next.
func (g *Groups) Key() []byte { return g.first }

// Values gives the group's values. It can be ranged over once; each value is valid until the next one.
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
			g.ended = true
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

// Err gives the error that ended the sequence early, if any.
func (g *Groups) Err() error { return g.m.err }

// Groups and Records count what was gone through so far.
func (g *Groups) Groups() int64  { return g.groups }
func (g *Groups) Records() int64 { return g.records }
