package faw

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/stat"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/mrcluster"
)

// faw4RealCore is the core size of the MR-cluster on real nodes. The MR-cluster grows node by node
// to the whole site.
const faw4RealCore = 2

var faw4RealWork = []Work{SortWork, CountWork}

// faw4Real grows an MR-cluster by transient and by transient-core nodes, and runs the jobs at each
// size.
func faw4Real(ctx context.Context, r *lab.Run) error {
	r.Knob("MR-cluster", fmt.Sprintf("%d core nodes that store all input, and 0 to %d other nodes that join before a "+
		"job starts",
		faw4RealCore, SiteNodes-faw4RealCore))
	r.Knob("speedup", "relative to the mean of both times at +0, which were measured on the same nodes, or for Pi, "+
		"to its time at +0")
	WorkKnobs(r, faw4RealWork...)
	return OnSite(ctx, r, 4000, func(s *Site) error {
		times := map[mrcluster.Kind][][]float64{}
		for _, kind := range []mrcluster.Kind{mrcluster.Transient, mrcluster.TransientCore} {
			var err error
			if times[kind], err = growing(ctx, s, kind, faw4RealWork); err != nil {
				return err
			}
		}
		if faw4Show(r, times[mrcluster.Transient], times[mrcluster.TransientCore]) {
			return nil
		}
		return withoutInput(ctx, r, s)
	})
}

// growing returns the times in s by job and number of other nodes. It always creates the input of
// faw4RealWork, because an MR-cluster without data does not grow.
func growing(ctx context.Context, s *Site, kind mrcluster.Kind, work []Work) ([][]float64, error) {
	if err := s.Begin(ctx, faw4RealCore, kind); err != nil {
		return nil, err
	}
	if err := s.Prepare(ctx, faw4RealWork...); err != nil {
		return nil, err
	}
	times := make([][]float64, len(work))
	for n := range SiteNodes - faw4RealCore + 1 {
		if err := s.Others(ctx, n); err != nil {
			return nil, err
		}
		for i, w := range work {
			t, err := s.Measure(ctx, w)
			if err != nil {
				return nil, err
			}
			times[i] = append(times[i], t)
		}
	}
	return times, s.End(ctx)
}

// withoutInput isolates the cause if a relation does not hold. It runs a job without input. Unlike
// other jobs, this job does not use the links of the core nodes, which store all input.
func withoutInput(ctx context.Context, r *lab.Run, s *Site) error {
	times, err := growing(ctx, s, mrcluster.TransientCore, []Work{PiWork})
	if err != nil {
		return err
	}
	WorkKnobs(r, PiWork)
	pi := over(times[0][0], times[0])
	r2, _ := pi.fit()
	last := len(pi.nodes) - 1
	r.Note("Pi reads nothing from the core nodes, so their disks do not limit it. "+
		"Its speedup with TC has R2 = %.3f and is %.2f at +%d.", r2, pi.speedup[last], last)
	return nil
}

// line contains a job's speedup for each number of additional nodes.
type line struct{ nodes, speedup []float64 }

// over returns the line whose speedup is alone/times[n] for n additional nodes.
func over(alone float64, times []float64) (l line) {
	for n, t := range times {
		l.nodes, l.speedup = append(l.nodes, float64(n)), append(l.speedup, alone/t)
	}
	return l
}

// fit returns the R2 of the line's linear fit, and its slope.
func (l line) fit() (r2, slope float64) {
	alpha, slope := stat.LinearRegression(l.nodes, l.speedup, nil, false)
	return stat.RSquared(l.nodes, l.speedup, nil, alpha, slope), slope
}

// faw4Show evaluates the relations and adds tables of speedups and times by job and number of other
// nodes, and a plot for each job. It reports whether all relations hold.
func faw4Show(r *lab.Run, transient, storing [][]float64) bool {
	held := true
	head := []string{"application", "added nodes"}
	for n := range SiteNodes - faw4RealCore + 1 {
		head = append(head, fmt.Sprintf("+%d", n))
	}
	var seconds, ratios [][]string
	for i, w := range faw4RealWork {
		alone := (transient[i][0] + storing[i][0]) / 2 // both values are for the same nodes
		tr, tc := over(alone, transient[i]), over(alone, storing[i])
		r2, slope := tc.fit()
		last := len(tc.nodes) - 1
		seconds = append(seconds, row(w.Name, "TC", storing[i]), row(w.Name, "TR", transient[i]))
		ratios = append(ratios, row(w.Name, "TC", tc.speedup), row(w.Name, "TR", tr.speedup))
		r.AddPlot(lab.Plot{Name: "speedups-" + w.Name,
			Title: fmt.Sprintf("%s: speedup over %d core nodes", w.Name, faw4RealCore),
			X:     "other nodes", Y: "speedup", Kind: lab.Lines, Nested: true,
			Series: []lab.Series{{Name: "TC", X: tc.nodes, Y: tc.speedup}, {Name: "TR", X: tr.nodes, Y: tr.speedup}}})
		held = r.Compare("linear-"+w.Name, r.Value(r2), "slope %.2f for each node", slope) && held
		held = r.Compare("gain-"+w.Name, r.Value(tc.speedup[last]), "at +%d", last) && held
		if w.Name == SortWork.Name {
			held = r.Compare("sort", r.Value(tc.speedup[last]-tr.speedup[last]), "TC %.2f, TR %.2f at +%d", tc.speedup[last],
				tr.speedup[last], last) && held
		}
	}
	r.AddTable("speedups", head, ratios)
	r.AddTable("times", append([]string{"time (s) of", "added nodes"}, head[2:]...), seconds)
	return held
}
