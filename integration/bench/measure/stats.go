//go:build integration

package measure

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Median returns the median. The argument must not be empty.
func Median(all []float64) float64 {
	s := slices.Sorted(slices.Values(all))
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}

// MinPairs is the smallest number of pairs for which there is a 95% interval.
const MinPairs = 6

// Ratio is the median of the ratios of pairs, with its 95% confidence interval.
type Ratio struct{ Median, Low, High float64 }

// Compare returns the ratio of after to before. Figures with the same index are a pair, which was
// measured at about the same time. The interval does not depend on the distribution, because its
// ends are order statistics (sign test). Compare needs at least MinPairs pairs.
func Compare(before, after []float64) Ratio {
	r := make([]float64, len(before))
	for i := range r {
		r[i] = after[i] / before[i]
	}
	slices.Sort(r)
	// The median is below r[k] with the probability that at most k of n fair coins show heads. The
	// same holds for above r[n-1-k].
	coins, k := distuv.Binomial{N: float64(len(r)), P: 0.5}, 0
	for coins.CDF(float64(k+1)) <= 0.025 {
		k++
	}
	return Ratio{Median(r), r[k], r[len(r)-1-k]}
}

// slack is the ratio of two revisions' figures above which there is a regression.
const slack = 1.1

// Regressed reports whether the new figures are more than 10% larger than the old ones, and the
// interval shows that this is not due to chance.
func (r Ratio) Regressed() bool { return r.Median > slack && r.Low > 1 }

// Exponent returns the exponent e for which y = c·xᵉ fits the points best on a logarithmic scale.
// If there are fewer than two points, it returns NaN.
func Exponent(x, y []float64) float64 {
	if len(x) < 2 {
		return math.NaN()
	}
	_, e := stat.LinearRegression(logs(x), logs(y), nil, false)
	return e
}

func logs(v []float64) []float64 {
	out := make([]float64, len(v))
	for i := range v {
		out[i] = math.Log(v[i])
	}
	return out
}
