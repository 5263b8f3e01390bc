package generate

import (
	"fmt"
	"math/rand/v2"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/simulator/trace/dist"
)

// Limits of a workload.
const (
	maxTasks = 5e6  // tasks of one kind in a job
	longest  = 1e12 // ms per task; about 31 years
	latest   = 1e15 // ms from the start of the workload to a submission
)

// watch records the first number above a limit. The job source then returns an error, so that it
// does not silently truncate numbers.
type watch struct{ err error }

func (w *watch) see(what string, x, most float64) float64 {
	if !(x <= most) && w.err == nil {
		w.err = failure.New(failure.Usage, "generate", what,
			fmt.Errorf("%.4g exceeds the limit of a trace, %.0f", x, most))
	}
	return min(x, most)
}

// on returns a distribution that draws from d and records in w the first value above most. what
// describes the values in the error.
func (w *watch) on(d dist.Dist, what string, most float64) dist.Dist {
	return watched{d, w, what, most}
}

func (w *watch) submission(now float64) int64 { return int64(w.see("submission in ms", now, latest)) }

type watched struct {
	dist.Dist
	by   *watch
	what string
	most float64
}

func (d watched) Draw(r *rand.Rand) float64 { return d.by.see(d.what, d.Dist.Draw(r), d.most) }
