// Package skip finds the records that make a task fail, so that later attempts can skip them. This
// is Hadoop's skipping of bad records. If the attempts of a task keep failing, later attempts run
// in skipping mode, in which they report the records that they are processing. If such an attempt
// fails, these records are considered bad. If the job cannot afford to lose that many records,
// later attempts each test half of the range until the bad part is small enough.
//
// [State] contains the known bad records of a task and makes a [Plan] for each attempt. The package
// performs no I/O. The JobTracker's state machine and the in-process runner use it to make plans,
// and the task engine follows the plans.
package skip

import (
	"cmp"
	"math"
	"slices"

	"github.com/howdah/howdah/job"
)

// State contains the known bad records of one task. The zero value is ready to use.
type State struct {
	bad   []job.Range // sorted, disjoint
	test  job.Range   // the half that the next attempt tests; Length 0 means no test
	other job.Range   // the other half
}

// Plan lists the records that one attempt skips. It is immutable.
type Plan struct {
	Skip []job.Range // sorted, disjoint ranges of record numbers (for a reducer: group numbers), from 0
	// Test means that the attempt only tests whether it can process the records that it does not
	// skip. It produces no output, so its success does not complete the task.
	Test bool
}

// Failed records that an attempt in skipping mode failed while it was processing the records in r.
// If the attempt was a test, Failed uses the tested half instead of r. max is the maximum number of
// records that the job can afford to lose around a bad record.
func (s *State) Failed(r job.Range, max int64) {
	if s.test.Length > 0 {
		r = s.test // the attempt processed only the tested half
	}
	s.found(r, max)
}

// Passed records that a test attempt processed its records without failing, so the bad records are
// in the other half. max is the same as for Failed. If no test is in progress, Passed has no
// effect.
func (s *State) Passed(max int64) {
	if s.test.Length > 0 {
		s.found(s.other, max)
	}
}

// found handles r, a range that contains a bad record. If r has at most max records, found adds r
// to the bad ranges. Otherwise, the next attempt tests one half of r. If r is invalid, found only
// ends the current test.
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

// Plan returns the plan of the next attempt.
func (s *State) Plan() Plan {
	if s.test.Length == 0 {
		return Plan{Skip: slices.Clone(s.bad)}
	}
	end := s.test.Start + s.test.Length
	rest := add(slices.Clone(s.bad), job.Range{Start: 0, Length: s.test.Start})
	return Plan{Skip: add(rest, job.Range{Start: end, Length: math.MaxInt64 - end}), Test: true}
}

// Bad returns the number of known bad records.
func (s *State) Bad() (n int64) {
	for _, r := range s.bad {
		n += r.Length
	}
	return n
}

// add adds r to rs, a sorted list of ranges. It joins ranges that touch or overlap. It may change
// rs.
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

// Cursor iterates over the numbers of the records that a plan does not skip.
type Cursor struct {
	rest []job.Range
	next int64
}

// Cursor returns a Cursor that starts before the first record.
func (p Plan) Cursor() Cursor { return Cursor{rest: p.Skip} }

// Next returns the number of the next record that the plan does not skip. all is true if the plan
// skips all remaining records.
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
