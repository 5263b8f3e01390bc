package generate

import (
	"io"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/dist"
)

func collect(t *testing.T, s trace.Source) []*trace.Job {
	t.Helper()
	tr, err := Collect("test", s)
	require.NoError(t, err)
	return tr.Jobs
}

func TestSeedDecidesEverything(t *testing.T) {
	for name, make := range map[string]func(seed uint64) []*trace.Job{
		"testbed":  Testbed,
		"like":     func(seed uint64) []*trace.Job { return collect(t, TestbedLike(20, nil, seed)) },
		"facebook": func(seed uint64) []*trace.Job { return collect(t, Facebook{Seed: seed, Jobs: 30}.Source()) },
		"arrive":   func(seed uint64) []*trace.Job { return Arrive(Testbed(1), Poisson(1000), seed).Jobs },
	} {
		require.Equal(t, make(5), make(5), name)
		require.NotEqual(t, make(5), make(6), name)
	}
}

// TestStreamsAreIndependent checks that adjacent streams are not shifted copies of each other.
func TestStreamsAreIndependent(t *testing.T) {
	seen := map[uint64]bool{}
	for n := range 100 {
		for _, name := range []string{"a", "b"} {
			r := Stream(7, name, n)
			for range 20 {
				x := r.Uint64()
				require.False(t, seen[x])
				seen[x] = true
			}
		}
	}
}

// TestTestbedTraceTakesAsLongAsThePapers checks that the 1148 jobs of SIM section IV-E, run one
// after the other, take about 152 hours on 64 + 64 slots.
func TestTestbedTraceTakesAsLongAsThePapers(t *testing.T) {
	jobs := collect(t, TestbedLike(1148, nil, 1))
	require.Len(t, jobs, 1148)
	serial := 0.0
	for _, j := range jobs {
		maps, first, reduce := 0.0, 0.0, 0.0
		for _, m := range j.Maps {
			maps += float64(m.Time) / TestbedSlots
		}
		for _, r := range j.Reduces {
			first = max(first, float64(r.Shuffle))
			reduce = max(reduce, float64(r.Time))
		}
		serial += maps + first + reduce
	}
	t.Logf("serial: %.0f h, last submission %.0f h", serial/3600e3, float64(jobs[1147].Submit)/3600e3)
	require.InEpsilon(t, 152, serial/3600e3, 0.1)
}

func TestTestbedHasSixApplicationsOfThreeSizes(t *testing.T) {
	count := map[string]int{}
	for _, j := range Testbed(3) {
		count[j.Name]++
		require.Len(t, j.Reduces, TestbedSlots)
		require.True(t, j.Reduces[0].First)
	}
	require.Equal(t, map[string]int{"WordCount": 3, "Sort": 3, "Bayes": 3, "TFIDF": 3, "WikiTrends": 3, "Twitter": 3},
		count)
	require.Len(t, TestbedApplications(), 18)
}

// TestArrive checks that Arrive returns a random permutation (SIM section V-B), and that the copies
// share their tasks with the originals.
func TestArrive(t *testing.T) {
	jobs := Testbed(3)
	got := Arrive(jobs, Poisson(1e4), 9).Jobs
	require.Len(t, got, len(jobs))
	require.NotEqual(t, jobs[0].Maps, got[0].Maps)
	last := int64(0)
	tasks := map[*trace.Map]bool{}
	for _, j := range got {
		require.GreaterOrEqual(t, j.Submit, last)
		last = j.Submit
		tasks[&j.Maps[0]] = true
	}
	for _, j := range jobs {
		require.True(t, tasks[&j.Maps[0]])
		require.Zero(t, j.Submit)
	}
}

// TestFacebook checks that the medians of the fits are e^9.9511 and e^12.375 ms (SIM section V-C),
// and that the share of jobs with one map matches FacebookBins.
func TestFacebook(t *testing.T) {
	jobs := collect(t, Facebook{Jobs: 3000, Seed: 2}.Source())
	var maps, reduces []float64
	small := 0
	for _, j := range jobs {
		if len(j.Maps) == 1 {
			small++
		}
		for _, m := range j.Maps[:min(len(j.Maps), 10)] {
			maps = append(maps, float64(m.Time))
		}
		for _, r := range j.Reduces {
			reduces = append(reduces, float64(r.Shuffle+r.Time))
		}
	}
	require.InDelta(t, 0.38, float64(small)/3000, 0.03)
	m, r := dist.EmpiricalOf(maps), dist.EmpiricalOf(reduces)
	require.InEpsilon(t, math.Exp(9.9511), m[len(m)/2], 0.05)
	require.InEpsilon(t, math.Exp(12.375), r[len(r)/2], 0.05)
	require.InDelta(t, math.Log(14e3), math.Log(float64(jobs[2999].Submit)/3000), 0.1)

	wide, narrow := dist.EmpiricalOf(times(Facebook{Jobs: 300})),
		dist.EmpiricalOf(times(Facebook{Jobs: 300, Variance: true}))
	require.Greater(t, wide[len(wide)*99/100], 1.5*narrow[len(narrow)*99/100])
	cut := dist.EmpiricalOf(times(Facebook{Jobs: 300, Limit: 60e3}))
	require.EqualValues(t, 60e3, cut[len(cut)-1])
}

func times(f Facebook) []float64 {
	var all []float64
	s := f.Source()
	for {
		j, err := s.Next()
		if err != nil {
			return all
		}
		for _, m := range j.Maps {
			all = append(all, float64(m.Time))
		}
	}
}

func TestArrivalsKeepTheirMean(t *testing.T) {
	shaped, err := NewShaped(1000, 24e4, []float64{1, 5, 2, 0})
	require.NoError(t, err)
	for name, a := range map[string]Arrivals{
		"poisson": Poisson(1000), "fixed": Gaps{dist.Constant(1000)}, "bursty": &Bursty{Mean: 1000, Level: 2},
		"shaped": shaped,
	} {
		r, now := Stream(1, name, 0), 0.0
		const n = 100000
		for range n {
			next := a.Next(now, r)
			require.GreaterOrEqual(t, next, now)
			now = next
		}
		require.InEpsilon(t, 1000, now/n, 0.05, name)
	}
}

// TestBurstinessGrowsWithTheLevel checks that the index of dispersion of arrivals in a window
// increases with the level. It is 1 for Poisson arrivals.
func TestBurstinessGrowsWithTheLevel(t *testing.T) {
	last := 0.0
	for level := range 4 {
		b, r, now := &Bursty{Mean: 1000, Level: level}, Stream(4, "bursty", level), 0.0
		counts := make([]float64, 5000)
		for {
			now = b.Next(now, r)
			if int(now/10e3) >= len(counts) {
				break
			}
			counts[int(now/10e3)]++
		}
		mean, square := 0.0, 0.0
		for _, c := range counts {
			mean += c / float64(len(counts))
			square += c * c / float64(len(counts))
		}
		dispersion := (square - mean*mean) / mean
		if level == 0 {
			require.InDelta(t, 1, dispersion, 0.1)
		}
		require.Greater(t, dispersion, last)
		last = dispersion
	}
}

func TestShapedArrivalsFollowTheCurve(t *testing.T) {
	s, err := NewShaped(10, 1000, []float64{0, 4})
	require.NoError(t, err)
	r, now, peak, n := Stream(1, "shaped", 0), 0.0, 0, 20000
	for range n {
		now = s.Next(now, r)
		if at := math.Mod(now, 1000); at > 250 && at < 750 {
			peak++
		}
	}
	require.InDelta(t, 0.75, float64(peak)/float64(n), 0.02) // area of the middle half of a triangle
	for _, curve := range [][]float64{nil, {0, 0}, {1, -1}, {math.NaN()}} {
		_, err := NewShaped(10, 1000, curve)
		require.Equal(t, failure.Usage, failure.KindOf(err), curve)
	}
}

// TestDeadlines checks that deadlines are between T and df*T after the submission (SIM section
// V-B).
func TestDeadlines(t *testing.T) {
	base := Arrive(Testbed(1), Poisson(1e4), 1)
	lowest, highest := 3.0, 1.0
	for seed := range uint64(30) {
		for _, j := range collect(t, Deadlines(base.Source(), 1, 3, seed,
			func(j *trace.Job) int64 { return int64(len(j.Maps)) * 1000 })) {
			f := float64(j.Deadline-j.Submit) / float64(len(j.Maps)*1000)
			lowest, highest = min(lowest, f), max(highest, f)
		}
	}
	require.InDelta(t, 1, lowest, 0.05)
	require.InDelta(t, 3, highest, 0.05)
	require.Zero(t, base.Jobs[0].Deadline, "the source's own jobs are left alone")
	for _, j := range collect(t, Deadlines(base.Source(), 1, 1, 0, func(*trace.Job) int64 { return 77 })) {
		require.Equal(t, j.Submit+77, j.Deadline)
	}
	for _, j := range collect(t, Deadlines(base.Source(), 1, 1, 0, func(*trace.Job) int64 { return 0 })) {
		require.Zero(t, j.Deadline)
	}
}

func TestScale(t *testing.T) {
	from := &trace.Trace{Jobs: []*trace.Job{
		{Submit: 1000, Maps: []trace.Map{{Time: 10, Failed: []int64{4}}, {Time: 20}},
			Reduces: []trace.Reduce{{Shuffle: 5, Time: 6}}},
		{Submit: 3000, Deadline: 3100, Maps: []trace.Map{{Time: 7}}},
	}}
	got := collect(t, Scale(from.Source(), Scaling{Tasks: 1.5, Time: 2, Gap: 0.5}))
	require.Equal(t, []trace.Map{{Time: 20, Failed: []int64{8}}, {Time: 40}, {Time: 20, Failed: []int64{8}}}, got[0].Maps)
	require.Equal(t, []trace.Reduce{{Shuffle: 10, Time: 12}, {Shuffle: 10, Time: 12}}, got[0].Reduces)
	require.EqualValues(t, 2000, got[1].Submit)
	require.EqualValues(t, 2200, got[1].Deadline)
	require.Equal(t, int64(4), from.Jobs[0].Maps[0].Failed[0])

	same := collect(t, Scale(from.Source(), Scaling{}))
	require.Equal(t, from.Jobs[0].Maps, same[0].Maps)
	_, err := Scale((&trace.Trace{}).Source(), Scaling{}).Next()
	require.Equal(t, io.EOF, err)
}

// TestLike checks that a workload made by Like has the trace's sizes, durations, and gaps.
func TestLike(t *testing.T) {
	from := collect(t, TestbedLike(40, Poisson(5000), 3))
	got := collect(t, Like(from, 400, nil, 1))
	require.Len(t, got, 400)
	times, sizes := map[int64]bool{}, map[int]bool{}
	for _, j := range from {
		sizes[len(j.Maps)] = true
		for _, m := range j.Maps {
			times[m.Time] = true
		}
	}
	for _, j := range got {
		require.True(t, sizes[len(j.Maps)])
		for _, m := range j.Maps {
			require.True(t, times[m.Time])
		}
	}
	require.InEpsilon(t, 5000, float64(got[399].Submit)/400, 0.4)
	require.Empty(t, collect(t, Like(nil, 5, nil, 1)))
}

func TestCustom(t *testing.T) {
	app := Application{Name: "x", Map: dist.Constant(10), First: dist.Constant(20), Typical: dist.Constant(30),
		Reduce: dist.Constant(40)}
	got := collect(t, Custom{Jobs: 3, Maps: dist.Constant(4), Reduces: dist.Constant(2), Tasks: app, Wave: 1,
		Arrivals: Gaps{dist.Constant(100)}}.Source())
	require.Len(t, got, 3)
	require.EqualValues(t, 300, got[2].Submit)
	require.Equal(t, []trace.Reduce{{First: true, Shuffle: 20, Time: 40}, {Shuffle: 30, Time: 40}}, got[2].Reduces)
	require.Len(t, got[0].Maps, 4)
}
