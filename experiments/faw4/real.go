package faw4

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/stat"

	"github.com/howdah/howdah/experiments/faw"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/mrcluster"
)

// realCore is the core of the MR-cluster on real nodes, which grows node by node to all of the site.
const realCore = 2

var realWork = []faw.Work{faw.SortWork, faw.CountWork}

// real grows an MR-cluster by transient and by transient-core nodes, and runs the jobs on each size of it.
func real(ctx context.Context, r *lab.Run) error {
	r.Knob("MR-cluster", fmt.Sprintf("%d core nodes, on which all input lies, and 0 to %d others, which come before a job starts", realCore, faw.SiteNodes-realCore))
	faw.WorkKnobs(r, realWork...)
	return faw.OnSite(ctx, r, 4000, func(s *faw.Site) error {
		times := map[mrcluster.Kind][][]float64{}
		for _, kind := range []mrcluster.Kind{mrcluster.Transient, mrcluster.TransientCore} {
			var err error
			if times[kind], err = growing(ctx, s, kind, realWork); err != nil {
				return err
			}
		}
		if show(r, times[mrcluster.Transient], times[mrcluster.TransientCore]) {
			return nil
		}
		return withoutInput(ctx, r, s)
	})
}

// growing gives times by job and number of other nodes. The input is there in any case: it is its weight that brings the nodes.
func growing(ctx context.Context, s *faw.Site, kind mrcluster.Kind, work []faw.Work) ([][]float64, error) {
	if err := s.Begin(ctx, realCore, kind); err != nil {
		return nil, err
	}
	if err := s.Prepare(ctx, realWork...); err != nil {
		return nil, err
	}
	times := make([][]float64, len(work))
	for n := range faw.SiteNodes - realCore + 1 {
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

// withoutInput isolates what keeps a job from getting faster as its MR-cluster grows: one that reads nothing asks nothing of the links of the
// core nodes, on which all input lies.
func withoutInput(ctx context.Context, r *lab.Run, s *faw.Site) error {
	times, err := growing(ctx, s, mrcluster.TransientCore, []faw.Work{faw.PiWork})
	if err != nil {
		return err
	}
	faw.WorkKnobs(r, faw.PiWork)
	pi := over(times[0][0], times[0])
	r2, _ := pi.fit()
	last := len(pi.nodes) - 1
	r.NotReproduced("isolated: Pi, which reads nothing over the links of the core nodes, grows with TC by R2 = %.3f, to %.2f at +%d", r2, pi.speedup[last], last)
	return nil
}

// line is how a job's speedup grows with the number of other nodes.
type line struct{ nodes, speedup []float64 }

// over gives speedups over a time.
func over(alone float64, times []float64) (l line) {
	for n, t := range times {
		l.nodes, l.speedup = append(l.nodes, float64(n)), append(l.speedup, alone/t)
	}
	return l
}

// fit tells how near it is to a straight line, and its slope.
func (l line) fit() (r2, slope float64) {
	alpha, slope := stat.LinearRegression(l.nodes, l.speedup, nil, false)
	return stat.RSquared(l.nodes, l.speedup, nil, alpha, slope), slope
}

// show makes tables of times by job and number of other nodes, and tells whether all relations hold.
func show(r *lab.Run, transient, storing [][]float64) bool {
	held := true
	head := []string{"application", "grows by"}
	for n := range faw.SiteNodes - realCore + 1 {
		head = append(head, fmt.Sprintf("+%d", n))
	}
	var seconds, ratios [][]string
	for i, w := range realWork {
		alone := (transient[i][0] + storing[i][0]) / 2 // the same nodes, twice
		tr, tc := over(alone, transient[i]), over(alone, storing[i])
		r2, slope := tc.fit()
		last := len(tc.nodes) - 1
		seconds = append(seconds, row(w.Name, "TC", storing[i]), row(w.Name, "TR", transient[i]))
		ratios = append(ratios, row(w.Name, "TC", tc.speedup), row(w.Name, "TR", tr.speedup))
		r.AddPlot(lab.Plot{Name: "speedups-" + w.Name, Title: fmt.Sprintf("%s: speedup over %d core nodes", w.Name, realCore), X: "other nodes", Y: "speedup", Kind: lab.Lines, Nested: true,
			Series: []lab.Series{{Name: "TC", X: tc.nodes, Y: tc.speedup}, {Name: "TR", X: tr.nodes, Y: tr.speedup}}})
		held = r.Claim(w.Name+": linear with TC", r2 > 0.95 && slope > 0, "R2 = %.3f, %.2f at +%d", r2, tc.speedup[last], last) && held
		if w.Name == faw.SortWork.Name {
			held = r.Claim("Sort gains less by transient nodes", tr.speedup[last] < tc.speedup[last], "%.2f against %.2f at +%d", tr.speedup[last], tc.speedup[last], last) && held
		}
	}
	r.AddTable("speedups", head, ratios)
	r.AddTable("times", append([]string{"seconds of", "grows by"}, head[2:]...), seconds)
	return held
}
