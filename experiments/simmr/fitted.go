package simmr

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/dist"
	"github.com/howdah/howdah/simulator/trace/generate"
	"github.com/howdah/howdah/simulator/trace/profile"
)

// fittedReduces is the number of reduces of the WordCount job in section II, the only one that the
// paper states. They run in four waves on the testbed.
const fittedReduces = 256

// table1 holds the average divergences of maps, shuffles, and reduces between five executions of an
// application in Table I. Its columns are "in seconds".
var table1 = map[string][3]float64{
	"WordCount":  {0.07, 0.34, 0.04},
	"WikiTrends": {0.10, 2.44, 0.25},
	"Twitter":    {0.06, 0.84, 0.07},
	"Sort":       {0.09, 1.69, 0.22},
	"TFIDF":      {0.02, 1.39, 0.27},
	"Bayes":      {0.12, 0.57, 0.04},
}

// fitted are the 18 jobs of the testbed, with durations fitted to Table I.
type fitted struct {
	apps  []generate.Application
	plain []*trace.Job // with assumed durations
}

// fitTestbed fits durations to Table I, and reports the fit.
//
// The paper's text does not state durations. But the divergence of two samples from one distribution
// depends on the number of bins over which they spread, and thus, for bins of a second, on their
// deviation in seconds. fitTestbed keeps the shape of each assumed distribution and stretches it
// until five executions with the smallest input diverge as in Table I. It then stretches those of the
// other inputs by the same factor.
func fitTestbed(r *lab.Run) *fitted {
	f := &fitted{generate.TestbedApplications(), generate.Testbed(r.Seed)}
	var rows [][]string
	var factors [3]float64
	for i, a := range f.apps {
		row := []string{a.Name}
		for k, want := range table1[a.Name] {
			if i%3 == 0 { // the smallest input
				var got float64
				factors[k], got = fit(want, executions(r.Seed, a, len(f.plain[i].Maps), k))
				row = append(row, fmt.Sprintf("%.2f", want), fmt.Sprintf("%.2f", got))
			}
		}
		x := stretched(a, factors)
		f.apps[i] = x
		if i%3 == 0 {
			rows = append(rows, append(row, meanSeconds(x.Map), meanSeconds(x.First), meanSeconds(x.Typical),
				meanSeconds(x.Reduce)))
		}
	}
	r.AddTable("fit", []string{"application", "divergence of maps, Table I", "here", "shuffles, Table I", "here",
		"reduces, Table I", "here", "mean map (s)", "first shuffle", "typical shuffle", "reduce"}, rows)
	r.Knob("fit of durations", "the assumed distribution of each phase, stretched by one factor for each application, so "+
		"that the mean divergence of five executions equals the average in Table I in bins of 1 s")
	r.Knob("reduces", fmt.Sprintf("%d for each job, as in section II", fittedReduces))
	r.Knob("maps", "one for each 64 MB of the inputs in section IV-C, or one for each hour")
	return f
}

// jobs draws the durations of the jobs' tasks. They are not submitted yet.
func (f *fitted) jobs(seed uint64) (jobs []*trace.Job) {
	for i, a := range f.apps {
		plain := f.plain[i]
		j := a.Job(len(plain.Maps), fittedReduces, generate.TestbedSlots, generate.Stream(seed, "fitted", i))
		j.Input, j.Shuffled, j.Output = plain.Input, plain.Shuffled, plain.Output
		jobs = append(jobs, j)
	}
	return jobs
}

// checkFit reports how the jobs differ, and how long they take alone, which is not part of the fit.
func checkFit(ctx context.Context, r *lab.Run, jobs []*trace.Job) error {
	var phases []sim2Run // of the smallest inputs
	alone := 0.0
	for i, j := range jobs {
		if i%3 == 0 {
			phases = append(phases, sim2Run{j.Name, profile.Of(j)})
		}
		ms, err := lab.Alone(ctx, j, Testbed)
		if err != nil {
			return err
		}
		alone += float64(ms) / 1000 / float64(len(jobs))
	}
	var different [3]float64
	for k := range different {
		_, all := divergences(phases, secondBins, k)
		different[k] = stat.Mean(all, nil)
	}
	r.Note("A check that is not part of the fit: different applications diverge by %.1f (map), %.1f (shuffle), and %.1f "+
		"(reduce) on average; the paper's values are 11.6, 13.1, and 12.7.", different[0], different[1], different[2])
	r.Compare("alone", r.Value(alone), "%d jobs", len(jobs))
	return nil
}

func meanSeconds(d dist.Dist) string { return fmt.Sprintf("%.1f", d.Mean()/1000) }

// stretched multiplies the durations of maps, shuffles, and reduces by factors.
func stretched(a generate.Application, factors [3]float64) generate.Application {
	by := func(d dist.Dist, factor float64) dist.Dist {
		l := d.(dist.LogNormal)
		l.Mu += math.Log(factor)
		return l
	}
	a.Map, a.Reduce = by(a.Map, factors[0]), by(a.Reduce, factors[2])
	a.First, a.Typical = by(a.First, factors[1]), by(a.Typical, factors[1])
	return a
}

// fitSets is the number of sets of executions over which the fit averages.
const fitSets = 4

// executions draws the durations of phase k in sets of five executions of an application.
func executions(seed uint64, a generate.Application, maps, k int) (sets [fitSets][repeats][]float64) {
	for s := range sets {
		for n := range sets[s] {
			r := generate.Stream(seed, fmt.Sprint("fit ", a.Name, " ", k), s*repeats+n)
			j := a.Job(maps, fittedReduces, generate.TestbedSlots, r)
			sets[s][n] = sim2Run{a.Name, profile.Of(j)}.phase(k)
		}
	}
	return sets
}

// fit returns the factor of durations with which the executions of a set diverge by want on average,
// and the divergence with that factor.
func fit(want float64, sets [fitSets][repeats][]float64) (factor, got float64) {
	low, high := 1.0/64, 64.0
	for range 20 {
		factor = math.Sqrt(low * high)
		var all []float64
		for _, runs := range sets {
			for i, a := range runs {
				for _, b := range runs[i+1:] {
					all = append(all, secondBins(scaled(a, factor), scaled(b, factor)))
				}
			}
		}
		if got = stat.Mean(all, nil); got < want {
			low = factor
		} else {
			high = factor
		}
	}
	return factor, got
}

func scaled(x []float64, factor float64) []float64 {
	x = slices.Clone(x)
	for i := range x {
		x[i] *= factor
	}
	return x
}

// secondBins returns the divergence of two samples of durations in ms, in bins of about 1 s.
func secondBins(a, b []float64) float64 {
	spread := max(slices.Max(a), slices.Max(b)) - min(slices.Min(a), slices.Min(b))
	return profile.Divergence{Bins: max(1, int(math.Round(spread/1000)))}.Between(a, b)
}
