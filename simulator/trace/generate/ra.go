package generate

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/dist"
)

// Units of time, in ms.
const (
	hour = 3_600_000
	day  = 24 * hour
)

// Availability is the curve f(t) of a shared cluster. f(t) is the share of the cluster's nodes that
// a transactional workload leaves to MapReduce at time t. The curve has a period of one day and a
// minimum at hour 18, as in RA Figures 1 and 2. The paper's own trace was not published. The zero
// value leaves all nodes to MapReduce.
type Availability struct {
	Mean      float64 // mean over a day; 0 means all nodes at all times
	Amplitude float64 // distance from the mean to the maximum and minimum
	// Ramp is the time in hours, at most 12, that f(t) takes to fall from its maximum to its minimum
	// and to rise again. Between these ramps, f(t) is constant. 0 means that f(t) is a cosine, which
	// takes 12 h.
	Ramp float64
}

// leastHour is the hour of the transactional workload's peak (RA section V-A).
const leastHour = 18

// Burstiness returns the curve f(t) for the given level of burstiness. Level 0 means no
// transactional workload, and level 3 is the highest (RA Figure 8, drawn without numbers). All
// levels above 0 have the same mean, so only their shapes differ.
func Burstiness(level int) Availability {
	if level <= 0 {
		return Availability{}
	}
	return Availability{Mean: 0.5, Amplitude: 0.4 * float64(min(level, 3)) / 3}
}

// Average returns the mean of f(t) over a day.
func (a Availability) Average() float64 {
	if a.Mean == 0 {
		return 1
	}
	return a.Mean
}

// At returns f(t) for a time in ms since midnight.
func (a Availability) At(ms int64) float64 {
	if a.Mean == 0 {
		return 1
	}
	return min(1, max(0, a.Mean-a.Amplitude*a.demand(ms-leastHour*hour)))
}

// demand returns the demand of the transactional workload, from -1 to 1. ms is the time since the
// workload's peak.
func (a Availability) demand(ms int64) float64 {
	if a.Ramp == 0 {
		return math.Cos(2 * math.Pi * float64(ms) / day)
	}
	const noon = day / 2
	fromPeak := math.Abs(float64((ms%day+day+noon)%day - noon)) // 0 to 12 h
	return min(1, max(-1, (noon/2-fromPeak)/(a.Ramp*hour/2)))
}

// Points returns f(t) in the format of the adaptive schedulers (howdah.adaptive.capacity.file).
func (a Availability) Points() string {
	const step = day / 96
	var b strings.Builder
	b.WriteString("period 24h\n")
	for t := int64(0); t <= day; t += step {
		fmt.Fprintf(&b, "%dms %.6f\n", t, a.At(t))
	}
	return b.String()
}

// Shared describes the workload of RA Table I on a shared cluster. The zero value is the paper's
// workload at load 1.
type Shared struct {
	Nodes int     // number of nodes, with one map slot each; 0 means 100
	Days  int     // 0 means 7
	Load  float64 // 0 means 1
	// Task is the duration of a map in ms; 0 means 387 s. With that duration, the 15 jobs per hour
	// of Table I are a load of 1 (15 x 62 x 387 s = 100 h).
	Task float64
	// Spread is the coefficient of variation of task durations; 0 means that they are all equal.
	Spread float64
	// Tasks is the distribution of a job's number of tasks. If Tasks is nil, it is lognormal with
	// mean 62 and standard deviation 15.5, the literal reading of Table I.
	Tasks dist.Dist
	// Factor is the range of a random factor; 0 means 1.5 to 8. A job's deadline is its submission
	// plus this factor times the job's duration alone on all nodes.
	Factor [2]float64
	F      Availability
	Seed   uint64
}

// Source returns the jobs. They arrive as a Poisson process whose rate produces the load relative
// to the average of f(t).
func (s Shared) Source() trace.Source {
	s = s.WithDefaults()
	gap := s.Task * s.Tasks.Mean() / (float64(s.Nodes) * s.Load * s.F.Average())
	r, arrivals, now, n := Stream(s.Seed, "arrivals", 0), Poisson(gap), 0.0, 0
	return source(func() (*trace.Job, error) {
		if now = arrivals.Next(now, r); now >= float64(s.Days)*day {
			return nil, io.EOF
		}
		j := s.job(Stream(s.Seed, "shared", n))
		place(j, n, int64(now))
		j.Deadline += j.Submit
		n++
		return j, nil
	})
}

// WithDefaults returns the workload with zero fields set to the paper's values.
func (s Shared) WithDefaults() Shared {
	s.Nodes = cmp.Or(s.Nodes, 100)
	s.Days = cmp.Or(s.Days, 7)
	s.Load = cmp.Or(s.Load, 1)
	s.Task = cmp.Or(s.Task, 387e3)
	if s.Tasks == nil {
		s.Tasks = dist.LogNormalOf(62, 15.5)
	}
	if s.Factor == [2]float64{} {
		s.Factor = [2]float64{1.5, 8}
	}
	return s
}

// job draws a job. Its deadline is relative to its submission.
func (s *Shared) job(r *rand.Rand) *trace.Job {
	n := max(1, int(math.Round(s.Tasks.Draw(r))))
	a := Application{Name: "shared", Map: dist.Constant(s.Task)}
	if s.Spread > 0 {
		a.Map = dist.LogNormalOf(s.Task, s.Spread*s.Task)
	}
	j := a.Job(n, 0, 0, r)
	waves := math.Ceil(float64(n) / float64(s.Nodes))
	factor := dist.Uniform{Low: s.Factor[0], High: s.Factor[1]}.Draw(r)
	j.Deadline = int64(factor * waves * s.Task)
	return j
}
