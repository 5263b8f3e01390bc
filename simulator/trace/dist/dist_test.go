package dist

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

// TestDrawsFollowTheLaw checks that the draws of every distribution agree with its mean and its
// CDF.
func TestDrawsFollowTheLaw(t *testing.T) {
	for _, d := range []Dist{
		Constant(7), Uniform{2, 5}, Exponential(3), LogNormal{1, 0.5}, Normal{20, 2}, Weibull{1.7, 4}, Gamma{2.5, 3},
		EmpiricalOf([]float64{3, 1, 2, 2}), LogNormalOf(100, 30),
	} {
		r := rand.New(rand.NewPCG(1, 2))
		const n = 50000
		values := make([]float64, n)
		sum := 0.0
		for i := range values {
			values[i] = d.Draw(r)
			sum += values[i]
		}
		require.InEpsilon(t, d.Mean(), sum/n, 0.02, d)
		drawn := EmpiricalOf(values)
		for _, q := range []int{n / 10, n / 2, n * 9 / 10} {
			require.InDelta(t, d.CDF(drawn[q]), drawn.CDF(drawn[q]), 0.01, d)
		}
	}
}

// TestDensity checks that the density is the derivative of the CDF.
func TestDensity(t *testing.T) {
	const h = 1e-4
	for _, d := range []Dist{Uniform{2, 5}, Exponential(3), LogNormal{1, 0.5}, Normal{3, 2}, Weibull{1.7, 4},
		Gamma{2.5, 3}} {
		for _, x := range []float64{2.5, 3, 4.5} {
			require.InDelta(t, (d.CDF(x+h)-d.CDF(x-h))/(2*h), math.Exp(d.LogDensity(x)), 1e-5, d)
		}
	}
}

func TestLogNormalOf(t *testing.T) {
	l := LogNormalOf(100, 30)
	require.InDelta(t, 100, l.Mean(), 1e-9)
	require.InDelta(t, 30, l.law().StdDev(), 1e-9)
}

func TestParse(t *testing.T) {
	for _, d := range []Dist{Constant(7), Uniform{2, 5}, Exponential(3), LogNormal{-1, 0.5}, Normal{20, 2},
		Weibull{1.7, 4}, Gamma{2.5, 3}} {
		got, err := Parse(d.String())
		require.NoError(t, err)
		require.Equal(t, d, got)
	}
	got, err := Parse(" LogNormal( 1 , 2 ) ")
	require.NoError(t, err)
	require.Equal(t, LogNormal{1, 2}, got)
	got, err = Parse("250")
	require.NoError(t, err)
	require.Equal(t, Constant(250), got)
	for text, want := range map[string]string{
		"lognormal(1)":     "has 2 parameters, not 1",
		"exponential(0)":   "must be greater than 0",
		"exponental(1)":    "did you mean exponential?",
		"zipf(1)":          "the distributions are: constant",
		"uniform(5,2)":     "lower bound",
		"normal(1,x)":      `"x" is not a number`,
		"normal(1,-1)":     "must not be negative",
		"NaN":              "not a finite number",
		"":                 "want NAME(NUMBER,...)",
		"uniform(1,2":      "want NAME(NUMBER,...)",
		"constant(1e999)":  "is not a number",
		"gamma(inf,1)":     "not a finite number",
		"lognormal(1,2,3)": "has 2 parameters, not 3",
	} {
		_, err := Parse(text)
		require.ErrorContains(t, err, want, text)
		require.Equal(t, failure.Usage, failure.KindOf(err))
	}
}

func FuzzParse(f *testing.F) {
	f.Add("lognormal(1,2)")
	f.Add("3")
	f.Fuzz(func(t *testing.T, s string) {
		d, err := Parse(s)
		if err != nil {
			return
		}
		again, err := Parse(d.String())
		require.NoError(t, err)
		require.Equal(t, d, again)
	})
}
