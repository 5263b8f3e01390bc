package lab

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is the mean of a value over repetitions, and half the width of its 95% confidence
// interval.
type Interval struct {
	Mean, Half float64
	N          int // number of repetitions; 0 = the value is exact
}

// IntervalOf returns the mean of independent repetitions and its confidence interval, using
// Student's t. The width is infinite for fewer than two values.
func IntervalOf(values []float64) Interval {
	switch len(values) {
	case 0:
		return Interval{Half: math.Inf(1)}
	case 1:
		return Interval{Mean: values[0], Half: math.Inf(1), N: 1}
	}
	mean, deviation := stat.MeanStdDev(values, nil)
	n := float64(len(values))
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975)
	return Interval{mean, t * deviation / math.Sqrt(n), len(values)}
}

// Exact returns the value of a deterministic run.
func Exact(x float64) Interval { return Interval{Mean: x} }

// Once returns the value of one run that is not deterministic. Its interval is unknown.
func Once(x float64) Interval { return Interval{Mean: x, Half: math.Inf(1), N: 1} }

// by returns the kind of effect that the interval is.
func (i Interval) by() By {
	switch i.N {
	case 0:
		return ByExact
	case 1:
		return BySingle
	}
	return ByInterval
}

// ends returns the bounds of the interval, or the value twice if it is from one run.
func (i Interval) ends() (low, high float64) {
	if i.N == 1 {
		return i.Mean, i.Mean
	}
	return i.Low(), i.High()
}

// Least returns the interval with the smallest lower bound. All intervals are above a value if Least
// is.
func Least(all ...Interval) Interval {
	return slices.MinFunc(all, func(a, b Interval) int {
		x, _ := a.ends()
		y, _ := b.ends()
		return cmp.Compare(x, y)
	})
}

// Most returns the interval with the largest upper bound. All intervals are below a value if Most is.
func Most(all ...Interval) Interval {
	return slices.MaxFunc(all, func(a, b Interval) int {
		_, x := a.ends()
		_, y := b.ends()
		return cmp.Compare(x, y)
	})
}

// Farthest returns the interval that reaches farthest from x.
func Farthest(x float64, all ...Interval) Interval {
	reach := func(i Interval) float64 {
		low, high := i.ends()
		return max(high-x, x-low)
	}
	return slices.MaxFunc(all, func(a, b Interval) int { return cmp.Compare(reach(a), reach(b)) })
}

// Minus returns the difference of two intervals whose repetitions are not paired. The width is the
// sum of both widths, so the interval is wider than necessary.
func (i Interval) Minus(o Interval) Interval {
	return Interval{i.Mean - o.Mean, i.Half + o.Half, min(i.N, o.N)}
}

// Scale returns the interval of a + b times the value.
func (i Interval) Scale(a, b float64) Interval {
	return Interval{a + b*i.Mean, math.Abs(b) * i.Half, i.N}
}

// Gain returns the interval, in percent, of how much smaller a's mean is than b's mean, for paired
// repetitions. See Ratio.
func Gain(a, b []float64) Interval { return Ratio(a, b).Scale(100, -100) }

// Difference returns the interval of a-b from paired repetitions. Pairing cancels variation that
// affects both values of a pair. It ignores values without a partner.
func Difference(a, b []float64) Interval {
	d := make([]float64, min(len(a), len(b)))
	for i := range d {
		d[i] = a[i] - b[i]
	}
	return IntervalOf(d)
}

// Ratio returns the interval of a's mean divided by b's mean for paired repetitions, using the
// delta method. It ignores values without a partner. The mean of the interval is NaN if b's mean is
// 0.
func Ratio(a, b []float64) Interval {
	n := min(len(a), len(b))
	mb := stat.Mean(b[:n], nil)
	if mb == 0 {
		return Interval{Mean: math.NaN(), Half: math.Inf(1), N: n}
	}
	r := stat.Mean(a[:n], nil) / mb
	rest := make([]float64, n)
	for i := range rest {
		rest[i] = (a[i] - r*b[i]) / mb
	}
	return Interval{r, IntervalOf(rest).Half, n}
}

func (i Interval) String() string { return fmt.Sprintf("%.1f±%.1f", i.Mean, i.Half) }

// Fine formats the interval with two decimals.
func (i Interval) Fine() string { return fmt.Sprintf("%.2f±%.2f", i.Mean, i.Half) }

// Significant formats the interval with four significant digits of the mean and two of the width.
func (i Interval) Significant() string { return fmt.Sprintf("%.4g +- %.2g", i.Mean, i.Half) }

// Low returns the lower bound of the interval.
func (i Interval) Low() float64 { return i.Mean - i.Half }

// High returns the upper bound of the interval.
func (i Interval) High() float64 { return i.Mean + i.Half }

// Below reports whether the whole interval is below x.
func (i Interval) Below(x float64) bool { return i.High() < x }

// Above reports whether the whole interval is above x.
func (i Interval) Above(x float64) bool { return i.Low() > x }

// Span returns "low to high", or only low if both bounds look the same when printed with format.
func Span[N int | int32 | int64 | float64](format string, low, high N) string {
	a, b := fmt.Sprintf(format, low), fmt.Sprintf(format, high)
	if a == b {
		return a
	}
	return a + " to " + b
}
