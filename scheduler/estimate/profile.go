// Package estimate predicts when jobs end, by the bounds of ARIA (SIM section V): a job is a profile of its phases' durations,
// and n tasks of mean a and greatest m on k slots take between n*a/k and (n-1)*a/k + m.
package estimate

// Key gives the profile of a job in a job's configuration, in the form of Profile.String. The JobTracker sets it at submission
// from the history of the same user's job of the same name unless the user has set it.
const Key = "howdah.job.profile"

// Phase sums up the durations of one phase's tasks, in milliseconds.
type Phase struct{ Avg, Max float64 }

// Profile is what is known of a job's phases. A phase that a job does not have is zero.
type Profile struct {
	Map     Phase
	First   Phase // first shuffle: the part that does not overlap with maps
	Typical Phase // shuffle of later waves
	Reduce  Phase // after the sort
}

// Bound chooses an estimate.
type Bound uint8

// The estimates of SIM section V-A.
const (
	Average Bound = iota // (Low + Up) / 2
	Low
	Up
)
