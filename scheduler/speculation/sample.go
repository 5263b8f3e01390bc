package speculation

import (
	"math"
	"slices"
)

// recent is how many durations a sample keeps one by one. More would not change what is slow, and cost time at each look.
const recent = 256

// sample is what is known of a phase's finished attempts.
type sample struct {
	count int64
	sum   int64         // milliseconds
	last  [recent]int64 // the latest durations, a ring
}

func (s *sample) add(millis int64) {
	s.last[s.count%recent] = millis
	s.count++
	s.sum += millis
}

// mean duration in milliseconds; 0 = none has finished.
func (s *sample) mean() int64 {
	if s.count == 0 {
		return 0
	}
	return s.sum / s.count
}

// rates appends the rates of the latest finished attempts, in tasks per second.
func (s *sample) rates(buf []float64) []float64 {
	for _, d := range s.last[:min(s.count, recent)] {
		buf = append(buf, 1000/float64(d))
	}
	return buf
}

// percentile gives the value below which p percent of the values lie, between two of them by proportion. It sorts them.
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

// meanAndDeviation gives the mean and the standard deviation (of the population, as Hadoop's DataStatistics).
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
