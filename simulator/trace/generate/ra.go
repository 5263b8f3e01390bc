package generate

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/dist"
)

// Times of the shared cluster, in ms.
const (
	hour = 3_600_000
	day  = 24 * hour
)

// Availability is f(t) of a shared cluster: the share of its nodes that a transactional workload leaves for MapReduce. It has
// one period a day and is least at hour 18, as in RA Figures 1 and 2; the paper's own trace was not published. The zero value
// leaves everything.
type Availability struct {
	Mean      float64 // over a day; 0 = all of it, always
	Amplitude float64 // from the mean to the highest and to the lowest point
}

// leastHour is when the transactional workload needs most (RA section V-A).
const leastHour = 18

// Burstiness gives f(t) of a level: 0 = no transactional workload, 3 = the highest (RA Figure 8, drawn without numbers). All
// levels above 0 have the same mean, so that only the shape differs.
func Burstiness(level int) Availability {
	if level <= 0 {
		return Availability{}
	}
	return Availability{Mean: 0.5, Amplitude: 0.4 * float64(min(level, 3)) / 3}
}

// Average is the mean over a day.
func (a Availability) Average() float64 {
	if a.Mean == 0 {
		return 1
	}
	return a.Mean
}

// At gives the share at a time in ms from midnight.
func (a Availability) At(ms int64) float64 {
	if a.Mean == 0 {
		return 1
	}
	x := a.Mean - a.Amplitude*math.Cos(2*math.Pi*float64(ms-leastHour*hour)/day)
	return min(1, max(0, x))
}

// Points writes f(t) as the adaptive schedulers read it (howdah.adaptive.capacity.file).
func (a Availability) Points() string {
	const step = day / 96
	var b strings.Builder
	b.WriteString("period 24h\n")
	for t := int64(0); t <= day; t += step {
		fmt.Fprintf(&b, "%dms %.6f\n", t, a.At(t))
	}
	return b.String()
}

// Shared describes the workload of RA Table I on a shared cluster. The zero value is the paper's, at load 1.
type Shared struct {
	Nodes int     // 0 = 100, with one map slot each
	Days  int     // 0 = 7
	Load  float64 // 0 = 1
	// Task is the length of a map in ms; 0 = 387 s, which makes Table I's 15 jobs an hour a load of 1 (15 x 62 x 387 s = 100 h).
	Task float64
	// Spread is the coefficient of variation of task lengths; 0 = all alike.
	Spread float64
	// Tasks is the number of tasks of a job; nil = lognormal with mean 62 and standard deviation 15.5, Table I taken literally.
	Tasks dist.Dist
	// Deadlines lie Factor[0] to Factor[1] times the time that the job takes alone on all nodes after its submission; 0 = 1.5 to 8.
	Factor [2]float64
	F      Availability
	Seed   uint64
}

// Source gives the jobs. They come as a Poisson process whose rate makes the load relative to what f(t) leaves on average.
func (s Shared) Source() trace.Source {
	s.fill()
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

func (s *Shared) fill() {
	if s.Nodes == 0 {
		s.Nodes = 100
	}
	if s.Days == 0 {
		s.Days = 7
	}
	if s.Load == 0 {
		s.Load = 1
	}
	if s.Task == 0 {
		s.Task = 387e3
	}
	if s.Tasks == nil {
		s.Tasks = dist.LogNormalOf(62, 15.5)
	}
	if s.Factor == [2]float64{} {
		s.Factor = [2]float64{1.5, 8}
	}
}

// job draws a job whose deadline counts from its submission.
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
