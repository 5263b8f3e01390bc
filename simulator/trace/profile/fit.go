package profile

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"

	"github.com/howdah/howdah/simulator/trace/dist"
)

// Fit is a distribution with maximum-likelihood parameters and its goodness of fit.
type Fit struct {
	Dist dist.Dist
	// KS is the Kolmogorov-Smirnov statistic, the maximum distance between the distribution and the
	// data, from 0 to 1.
	KS float64
	// LogLikelihood is the sum of the logarithms of the densities at the data. AIC is 2 k - 2
	// LogLikelihood for k parameters; lower is better.
	LogLikelihood, AIC float64
}

// Fits fits exponential, lognormal, normal, Weibull, and gamma distributions by maximum likelihood,
// and sorts them by KS, best first. The empirical distribution comes last because it always fits
// and explains nothing. Durations below 1 ms count as 1 ms because most of these distributions
// exclude 0. If all durations are equal, only the constant distribution fits. If no durations are
// given, Fits returns nil.
func Fits(durations []float64) []Fit {
	if len(durations) == 0 {
		return nil
	}
	x := slices.Clone(durations)
	for i := range x {
		x[i] = max(1, x[i])
	}
	slices.Sort(x)
	if x[0] == x[len(x)-1] {
		return []Fit{{Dist: dist.Constant(x[0]), AIC: 2}}
	}
	var list []Fit
	for _, d := range []dist.Dist{exponential(x), lognormal(x), normal(x), weibull(x), gamma(x)} {
		if f := measure(d, x); !math.IsNaN(f.KS) && !math.IsNaN(f.LogLikelihood) {
			list = append(list, f)
		}
	}
	slices.SortStableFunc(list, func(a, b Fit) int { return cmp.Compare(a.KS, b.KS) })
	return append(list, measure(dist.Empirical(x), x))
}

// measure returns the goodness of fit of the distribution to the sorted values.
func measure(d dist.Dist, x []float64) Fit {
	f := Fit{Dist: d}
	n := float64(len(x))
	for i, v := range x {
		c := d.CDF(v)
		f.KS = max(f.KS, c-float64(i)/n, float64(i+1)/n-c)
		f.LogLikelihood += d.LogDensity(v)
	}
	f.AIC = 2*float64(d.Parameters()) - 2*f.LogLikelihood
	return f
}

func exponential(x []float64) dist.Dist { return dist.Exponential(rounded(stat.Mean(x, nil))) }

// rounded rounds a parameter to six significant digits. More digits would be neither accurate nor
// readable.
func rounded(x float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64)
	if err != nil {
		return x
	}
	return r
}

func normal(x []float64) dist.Dist {
	mean, sd := stat.PopMeanStdDev(x, nil)
	return dist.Normal{Mu: rounded(mean), Sigma: rounded(sd)}
}

func lognormal(x []float64) dist.Dist {
	mean, sd := stat.PopMeanStdDev(logs(x), nil)
	return dist.LogNormal{Mu: rounded(mean), Sigma: rounded(sd)}
}

func logs(x []float64) []float64 {
	l := make([]float64, len(x))
	for i := range x {
		l[i] = math.Log(x[i])
	}
	return l
}

// weibull solves the likelihood equation for the shape k, sum(x^k ln x)/sum(x^k) - 1/k = mean(ln
// x), by bisection. The left side increases with k. Values are scaled by the maximum to prevent
// overflow of powers.
func weibull(x []float64) dist.Dist {
	top := x[len(x)-1]
	l := logs(x)
	mean := stat.Mean(l, nil)
	side := func(k float64) float64 {
		up, down := 0.0, 0.0
		for i := range x {
			p := math.Pow(x[i]/top, k)
			up += p * l[i]
			down += p
		}
		return up/down - 1/k - mean
	}
	k := bisect(side, 1e-3, 1e4)
	sum := 0.0
	for i := range x {
		sum += math.Pow(x[i]/top, k)
	}
	return dist.Weibull{Shape: rounded(k), Scale: rounded(top * math.Pow(sum/float64(len(x)), 1/k))}
}

// gamma solves ln k - digamma(k) = ln mean - mean of logs for the shape k. The left side decreases
// with k.
func gamma(x []float64) dist.Dist {
	mean := stat.Mean(x, nil)
	s := math.Log(mean) - stat.Mean(logs(x), nil)
	k := bisect(func(k float64) float64 { return s - (math.Log(k) - mathext.Digamma(k)) }, 1e-4, 1e9)
	return dist.Gamma{Shape: rounded(k), Scale: rounded(mean / k)}
}

// bisect returns the zero of an increasing function between low and high. It splits the interval at
// the geometric mean.
func bisect(f func(float64) float64, low, high float64) float64 {
	for range 200 {
		mid := math.Sqrt(low * high)
		if f(mid) < 0 {
			low = mid
		} else {
			high = mid
		}
	}
	return math.Sqrt(low * high)
}
