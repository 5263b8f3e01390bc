package pool

import "math"

// Share is one that wants slots: a pool, or a job.
type Share struct {
	Weight float64
	Min    int32 // it gets this much of what it wants in any case
	Demand int32 // it gets no more; a limit on running tasks is part of it
	Fair   float64
}

// bisections is how often the search for the ratio halves its interval (SchedulingAlgorithms.COMPUTE_FAIR_SHARES_ITERATIONS).
const bisections = 25

// FairShares divides slots by weighted max-min fairness (SchedulingAlgorithms.computeFairShares): it looks for the ratio r at
// which the shares min(demand, max(min share, weight x r)) sum up to what there is. Where the min shares alone sum up to
// more, each gets its own: the order in which pools are served then divides the slots in that proportion.
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

// search remembers what is known of ratios, so that most steps of a bisection need not add up all shares: a larger ratio never
// gives less.
type search struct {
	shares []Share
	total  float64
	less   float64 // no ratio up to this one gives the total
	enough float64 // every ratio from this one on does
}

// gives reports whether a ratio gives away as many slots as there are.
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

// narrow guesses the ratio that gives just the total, by solving for it as if those at a limit stayed there, and tries
// the ratios next to it.
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

// at is the share at a ratio of slots to weight.
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
