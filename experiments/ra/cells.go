package ra

import (
	"fmt"
	"strings"

	"github.com/howdah/howdah/experiments/lab"
)

// Cells contains a difference for each cell and seed.
type Cells struct {
	where  []string
	values [][]float64 // by cell and seed
}

// Add adds a cell whose name is where. Its difference is metric m of a minus that of b, paired by
// seed.
func (c *Cells) Add(where string, a, b []Outcome, m Metric) {
	c.add(where, minus(m.values(a), m.values(b)))
}

func (c *Cells) add(where string, d []float64) {
	c.where, c.values = append(c.where, where), append(c.values, d)
}

// minus returns the differences between the cells of c and those of o, which must be as many. A
// cell's name comes from c.
func (c *Cells) minus(o *Cells) *Cells {
	r := &Cells{}
	for i, d := range c.values {
		r.add(c.where[i], minus(d, o.values[i]))
	}
	return r
}

// minus returns the differences of the pairs.
func minus(a, b []float64) []float64 {
	d := make([]float64, len(a))
	for i := range d {
		d[i] = a[i] - b[i]
	}
	return d
}

func (c *Cells) intervals() (out []lab.Interval) {
	for _, d := range c.values {
		out = append(out, lab.IntervalOf(d))
	}
	return out
}

// Most returns the interval that reaches highest, and Farthest the one that reaches farthest from 0.
func (c *Cells) Most() lab.Interval     { return lab.Most(c.intervals()...) }
func (c *Cells) Farthest() lab.Interval { return lab.Farthest(0, c.intervals()...) }

// Mean returns the interval, over the seeds, of the mean over the cells.
func (c *Cells) Mean() lab.Interval {
	sum := make([]float64, len(c.values[0]))
	for _, d := range c.values {
		for i := range sum {
			sum[i] += d[i] / float64(len(c.values))
		}
	}
	return lab.IntervalOf(sum)
}

// String counts the cells whose interval is below 0, includes 0, and is above 0. It names the cell
// with the largest mean and all cells above 0.
func (c *Cells) String() string {
	var below, undecided int
	var above []string
	largest := 0
	all := c.intervals()
	for i, d := range all {
		switch {
		case d.Below(0):
			below++
		case d.Above(0):
			above = append(above, fmt.Sprintf("%s: %s", c.where[i], d))
		default:
			undecided++
		}
		if d.Mean > all[largest].Mean {
			largest = i
		}
	}
	s := fmt.Sprintf("%s below, %d undecided, %d above; largest %s (%s)", cells(below), undecided, len(above),
		all[largest], c.where[largest])
	if len(above) > 0 {
		s += "; above: " + strings.Join(above, ", ")
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
	d := w.Workload.WithDefaults()
	r.Knob("task length", fmt.Sprintf("%.0f s (15 jobs/h x 62 tasks x 387 s = 100 node-hours per hour = load 1)",
		d.Task/1000))
	r.Knob("days", fmt.Sprintf("%d (7 per 387 s of task length, so that as many jobs arrive as in Table I); the "+
		"results cover all days but the first and the last", d.Days))
	r.Knob("tasks of a job", w.Workload.Tasks)
	shape := "cosine"
	if f := d.F; f.Ramp > 0 {
		shape = fmt.Sprintf("falls in %g h, is constant for %g h, rises in %g h, and is constant again", f.Ramp,
			12-f.Ramp, f.Ramp)
	}
	r.Knob("f(t)", "mean 0.5 and minimum at hour 18; amplitude 0.133, 0.267, and 0.4 for burstiness levels 1, 2, "+
		"and 3; shape: "+shape+"; every minute, the simulator adjusts the number of nodes to f(t); running tasks may "+
		"finish")
	r.Knob("load", "a fraction of the average capacity under f(t)")
	settingKnobs(r, w)
	r.Knob("seeds", seeds)
}

// settingKnobs records the settings of the policies.
func settingKnobs(r *lab.Run, w Case) {
	for _, k := range []string{"howdah.adaptive.cycle", "howdah.adaptive.late", "howdah.adaptive.whole.tasks",
		"howdah.adaptive.horizon", "howdah.adaptive.surplus", "howdah.adaptive.average.capacity"} {
		r.Knob(k, w.Settings[k])
	}
}
