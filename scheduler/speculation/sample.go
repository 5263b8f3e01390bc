package speculation

import (
	"math"
	"slices"
)

// recent is the number of durations that a sample stores individually. More durations would make
// each judgment take longer and would hardly change which tasks are slow.
const recent = 256

// A sample summarizes the durations of a phase's successful attempts.
type sample struct {
	count int64
	sum   int64         // milliseconds
	last  [recent]int64 // the last durations, as a ring buffer
}

func (s *sample) add(millis int64) {
	s.last[s.count%recent] = millis
	s.count++
	s.sum += millis
}

// mean returns the mean duration in milliseconds, or 0 if there are none.
func (s *sample) mean() int64 {
	if s.count == 0 {
		return 0
	}
	return s.sum / s.count
}

// rates appends the rates of the last successful attempts to buf, in tasks per second.
func (s *sample) rates(buf []float64) []float64 {
	for _, d := range s.last[:min(s.count, recent)] {
		buf = append(buf, 1000/float64(d))
	}
	return buf
}

// percentile returns the p-th percentile of x, interpolated between neighbors, or 0 if x is empty. It
// sorts x.
func percentile(x []float64, p float64) float64 {
	if len(x) == 0 {
		return 0
	}
	slices.Sort(x)
	at := float64(float64(p)*float64(len(x)-1)) / 100
	low := int(at)
	if low+1 >= len(x) {
		return x[len(x)-1]
	}
	part := at - float64(low)
	return x[low] + float64(part*(x[low+1]-x[low]))
}

// meanAndDeviation returns the mean and the standard deviation. As in Hadoop's DataStatistics, the
// deviation is that of the population.
func meanAndDeviation(x []float64) (mean, std float64) {
	if len(x) == 0 {
		return 0, 0
	}
	sum, squares := 0.0, 0.0
	for _, v := range x {
		sum += v
	}
	mean = sum / float64(len(x))
	for _, v := range x {
		squares += float64((v - mean) * (v - mean))
	}
	return mean, math.Sqrt(squares / float64(len(x)))
}
