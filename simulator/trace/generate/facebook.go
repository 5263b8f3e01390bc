package generate

import (
	"cmp"
	"io"
	"math"
	"math/rand/v2"

	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/dist"
)

// Bin is a job size and its frequency.
type Bin struct {
	Maps, Reduces int
	Weight        int
}

// FacebookBins contains the job sizes, per 100 jobs, from the evaluation of delay scheduling
// (EuroSys 2010, Table 3).
var FacebookBins = []Bin{
	{1, 0, 38}, {2, 0, 16}, {10, 3, 14}, {50, 0, 8}, {100, 0, 6}, {200, 50, 6}, {400, 0, 4}, {800, 180, 4}, {2400, 360, 2},
	{4800, 0, 2},
}

// Facebook describes a workload like Facebook's in October 2009 (SIM section V-C). The zero value
// is the paper's workload.
type Facebook struct {
	Jobs     int   // 0 means 100
	Bins     []Bin // nil means FacebookBins
	Arrivals Arrivals
	// Map and Reduce are distributions of task times in ms. The time of a reduce includes its
	// shuffle. A nil distribution means the fit of SIM section V-C: LN(9.9511, 1.6764) for maps, and
	// LN(12.375, 1.6262) for reduces.
	Map, Reduce dist.Dist
	// Variance interprets the second parameter of the paper's fits as the variance of the
	// logarithm, as in the paper's text. By default, the parameter is the standard deviation, as in
	// the paper's formula. The medians in Facebook's own figure confirm the default.
	Variance bool
	// ShuffleShare is the portion of a reduce's time that is shuffle and sort, from 0 to 1. 0 means
	// 0.3. First and typical shuffles take the same time.
	ShuffleShare float64
	// Limit is the maximum duration of a task in ms; 0 means no limit.
	Limit float64
	Wave  int // number of reduces with a first shuffle; 0 means all
	Seed  uint64
}

// Source returns the jobs. If f.Arrivals is nil, jobs arrive as a Poisson process with a mean gap
// of 14 s. Sizes, durations, and arrivals come from separate streams.
func (f Facebook) Source() trace.Source {
	f.fill()
	w := &watch{}
	f.Map, f.Reduce = w.on(limited{f.Map, f.Limit}, "ms of a map", longest),
		w.on(limited{f.Reduce, f.Limit}, "ms of a reduce", longest)
	total := 0
	for _, b := range f.Bins {
		total += b.Weight
	}
	r, now, n := Stream(f.Seed, "arrivals", 0), 0.0, 0
	return source(func() (*trace.Job, error) {
		if n == f.Jobs || total <= 0 {
			return nil, io.EOF
		}
		b := choose(f.Bins, Stream(f.Seed, "bins", n).IntN(total))
		j := f.job(b, Stream(f.Seed, "facebook", n))
		now = f.Arrivals.Next(now, r)
		place(j, n, w.submission(now))
		n++
		return j, w.err
	})
}

func (f *Facebook) fill() {
	f.Jobs = cmp.Or(f.Jobs, 100)
	if f.Bins == nil {
		f.Bins = FacebookBins
	}
	if f.Arrivals == nil {
		f.Arrivals = Poisson(14e3)
	}
	sigma := func(s float64) float64 { return s }
	if f.Variance {
		sigma = math.Sqrt
	}
	if f.Map == nil {
		f.Map = dist.LogNormal{Mu: 9.9511, Sigma: sigma(1.6764)}
	}
	if f.Reduce == nil {
		f.Reduce = dist.LogNormal{Mu: 12.375, Sigma: sigma(1.6262)}
	}
	f.ShuffleShare = cmp.Or(f.ShuffleShare, 0.3)
	f.Limit = cmp.Or(f.Limit, math.Inf(1))
	f.Wave = cmp.Or(f.Wave, math.MaxInt)
}

func (f *Facebook) job(b Bin, r *rand.Rand) *trace.Job {
	a := Application{Name: "facebook", Map: f.Map, First: dist.Constant(0), Typical: dist.Constant(0), Reduce: f.Reduce}
	j := a.Job(b.Maps, b.Reduces, f.Wave, r)
	for i := range j.Reduces {
		whole := j.Reduces[i].Time
		j.Reduces[i].Shuffle = int64(float64(whole) * f.ShuffleShare)
		j.Reduces[i].Time = whole - j.Reduces[i].Shuffle
	}
	return j
}

// limited caps the values of a distribution.
type limited struct {
	dist.Dist
	most float64
}

func (l limited) Draw(r *rand.Rand) float64 { return min(l.most, l.Dist.Draw(r)) }

func choose(bins []Bin, ticket int) Bin {
	for _, b := range bins {
		if ticket < b.Weight {
			return b
		}
		ticket -= b.Weight
	}
	return bins[len(bins)-1]
}
