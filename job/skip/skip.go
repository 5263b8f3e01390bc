// Package skip finds the records that make a task fail, so that the task can do without them: Hadoop's skipping of bad records.
// A task whose attempts keep failing runs in skipping mode: it says which records it has in hand. What an attempt had in hand
// when it failed is bad; if that is more than the job is willing to lose, further attempts try halves of it until the rest is
// small enough. The package is pure: the JobTracker's machine and the in-process runner decide by it, the task engine obeys.
package skip

import (
	"cmp"
	"math"
	"slices"

	"github.com/howdah/howdah/job"
)

// State is what is known of one task's bad records. The zero value knows nothing.
type State struct {
	bad   []job.Range // sorted, disjoint
	test  job.Range   // the half that the next attempt tries; Length 0 = none is being tried
	other job.Range   // the other half
}

// Plan tells one attempt which records to leave out. It is never changed.
type Plan struct {
	Skip []job.Range // sorted, disjoint, by number of the record (of a reducer: the group) within the task's input, from 0
	// Test: the attempt is there to find out whether what it does not skip can be processed. It has no output of its own: when it
	// gets through, that is a result and no success.
	Test bool
}

// Failed takes note of an attempt that failed in skipping mode with the records r in hand: max is how many the job is willing
// to lose around a bad one.
func (s *State) Failed(r job.Range, max int64) {
	if s.test.Length > 0 {
		r = s.test // wherever it failed, that is all that it tried
	}
	s.found(r, max)
}

// Passed takes note of a test attempt that got through: the bad records are in the other half.
func (s *State) Passed(max int64) {
	if s.test.Length > 0 {
		s.found(s.other, max)
	}
}

// found adds a range that is bad, or begins to divide it.
func (s *State) found(r job.Range, max int64) {
	s.test, s.other = job.Range{}, job.Range{}
	switch {
	case r.Start < 0 || r.Length <= 0 || r.Start > math.MaxInt64-r.Length:
	case r.Length <= max:
		s.bad = add(s.bad, r)
	default:
		half := r.Length / 2
		s.test = job.Range{Start: r.Start, Length: half}
		s.other = job.Range{Start: r.Start + half, Length: r.Length - half}
	}
}

// Plan tells the next attempt what to do.
func (s *State) Plan() Plan {
	if s.test.Length == 0 {
		return Plan{Skip: slices.Clone(s.bad)}
	}
	end := s.test.Start + s.test.Length
	rest := add(slices.Clone(s.bad), job.Range{Start: 0, Length: s.test.Start})
	return Plan{Skip: add(rest, job.Range{Start: end, Length: math.MaxInt64 - end}), Test: true}
}

// Bad gives the number of records that are to be left out so far.
func (s *State) Bad() (n int64) {
	for _, r := range s.bad {
		n += r.Length
	}
	return n
}

// add puts a range among others and joins those that touch.
func add(rs []job.Range, r job.Range) []job.Range {
	if r.Length <= 0 {
		return rs
	}
	rs = append(rs, r)
	slices.SortFunc(rs, func(a, b job.Range) int { return cmp.Compare(a.Start, b.Start) })
	out := rs[:1]
	for _, x := range rs[1:] {
		last := &out[len(out)-1]
		if x.Start > last.Start+last.Length {
			out = append(out, x)
			continue
		}
		last.Length = max(last.Length, x.Start+x.Length-last.Start)
	}
	return out
}

// Cursor walks over the numbers of records that a plan does not skip.
type Cursor struct {
	rest []job.Range
	next int64
}

// Cursor begins before the first one.
func (p Plan) Cursor() Cursor { return Cursor{rest: p.Skip} }

// Next gives the next record that is not skipped; all is true if none comes any more.
func (c *Cursor) Next() (record int64, all bool) {
	for len(c.rest) > 0 && c.next >= c.rest[0].Start {
		c.next = max(c.next, c.rest[0].Start+c.rest[0].Length)
		c.rest = c.rest[1:]
	}
	if c.next == math.MaxInt64 {
		return 0, true
	}
	c.next++
	return c.next - 1, false
}
