package ra

import (
	"fmt"
	"strings"

	"github.com/howdah/howdah/experiments/lab"
)

// Verdict counts the signs of a difference over many cells.
type Verdict struct {
	Below, Equal, Above int          // significantly below 0, not significant, significantly above 0
	Worst               lab.Interval // largest difference
	where               string
	failed              []string
}

// Add counts d, the difference in the cell whose name is where.
func (v *Verdict) Add(where string, d lab.Interval) {
	switch {
	case d.Below(0):
		v.Below++
	case d.Above(0):
		v.Above++
		v.failed = append(v.failed, fmt.Sprintf("%s: %s", where, d))
	default:
		v.Equal++
	}
	if v.where == "" || d.Mean > v.Worst.Mean {
		v.Worst, v.where = d, where
	}
}

// AtMost reports whether no confidence interval is entirely above 0.
func (v *Verdict) AtMost() bool { return v.Above == 0 }

// Less reports whether at least one cell exists and every confidence interval is entirely below 0.
func (v *Verdict) Less() bool { return v.Equal == 0 && v.Above == 0 && v.Below > 0 }

func (v *Verdict) String() string {
	s := fmt.Sprintf("%s below, %d undecided, %d above; largest %s (%s)",
		cells(v.Below), v.Equal, v.Above, v.Worst, v.where)
	if len(v.failed) > 0 {
		s += "; above: " + strings.Join(v.failed, ", ")
	}
	return s
}

func cells(n int) string {
	if n == 1 {
		return "1 cell"
	}
	return fmt.Sprintf("%d cells", n)
}

// Knobs records the choices that the paper leaves open and that the experiments share. w provides
// the settings.
func Knobs(r *lab.Run, seeds int, w Case) {
	r.Knob("task length", fmt.Sprintf("%.0f s (15 jobs/h x 62 tasks x 387 s = 100 node-hours per hour = load 1)",
		w.Workload.WithDefaults().Task/1000))
	r.Knob("tasks of a job", w.Workload.Tasks)
	r.Knob("f(t)", "mean 0.5 and minimum at hour 18; amplitude 0.133, 0.267, and 0.4 for burstiness levels 1, 2, "+
		"and 3; every minute, the simulator adjusts the number of nodes to f(t); running tasks may finish")
	r.Knob("load", "a fraction of the average capacity under f(t)")
	for _, k := range []string{"howdah.adaptive.cycle", "howdah.adaptive.late", "howdah.adaptive.whole.tasks",
		"howdah.adaptive.horizon", "howdah.adaptive.surplus"} {
		r.Knob(k, w.Settings[k])
	}
	r.Knob("seeds", seeds)
}
