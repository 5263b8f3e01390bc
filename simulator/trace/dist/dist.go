// Package dist provides probability distributions for generating and fitting workloads: sampling,
// likelihood, and a notation for the command line. A distribution is a value. It is safe for
// concurrent use if each goroutine has its own random stream.
package dist

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

// Dist is the distribution of a nonnegative quantity, such as a size or a duration in ms.
type Dist interface {
	// Draw returns a random value from the stream. Negative values become 0.
	Draw(r *rand.Rand) float64
	Mean() float64
	// CDF returns the probability that a value is at most x.
	CDF(x float64) float64
	// LogDensity returns the natural logarithm of the density at x.
	LogDensity(x float64) float64
	// Parameters returns the number of parameters that a fit estimates.
	Parameters() int
	// String returns the distribution in the notation of Parse. Parse does not accept an Empirical.
	fmt.Stringer
}

// Constant is the distribution of a single value.
type Constant float64

// Draw returns the value.
func (c Constant) Draw(*rand.Rand) float64 { return float64(c) }

// Mean returns the value.
func (c Constant) Mean() float64 { return float64(c) }

// CDF returns 0 below the value and 1 at or above it.
func (c Constant) CDF(x float64) float64 {
	if x < float64(c) {
		return 0
	}
	return 1
}

// LogDensity returns 0 at the value and minus infinity elsewhere.
func (c Constant) LogDensity(x float64) float64 {
	if x == float64(c) {
		return 0
	}
	return math.Inf(-1)
}

// Parameters returns 1.
func (Constant) Parameters() int { return 1 }

func (c Constant) String() string { return fmt.Sprintf("constant(%g)", float64(c)) }

// Uniform is the uniform distribution between two bounds.
type Uniform struct{ Low, High float64 }

func (u Uniform) law() distuv.Uniform { return distuv.Uniform{Min: u.Low, Max: u.High} }

// Draw returns a random value from the stream.
func (u Uniform) Draw(r *rand.Rand) float64 { return u.Low + r.Float64()*(u.High-u.Low) }

// Mean returns the midpoint.
func (u Uniform) Mean() float64 { return (u.Low + u.High) / 2 }

// CDF returns the probability that a value is at most x.
func (u Uniform) CDF(x float64) float64 { return u.law().CDF(x) }

// LogDensity returns the logarithm of the density at x.
func (u Uniform) LogDensity(x float64) float64 { return u.law().LogProb(x) }

// Parameters returns 2.
func (Uniform) Parameters() int { return 2 }

func (u Uniform) String() string { return fmt.Sprintf("uniform(%g,%g)", u.Low, u.High) }

// Exponential is the exponential distribution with the given mean.
type Exponential float64

func (e Exponential) law() distuv.Exponential { return distuv.Exponential{Rate: 1 / float64(e)} }

// Draw returns a random value from the stream.
func (e Exponential) Draw(r *rand.Rand) float64 { return r.ExpFloat64() * float64(e) }

// Mean returns the parameter.
func (e Exponential) Mean() float64 { return float64(e) }

// CDF returns the probability that a value is at most x.
func (e Exponential) CDF(x float64) float64 { return e.law().CDF(x) }

// LogDensity returns the logarithm of the density at x.
func (e Exponential) LogDensity(x float64) float64 { return e.law().LogProb(x) }

// Parameters returns 1.
func (Exponential) Parameters() int { return 1 }

func (e Exponential) String() string { return fmt.Sprintf("exponential(%g)", float64(e)) }

// LogNormal is the distribution of a value whose natural logarithm is normal with mean Mu and
// standard deviation Sigma.
type LogNormal struct{ Mu, Sigma float64 }

// LogNormalOf returns the lognormal distribution whose values have the given mean and standard
// deviation.
func LogNormalOf(mean, sd float64) LogNormal {
	s2 := math.Log1p(sd * sd / (mean * mean))
	return LogNormal{Mu: math.Log(mean) - s2/2, Sigma: math.Sqrt(s2)}
}

func (l LogNormal) law() distuv.LogNormal { return distuv.LogNormal{Mu: l.Mu, Sigma: l.Sigma} }

// Draw returns a random value from the stream.
func (l LogNormal) Draw(r *rand.Rand) float64 { return math.Exp(l.Mu + l.Sigma*r.NormFloat64()) }

// Mean returns exp(Mu + Sigma²/2).
func (l LogNormal) Mean() float64 { return l.law().Mean() }

// CDF returns the probability that a value is at most x.
func (l LogNormal) CDF(x float64) float64 {
	if x <= 0 {
		return 0
	}
	return l.law().CDF(x)
}

// LogDensity returns the logarithm of the density at x.
func (l LogNormal) LogDensity(x float64) float64 {
	if x <= 0 {
		return math.Inf(-1)
	}
	return l.law().LogProb(x)
}

// Parameters returns 2.
func (LogNormal) Parameters() int { return 2 }

func (l LogNormal) String() string { return fmt.Sprintf("lognormal(%g,%g)", l.Mu, l.Sigma) }

// Normal is the normal distribution. Draw replaces negative values with 0; the other methods do not
// account for this.
type Normal struct{ Mu, Sigma float64 }

func (n Normal) law() distuv.Normal { return distuv.Normal{Mu: n.Mu, Sigma: n.Sigma} }

// Draw returns a random value from the stream, at least 0.
func (n Normal) Draw(r *rand.Rand) float64 { return max(0, n.Mu+n.Sigma*r.NormFloat64()) }

// Mean returns Mu.
func (n Normal) Mean() float64 { return n.Mu }

// CDF returns the probability that a value is at most x.
func (n Normal) CDF(x float64) float64 { return n.law().CDF(x) }

// LogDensity returns the logarithm of the density at x.
func (n Normal) LogDensity(x float64) float64 { return n.law().LogProb(x) }

// Parameters returns 2.
func (Normal) Parameters() int { return 2 }

func (n Normal) String() string { return fmt.Sprintf("normal(%g,%g)", n.Mu, n.Sigma) }

// Weibull is the Weibull distribution.
type Weibull struct{ Shape, Scale float64 }

func (w Weibull) law() distuv.Weibull { return distuv.Weibull{K: w.Shape, Lambda: w.Scale} }

// Draw returns a random value from the stream.
func (w Weibull) Draw(r *rand.Rand) float64 { return w.Scale * math.Pow(r.ExpFloat64(), 1/w.Shape) }

// Mean returns Scale times the gamma function of 1 + 1/Shape.
func (w Weibull) Mean() float64 { return w.law().Mean() }

// CDF returns the probability that a value is at most x.
func (w Weibull) CDF(x float64) float64 { return w.law().CDF(x) }

// LogDensity returns the logarithm of the density at x.
func (w Weibull) LogDensity(x float64) float64 {
	if x <= 0 {
		return math.Inf(-1)
	}
	return w.law().LogProb(x)
}

// Parameters returns 2.
func (Weibull) Parameters() int { return 2 }

func (w Weibull) String() string { return fmt.Sprintf("weibull(%g,%g)", w.Shape, w.Scale) }

// Gamma is the gamma distribution.
type Gamma struct{ Shape, Scale float64 }

func (g Gamma) law() distuv.Gamma { return distuv.Gamma{Alpha: g.Shape, Beta: 1 / g.Scale} }

// Draw returns a random value from the stream.
func (g Gamma) Draw(r *rand.Rand) float64 {
	law := g.law()
	law.Src = r
	return law.Rand()
}

// Mean returns Shape times Scale.
func (g Gamma) Mean() float64 { return g.Shape * g.Scale }

// CDF returns the probability that a value is at most x.
func (g Gamma) CDF(x float64) float64 {
	if x <= 0 {
		return 0
	}
	return g.law().CDF(x)
}

// LogDensity returns the logarithm of the density at x.
func (g Gamma) LogDensity(x float64) float64 {
	if x <= 0 {
		return math.Inf(-1)
	}
	return g.law().LogProb(x)
}

// Parameters returns 2.
func (Gamma) Parameters() int { return 2 }

func (g Gamma) String() string { return fmt.Sprintf("gamma(%g,%g)", g.Shape, g.Scale) }

// Empirical is the distribution of observed values, each equally likely. The values are sorted.
type Empirical []float64

// EmpiricalOf returns a sorted copy of the values.
func EmpiricalOf(values []float64) Empirical {
	e := append(Empirical(nil), values...)
	sort.Float64s(e)
	return e
}

// Draw returns one of the values, or 0 if Empirical is empty.
func (e Empirical) Draw(r *rand.Rand) float64 {
	if len(e) == 0 {
		return 0
	}
	return e[r.IntN(len(e))]
}

// Mean returns the mean of the values.
func (e Empirical) Mean() float64 {
	sum := 0.0
	for _, x := range e {
		sum += x
	}
	return sum / float64(max(1, len(e)))
}

// CDF returns the share of values that are at most x.
func (e Empirical) CDF(x float64) float64 {
	n := sort.Search(len(e), func(i int) bool { return e[i] > x })
	return float64(n) / float64(max(1, len(e)))
}

// LogDensity returns the logarithm of the share of values that equal x.
func (e Empirical) LogDensity(x float64) float64 {
	first := sort.SearchFloat64s(e, x)
	n := sort.Search(len(e), func(i int) bool { return e[i] > x }) - first
	return math.Log(float64(n) / float64(max(1, len(e))))
}

// Parameters returns the number of values.
func (e Empirical) Parameters() int { return len(e) }

func (e Empirical) String() string { return fmt.Sprintf("empirical(%d values)", len(e)) }
