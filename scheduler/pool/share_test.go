package pool

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/howdah/howdah/job"
)

func fairOf(slots int32, shares ...Share) []float64 {
	FairShares(shares, slots)
	var out []float64
	for _, s := range shares {
		out = append(out, math.Round(s.Fair*1000)/1000)
	}
	return out
}

// The cases are those of Hadoop's TestComputeFairShares.
func TestFairShares(t *testing.T) {
	const much = 100
	require.Equal(t, []float64{10, 10, 10, 10}, fairOf(40, Share{1, 0, much, 0}, Share{1, 0, much, 0},
		Share{1, 0, much, 0}, Share{1, 0, much, 0}), "equal")
	require.Equal(t, []float64{20, 10, 5, 5}, fairOf(40, Share{4, 0, much, 0}, Share{2, 0, much, 0}, Share{1, 0, much, 0},
		Share{1, 0, much, 0}), "by weight")
	require.Equal(t, []float64{3, 17, 20}, fairOf(40, Share{1, 0, 3, 0}, Share{1, 0, 17, 0}, Share{1, 0, much, 0}),
		"no more than the demand")
	require.Equal(t, []float64{20, 18, 2}, fairOf(40, Share{1, 20, much, 0}, Share{1, 18, much, 0}, Share{1, 0, much, 0}),
		"no less than the min share")
	require.Equal(t, []float64{2, 38}, fairOf(40, Share{1, 10, 2, 0}, Share{1, 0, much, 0}),
		"a min share that is not wanted")
	require.Equal(t, []float64{30, 30}, fairOf(40, Share{1, 30, much, 0}, Share{1, 30, much, 0}),
		"min shares above the cluster")
	require.Equal(t, []float64{1, 2}, fairOf(40, Share{1, 0, 1, 0}, Share{1, 0, 2, 0}), "less demand than slots")
	require.Equal(t, []float64{0, 40}, fairOf(40, Share{0, 0, much, 0}, Share{1, 0, much, 0}), "no weight")
	require.Empty(t, fairOf(40))
	require.Equal(t, []float64{0}, fairOf(0, Share{1, 0, 5, 0}))
}

// Shares are max-min fair. A consumer below its demand has at least as much per unit of weight as
// any other, except for consumers at their min share.
func TestFairSharesAreMaxMin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		slots := rapid.Int32Range(1, 10_000).Draw(t, "slots")
		shares := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Share {
			return Share{Weight: rapid.Float64Range(0.1, 10).Draw(t, "weight"), Min: rapid.Int32Range(0, 50).Draw(t, "min"),
				Demand: rapid.Int32Range(0, 500).Draw(t, "demand")}
		}), 1, 20).Draw(t, "shares")
		FairShares(shares, slots)
		sum, least, demand := 0.0, 0.0, 0.0
		for _, s := range shares {
			sum += s.Fair
			least += float64(min(s.Min, s.Demand))
			demand += float64(s.Demand)
			if s.Fair > float64(s.Demand) || s.Fair < float64(min(s.Min, s.Demand)) {
				t.Fatalf("%+v is outside its bounds", s)
			}
			for _, o := range shares {
				if s.Fair < float64(s.Demand) && o.Fair > float64(o.Min) && s.Fair/s.Weight < o.Fair/o.Weight*(1-1e-4)-1e-3 {
					t.Fatalf("%+v has less than %+v", s, o)
				}
			}
		}
		if want := math.Max(math.Min(float64(slots), demand), least); math.Abs(sum-want) > 0.01*want+0.01 {
			t.Fatalf("%v slots are shared, want %v", sum, want)
		}
	})
}

func TestLog2(t *testing.T) {
	// The square of 759250125, as a fraction of its power of two, is the smallest one from 2 on.
	for _, n := range []int32{0, 1, 2, 3, 7, 9, 10, 99, 1000, 123456, 759250124, math.MaxInt32} {
		require.InDelta(t, math.Log2(float64(n)+1), log2(n), 1e-4, "%d", n)
	}
	require.Zero(t, log2(-5))
}

func TestWeights(t *testing.T) {
	s := &Settings{BoosterFactor: 3}
	for priority, want := range map[job.Priority]float64{job.VeryHigh: 4, job.High: 2, job.Normal: 1, job.Low: .5,
		job.VeryLow: .25} {
		require.Equal(t, want, s.weight(&Job{Priority: priority}, job.Map))
	}
	require.Equal(t, 3.0, s.weight(&Job{boosted: true}, job.Map))
	s.SizeBasedWeight = true
	require.Equal(t, 6.0, s.weight(&Job{Priority: job.High, Runnable: true, Demand: [2]int32{7, 0}}, job.Map))
	require.Equal(t, 1.0, s.weight(&Job{Demand: [2]int32{7, 0}}, job.Map), "it may not run")
}

func TestPart(t *testing.T) {
	for _, c := range []struct {
		demand   int64
		capacity int32
		more     float64
		slots    int32
		want     int32
	}{{5, 10, 0, 2, 1}, {6, 10, 0, 2, 2}, {0, 10, 0, 2, 0}, {100, 10, 0, 2, 2}, {1, 10, 0.5, 2, 2}, {1, 1000, 0, 4, 1}} {
		require.Equal(t, c.want, Part(c.demand, c.capacity, c.more, c.slots), "%+v", c)
	}
}

// The search returns exactly the same shares as a bisection that adds up all shares in each step.
func TestSearchIsBisection(t *testing.T) {
	used := func(shares []Share, ratio float64) (sum float64) {
		for i := range shares {
			sum += shares[i].at(ratio)
		}
		return sum
	}
	plain := func(shares []Share, slots int32) {
		demand := 0.0
		for i := range shares {
			demand += float64(shares[i].Demand)
		}
		total, low, high := min(float64(slots), demand), 0.0, 1.0
		for i := 0; i < 64 && used(shares, high) < total; i++ {
			high *= 2
		}
		for range bisections {
			if middle := (low + high) / 2; used(shares, middle) < total {
				low = middle
			} else {
				high = middle
			}
		}
		for i := range shares {
			shares[i].Fair = shares[i].at(high)
		}
	}
	r := rand.New(rand.NewPCG(1, 7))
	for range 20_000 {
		shares := make([]Share, r.IntN(12))
		for i := range shares {
			shares[i] = Share{Weight: []float64{0, 1, 1, 2, 1.0 / 3, r.Float64() * 9}[r.IntN(6)],
				Min: r.Int32N(1 + r.Int32N(20)), Demand: r.Int32N(30)}
			if r.IntN(3) == 0 {
				shares[i].Demand = math.MaxInt32
			}
		}
		want, slots := slices.Clone(shares), r.Int32N(100)
		plain(want, slots)
		FairShares(shares, slots)
		require.Equal(t, want, shares, "%d slots", slots)
	}
}

// Before the bisection, the search narrows the range of ratios so far that few steps need a sum. The
// exact ratio is the one for which the shares add up to the slots.
func TestSearchStartsNearTheRatio(t *testing.T) {
	for _, c := range []struct {
		shares []Share
		slots  float64
		ratio  float64
	}{
		{[]Share{{Weight: 1, Demand: 100}, {Weight: 3, Demand: 100}}, 40, 10},
		{[]Share{{Weight: 1, Demand: 100}, {Weight: 2, Demand: 100}, {Weight: 1, Min: 8, Demand: 100},
			{Weight: 1, Demand: 3}}, 40, 9.25},
		{[]Share{{Weight: 1, Demand: 100}, {Weight: 2, Min: 30, Demand: 100}}, 40, 10},
		{[]Share{{Weight: 1, Demand: 1}, {Weight: 1, Demand: 2}}, 3, 2},
	} {
		s := search{shares: c.shares, total: c.slots, less: -1, enough: math.Inf(1)}
		s.narrow()
		require.InEpsilon(t, c.ratio, s.less, 1e-8, "%+v", c)
		require.InEpsilon(t, c.ratio, s.enough, 1e-8, "%+v", c)
		require.Less(t, s.less, s.enough, "%+v", c)
	}
}
