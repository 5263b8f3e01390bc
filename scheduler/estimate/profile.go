// Package estimate predicts when jobs end, with the bounds of ARIA (SIM section V-A). It models a
// job as a profile of the durations of its phases. k slots process n tasks with mean duration a and
// maximum m in a time between n*a/k and (n-1)*a/k + m.
//
// Profiles come from the user, from the history of an earlier job, or from a Learner that measures
// running jobs.
package estimate

// A Phase summarizes the durations of the tasks of one phase, in milliseconds.
type Phase struct{ Avg, Max float64 }

// A Profile describes the phases of a job. A phase that is missing or unknown is zero.
type Profile struct {
	Map     Phase
	First   Phase // first shuffle, without the part that overlaps with maps
	Typical Phase // shuffle of later waves
	Reduce  Phase // after the sort
}

// IsZero reports whether all phases are unknown.
func (p Profile) IsZero() bool { return p == Profile{} }

// Complete returns p with a missing type of shuffle replaced by the other type. If all reduces ran
// in one wave, there is no typical shuffle. If all reduces started after the last map, there is no
// first shuffle.
func (p Profile) Complete() Profile {
	none := Phase{}
	if p.Typical == none {
		p.Typical = p.First
	}
	if p.First == none {
		p.First = p.Typical
	}
	return p
}

// Guess returns p with unknown reduces filled in. It assumes that they take as long as maps.
func (p Profile) Guess() Profile {
	if p.First == (Phase{}) && p.Typical == (Phase{}) && p.Reduce == (Phase{}) {
		p.Reduce = p.Map
	}
	return p
}

// Covers reports whether the profile covers every type of task that the job has.
func (p Profile) Covers(tasks [2]int32) bool {
	none := Phase{}
	return (tasks[0] == 0 || p.Map != none) && (tasks[1] == 0 || p.Reduce != none || p.First != none || p.Typical != none)
}

// A Bound selects one of the estimates of the completion time.
type Bound uint8

// The estimates of SIM section V-A.
const (
	Average Bound = iota // (Low + Up) / 2
	Low
	Up
)

// ParseBound parses the name of a bound. ok is false if there is no such bound.
func ParseBound(s string) (b Bound, ok bool) {
	for b := Average; b <= Up; b++ {
		if b.String() == s {
			return b, true
		}
	}
	return Average, false
}

// String returns the name of the bound: average, low, or up.
func (b Bound) String() string {
	switch b {
	case Low:
		return "low"
	case Up:
		return "up"
	}
	return "average"
}
