// Package estimate predicts when jobs end, by the bounds of ARIA (SIM section V-A): a job is a profile of its phases'
// durations, and n tasks of mean a and greatest m that k slots work off take between n*a/k and (n-1)*a/k + m.
//
// Profiles come from the user, from the history of an earlier job, or from a Learner that measures jobs while they run.
package estimate

// Key gives the profile of a job in a job's configuration, in the form of Profile.String. The JobTracker sets it at submission
// from the history of the same user's job of the same name unless the user has set it.
const Key = "howdah.job.profile"

// Phase sums up the durations of one phase's tasks, in milliseconds.
type Phase struct{ Avg, Max float64 }

// Profile is what is known of a job's phases. A phase that a job does not have, or of which nothing is known, is zero.
type Profile struct {
	Map     Phase
	First   Phase // first shuffle: the part that does not overlap with maps
	Typical Phase // shuffle of later waves
	Reduce  Phase // after the sort
}

// IsZero reports whether nothing is known.
func (p Profile) IsZero() bool { return p == Profile{} }

// Complete fills in what no task could show: a job whose reduces all ran in one wave has no typical shuffle, and one whose
// reduces all began after its maps has no first one. Each stands for the other.
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

// Guess fills in reduces of which nothing is known: they are taken to be as long as maps.
func (p Profile) Guess() Profile {
	if p.First == (Phase{}) && p.Typical == (Phase{}) && p.Reduce == (Phase{}) {
		p.Reduce = p.Map
	}
	return p
}

// Covers reports whether the profile says something of every kind of task that the job has.
func (p Profile) Covers(tasks [2]int32) bool {
	none := Phase{}
	return (tasks[0] == 0 || p.Map != none) && (tasks[1] == 0 || p.Reduce != none || p.First != none || p.Typical != none)
}

// Bound chooses an estimate.
type Bound uint8

// The estimates of SIM section V-A.
const (
	Average Bound = iota // (Low + Up) / 2
	Low
	Up
)

// ParseBound reads a bound's name; ok is false for any other text.
func ParseBound(s string) (b Bound, ok bool) {
	for b := Average; b <= Up; b++ {
		if b.String() == s {
			return b, true
		}
	}
	return Average, false
}

// String gives average, low or up.
func (b Bound) String() string {
	switch b {
	case Low:
		return "low"
	case Up:
		return "up"
	}
	return "average"
}
