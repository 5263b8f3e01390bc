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

// Fit is a distribution with the likeliest parameters, and how good it is.
type Fit struct {
	Dist dist.Dist
	// KS is the Kolmogorov-Smirnov statistic: the greatest distance between the distribution and what was seen, 0 to 1.
	KS float64
	// LogLikelihood is the logarithm of the density of what was seen, and AIC = 2 k - 2 LogLikelihood with k parameters: less is
	// better.
	LogLikelihood, AIC float64
}

// Fits fits exponential, lognormal, normal, Weibull and Gamma distributions by maximum likelihood, the best by KS first; last comes
// the empirical one, the durations themselves, which fits always and explains nothing. Durations
// are taken as at least 1 ms, since most of these distributions know no 0. Fewer than two different durations have no fit but
// the constant one; none have none.
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

// measure tells how well a distribution fits sorted values.
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

// rounded keeps six digits of a parameter: more would not be known anyway, and nobody could read them.
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

// weibull solves the likelihood equation of the shape k, sum(x^k ln x)/sum(x^k) - 1/k = mean(ln x), by bisection: the left
// side grows with k. Values are taken relative to the greatest, so that powers do not overflow.
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

// gamma solves ln k - digamma(k) = ln mean - mean of logs for the shape k; the left side falls with k.
func gamma(x []float64) dist.Dist {
	mean := stat.Mean(x, nil)
	s := math.Log(mean) - stat.Mean(logs(x), nil)
	k := bisect(func(k float64) float64 { return s - (math.Log(k) - mathext.Digamma(k)) }, 1e-4, 1e9)
	return dist.Gamma{Shape: rounded(k), Scale: rounded(mean / k)}
}

// bisect finds where a rising function is 0, in steps of equal ratio.
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
