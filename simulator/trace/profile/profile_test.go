package profile

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/dist"
	"github.com/howdah/howdah/simulator/trace/generate"
)

func sample(d dist.Dist, n int, seed uint64) []float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	x := make([]float64, n)
	for i := range x {
		x[i] = d.Draw(r)
	}
	return x
}

// TestFitsFindTheirOwn checks that the fit recovers each kind of distribution from its samples,
// with its mean and its CDF at the mean.
func TestFitsFindTheirOwn(t *testing.T) {
	for i, d := range []dist.Dist{
		dist.Exponential(5000), dist.LogNormal{Mu: 9, Sigma: 1.2}, dist.Normal{Mu: 10000, Sigma: 1000},
		dist.Weibull{Shape: 3, Scale: 9000}, dist.Gamma{Shape: 4, Scale: 700},
	} {
		fits := Fits(sample(d, 20000, uint64(i)))
		require.Len(t, fits, 6)
		require.IsType(t, dist.Empirical{}, fits[5].Dist)
		require.Less(t, fits[5].KS, 0.001)
		fits = fits[:5]
		own := fmt.Sprintf("%T", d)
		found := false
		for k, f := range fits {
			if fmt.Sprintf("%T", f.Dist) != own {
				continue
			}
			found = true
			require.Less(t, f.KS, 0.015, d)
			require.InEpsilon(t, d.Mean(), f.Dist.Mean(), 0.03, d)
			require.InEpsilon(t, d.CDF(d.Mean()), f.Dist.CDF(d.Mean()), 0.03, d)
			for _, other := range fits[k+1:] {
				require.LessOrEqual(t, f.KS, other.KS)
			}
			if own != "dist.Exponential" { // Weibull and gamma include the exponential distribution
				require.Zero(t, k, d)
			}
		}
		require.True(t, found)
	}
}

func TestFitsOfLittle(t *testing.T) {
	require.Empty(t, Fits(nil))
	require.Equal(t, dist.Constant(7), Fits([]float64{7, 7})[0].Dist)
	require.Equal(t, dist.Constant(1), Fits([]float64{0})[0].Dist)
	require.NotEmpty(t, Fits([]float64{0, 5}))
}

func TestSummary(t *testing.T) {
	var x []float64
	for i := 100; i >= 1; i-- {
		x = append(x, float64(i))
	}
	s := Summarize(x)
	require.Equal(t, 100, s.N)
	require.InDelta(t, 50.5, s.Mean, 1e-9)
	require.InDelta(t, 29.01, s.Deviation, 0.01)
	require.Equal(t, []float64{1, 50, 95, 100}, []float64{s.Min, s.Median, s.P95, s.Max})
	require.Equal(t, Summary{}, Summarize(nil))
	require.Zero(t, Summarize([]float64{3}).Deviation)
	require.EqualValues(t, 100, x[0], "the durations are left alone")
}

// TestDivergence checks the symmetric divergence of SIM section II.
func TestDivergence(t *testing.T) {
	var d Divergence
	a := sample(dist.Normal{Mu: 1000, Sigma: 100}, 5000, 1)
	b := sample(dist.Normal{Mu: 1000, Sigma: 100}, 5000, 2)
	far := sample(dist.Normal{Mu: 9000, Sigma: 100}, 5000, 3)
	require.Zero(t, d.Between(a, a))
	require.InDelta(t, d.Between(a, far), d.Between(far, a), 1e-12)
	require.Less(t, d.Between(a, b), 0.3)
	require.Greater(t, d.Between(a, far), 11.0)
	require.Less(t, d.Between(a, far), -math.Log(1e-6))
	require.Less(t, Divergence{Epsilon: 1e-3}.Between(a, far), -math.Log(1e-3))
	// With the shares 3/4 and 1/4 against 1/4 and 3/4 in two bins, D is 1/2 ln 3 in both directions.
	require.InDelta(t, math.Log(3)/2, Divergence{Bins: 2}.Between([]float64{0, 0, 0, 1}, []float64{0, 1, 1, 1}), 1e-9)
	require.Zero(t, d.Between([]float64{5}, []float64{5}))
	require.True(t, math.IsNaN(d.Between(nil, a)))
}

// TestApplicationsDiffer checks that runs of the same application are similar, and that runs of
// different applications are not (SIM Table I).
func TestApplicationsDiffer(t *testing.T) {
	one, two := generate.Testbed(1), generate.Testbed(2)
	var d Divergence
	same := d.Between(Of(one[0]).Map, Of(two[0]).Map)
	other := d.Between(Of(one[0]).Map, Of(one[9]).Map)
	require.Less(t, same, other/5)
}

func TestPhases(t *testing.T) {
	p := Of(&trace.Job{Maps: []trace.Map{{Time: 10}, {Time: 30}},
		Reduces: []trace.Reduce{{First: true, Shuffle: 5, Time: 7}, {Shuffle: 6, Time: 9}}})
	require.Equal(t, [4][]float64{{10, 30}, {5}, {6}, {7, 9}}, p.List())
	e := p.Estimate()
	require.Equal(t, []float64{20, 30, 5, 6, 8, 9}, []float64{e.Map.Avg, e.Map.Max, e.First.Avg, e.Typical.Max,
		e.Reduce.Avg, e.Reduce.Max})
}
