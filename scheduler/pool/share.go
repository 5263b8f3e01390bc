package pool

import "math"

// A Share holds a pool's or a job's claim on the slots and the resulting fair share.
type Share struct {
	Weight float64
	Min    int32 // minimum, but not more than Demand
	Demand int32 // maximum, with limits on running tasks applied
	Fair   float64
}

// bisections is the number of bisections in the search for the ratio
// (SchedulingAlgorithms.COMPUTE_FAIR_SHARES_ITERATIONS).
const bisections = 25

// FairShares divides slots by weighted max-min fairness (SchedulingAlgorithms.computeFairShares).
// It searches for the ratio r for which the sum of the shares min(demand, max(min share, weight x
// r)) equals slots, or the total demand if that is less. If the sum of the min shares exceeds
// slots, each share is its min share. The order in which the scheduler serves pools then decides
// who gets the slots.
func FairShares(shares []Share, slots int32) {
	demand := 0.0
	for i := range shares {
		demand += float64(shares[i].Demand)
	}
	total := min(float64(slots), demand)
	s := search{shares: shares, total: total, less: -1, enough: math.Inf(1)}
	s.narrow()
	high := 1.0
	for i := 0; i < 64 && !s.gives(high); i++ {
		high *= 2
	}
	low := 0.0
	for range bisections {
		if middle := (low + high) / 2; s.gives(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	for i := range shares {
		shares[i].Fair = shares[i].at(high)
	}
}

// A search records for which ratios the sum of the shares is known to be too small or large enough.
// A larger ratio never yields a smaller sum. Most steps of the bisection therefore need not add up
// all shares.
type search struct {
	shares []Share
	total  float64
	less   float64 // ratios up to this one yield less than total
	enough float64 // ratios from this one on yield at least total
}

// gives reports whether the sum of the shares at a ratio reaches total.
func (s *search) gives(ratio float64) bool {
	switch {
	case ratio <= s.less:
		return false
	case ratio >= s.enough:
		return true
	}
	sum := 0.0
	for i := range s.shares {
		if sum += s.shares[i].at(ratio); sum >= s.total {
			s.enough = ratio
			return true
		}
	}
	s.less = ratio
	return false
}

// narrow narrows the search to a small range. It computes a ratio that should yield exactly total,
// and tries the ratios just below and above it.
func (s *search) narrow() {
	const guesses, margin = 8, 1e-9
	ratio := 0.0
	for range guesses {
		left, weight := s.total, 0.0
		for i := range s.shares {
			x := &s.shares[i]
			if at := x.at(ratio); at == float64(x.Weight*ratio) {
				weight += x.Weight
			} else {
				left -= at
			}
		}
		if left <= 0 || weight == 0 || left/weight == ratio {
			break
		}
		ratio = left / weight
	}
	s.gives(ratio - float64(ratio*margin))
	s.gives(ratio + float64(ratio*margin))
}

// at returns the share at a ratio of slots to weight.
func (s *Share) at(ratio float64) float64 {
	x := float64(s.Weight * ratio)
	if least := float64(s.Min); x < least {
		x = least
	}
	if most := float64(s.Demand); x > most {
		x = most
	}
	return x
}
