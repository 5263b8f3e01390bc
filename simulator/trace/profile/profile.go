// Package profile summarizes the jobs in a trace. It provides the durations of each phase (SIM
// section III-A), the similarity of two runs, and the best-fitting distribution.
package profile

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/howdah/howdah/scheduler/estimate"
	"github.com/howdah/howdah/simulator/trace"
)

// Phases holds durations of tasks in ms, by phase.
type Phases struct{ Map, First, Typical, Reduce []float64 }

// Names are the names of the phases, in the order of List.
var Names = [4]string{"map", "first shuffle", "typical shuffle", "reduce"}

// List returns the phases in the order of Names.
func (p *Phases) List() [4][]float64 { return [4][]float64{p.Map, p.First, p.Typical, p.Reduce} }

// Of collects the phase durations of jobs.
func Of(jobs ...*trace.Job) *Phases {
	p := &Phases{}
	for _, j := range jobs {
		for i := range j.Maps {
			p.Map = append(p.Map, float64(j.Maps[i].Time))
		}
		for i := range j.Reduces {
			r := &j.Reduces[i]
			if r.First {
				p.First = append(p.First, float64(r.Shuffle))
			} else {
				p.Typical = append(p.Typical, float64(r.Shuffle))
			}
			p.Reduce = append(p.Reduce, float64(r.Time))
		}
	}
	return p
}

// Estimate returns the profile that deadline schedulers use, the mean and maximum duration of each
// phase (ARIA).
func (p *Phases) Estimate() estimate.Profile {
	sum := func(x []float64) estimate.Phase {
		if len(x) == 0 {
			return estimate.Phase{}
		}
		return estimate.Phase{Avg: stat.Mean(x, nil), Max: slices.Max(x)}
	}
	return estimate.Profile{Map: sum(p.Map), First: sum(p.First), Typical: sum(p.Typical), Reduce: sum(p.Reduce)}
}

// Summary describes a set of durations in ms.
type Summary struct {
	N                                        int
	Mean, Deviation                          float64
	Min, P5, P25, Median, P75, P95, P99, Max float64
}

// Summarize returns the statistics of durations in ms. For an empty set, it returns the zero
// Summary.
func Summarize(x []float64) Summary {
	if len(x) == 0 {
		return Summary{}
	}
	s := slices.Clone(x)
	slices.Sort(s)
	mean, deviation := stat.MeanStdDev(s, nil)
	if len(s) == 1 {
		deviation = 0
	}
	q := func(p float64) float64 { return stat.Quantile(p, stat.LinInterp, s, nil) }
	return Summary{len(s), mean, deviation, s[0], q(0.05), q(0.25), q(0.5), q(0.75), q(0.95), q(0.99), s[len(s)-1]}
}

// Divergence configures the comparison of distributions. The zero value means the defaults.
type Divergence struct {
	// Bins is the number of equal-width intervals over the range of both samples; 0 means 50.
	Bins int
	// Epsilon is the minimum probability of a bin, before the probabilities are scaled to a sum of
	// 1; 0 means 1e-6. It limits the result to about -ln(Epsilon). The paper does not state its
	// epsilon. The largest divergence in the paper is 13.49, and -ln(1e-6) is 13.8.
	Epsilon float64
}

// Between returns the symmetric Kullback-Leibler divergence of two samples, (D(P||Q) + D(Q||P)) / 2
// in nats (SIM section II). It returns NaN if a sample is empty.
func (d Divergence) Between(a, b []float64) float64 {
	if len(a) == 0 || len(b) == 0 {
		return math.NaN()
	}
	bins, epsilon := d.Bins, d.Epsilon
	if bins <= 0 {
		bins = 50
	}
	if epsilon <= 0 {
		epsilon = 1e-6
	}
	low := min(slices.Min(a), slices.Min(b))
	width := (max(slices.Max(a), slices.Max(b)) - low) / float64(bins)
	p, q := histogram(a, low, width, bins, epsilon), histogram(b, low, width, bins, epsilon)
	return (stat.KullbackLeibler(p, q) + stat.KullbackLeibler(q, p)) / 2
}

// histogram returns each bin's share. It raises small shares to epsilon and then scales all shares to
// a sum of 1.
func histogram(x []float64, low, width float64, bins int, epsilon float64) []float64 {
	h := make([]float64, bins)
	for _, v := range x {
		i := 0
		if width > 0 {
			i = min(bins-1, int((v-low)/width))
		}
		h[i] += 1 / float64(len(x))
	}
	sum := 0.0
	for i := range h {
		h[i] = max(h[i], epsilon)
		sum += h[i]
	}
	for i := range h {
		h[i] /= sum
	}
	return h
}
