package pool

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
	high := 1.0
	for i := 0; i < 64 && !gives(shares, high, total); i++ {
		high *= 2
	}
	low := 0.0
	for range bisections {
		middle := (low + high) / 2
		if gives(shares, middle, total) {
			high = middle
		} else {
			low = middle
		}
	}
	for i := range shares {
		shares[i].Fair = shares[i].at(high)
	}
}

// gives reports whether a ratio gives away as many slots as there are.
func gives(shares []Share, ratio, total float64) bool {
	sum := 0.0
	for i := range shares {
		if sum += shares[i].at(ratio); sum >= total {
			return true
		}
	}
	return sum >= total
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
