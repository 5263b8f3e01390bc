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

// faw4RealRuns is the number of runs of each job at each size.
const faw4RealRuns = 3

var faw4RealWork = []Work{SmallSort, SmallCount}

// faw4Real grows an MR-cluster by transient and by transient-core nodes, and runs the jobs at each
// size.
func faw4Real(ctx context.Context, r *lab.Run) error {
	r.Knob("MR-cluster", fmt.Sprintf("%d core nodes that store all input, and 0 to %d other nodes that join before a "+
		"job starts",
		faw4RealCore, SiteNodes-faw4RealCore))
	r.Knob("speedup", fmt.Sprintf("of each of %d runs, relative to the mean of both times at +0, which were measured on "+
		"the same nodes, or for Pi, to its time at +0", faw4RealRuns))
	WorkKnobs(r, faw4RealWork...)
	return OnSite(ctx, r, 4000, func(s *Site) error {
		times := map[mrcluster.Kind][][][]float64{}
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

// growing returns the times in s by job, run, and number of other nodes. It always creates the input
// of faw4RealWork, because an MR-cluster without data does not grow.
func growing(ctx context.Context, s *Site, kind mrcluster.Kind, work []Work) ([][][]float64, error) {
	if err := s.Begin(ctx, faw4RealCore, kind); err != nil {
		return nil, err
	}
	if err := s.Prepare(ctx, faw4RealWork...); err != nil {
		return nil, err
	}
	times := make([][][]float64, len(work))
	for i := range work {
		times[i] = make([][]float64, faw4RealRuns)
	}
	for n := range SiteNodes - faw4RealCore + 1 {
		if err := s.Others(ctx, n); err != nil {
			return nil, err
		}
		measured, err := s.MeasureAll(ctx, faw4RealRuns, work...)
		if err != nil {
			return nil, err
		}
		for i := range work {
			for k, t := range measured[i] {
				times[i][k] = append(times[i][k], t)
			}
		}
	}
	return times, s.End(ctx)
}

// withoutInput isolates the cause if a relation does not hold. It runs a job without input. Unlike
// other jobs, this job does not use the disks of the core nodes, which store all input.
func withoutInput(ctx context.Context, r *lab.Run, s *Site) error {
	times, err := growing(ctx, s, mrcluster.TransientCore, []Work{PiWork})
	if err != nil {
		return err
	}
	WorkKnobs(r, PiWork)
	var r2, gain []float64
	for _, t := range times[0] {
		pi := over(t[0], t)
		r2, gain = append(r2, pi.fit()), append(gain, pi.gain())
	}
	r.Note("Pi reads nothing from the core nodes, so their disks do not limit it. "+
		"Its speedup with TC has R2 = %s and is %s at +%d.", lab.IntervalOf(r2).Fine(), lab.IntervalOf(gain).Fine(),
		SiteNodes-faw4RealCore)
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

// fit returns the R2 of the line's linear fit.
func (l line) fit() float64 {
	alpha, slope := stat.LinearRegression(l.nodes, l.speedup, nil, false)
	return stat.RSquared(l.nodes, l.speedup, nil, alpha, slope)
}

// gain returns the speedup with the most nodes.
func (l line) gain() float64 { return l.speedup[len(l.speedup)-1] }

// faw4Show evaluates the relations and adds tables of mean speedups and times by job and number of
// other nodes, and a plot for each job. The times are by job, run, and number of other nodes. It
// reports whether all relations hold.
func faw4Show(r *lab.Run, transient, storing [][][]float64) bool {
	held := true
	head := []string{"application", "added nodes"}
	var added []float64
	for n := range SiteNodes - faw4RealCore + 1 {
		head, added = append(head, fmt.Sprintf("+%d", n)), append(added, float64(n))
	}
	var seconds, ratios [][]string
	for i, w := range faw4RealWork {
		var r2, gainTC, gainTR []float64
		var tcs, trs [][]float64
		for k := range faw4RealRuns {
			alone := (transient[i][k][0] + storing[i][k][0]) / 2 // both values are for the same nodes
			tr, tc := over(alone, transient[i][k]), over(alone, storing[i][k])
			r2, gainTC, gainTR = append(r2, tc.fit()), append(gainTC, tc.gain()), append(gainTR, tr.gain())
			tcs, trs = append(tcs, tc.speedup), append(trs, tr.speedup)
		}
		tc, tr := average(tcs), average(trs)
		seconds = append(seconds, row(w.Name, "TC", average(storing[i])), row(w.Name, "TR", average(transient[i])))
		ratios = append(ratios, row(w.Name, "TC", tc), row(w.Name, "TR", tr))
		r.AddPlot(lab.Plot{Name: "speedups-" + w.Name,
			Title: fmt.Sprintf("%s: speedup over %d core nodes", w.Name, faw4RealCore),
			X:     "other nodes", Y: "speedup", Kind: lab.Lines, Nested: true,
			Series: []lab.Series{{Name: "TC", X: added, Y: tc}, {Name: "TR", X: added, Y: tr}}})
		held = r.Compare("linear-"+w.Name, lab.IntervalOf(r2), "of the line of each run") && held
		held = r.Compare("gain-"+w.Name, lab.IntervalOf(gainTC), "with all nodes") && held
		if w.Name == SortWork.Name {
			held = r.Compare("sort", lab.Difference(gainTC, gainTR), "TC %s, TR %s", lab.IntervalOf(gainTC).Fine(),
				lab.IntervalOf(gainTR).Fine()) && held
		}
	}
	r.AddTable("speedups", head, ratios)
	r.AddTable("times", append([]string{"time (s) of", "added nodes"}, head[2:]...), seconds)
	return held
}
