package adaptive

import (
	"math/bits"

	"github.com/howdah/howdah/job"
)

// unit is the utility 1; utilities are whole numbers of millionths, so that comparing two of them is the same on every machine.
const unit = 1_000_000

// worst stands for a utility of minus infinity: a job without a slot.
const worst = -1 << 40

// JobUtilityCalculator gives the satisfaction of a job with a placement (section IV-C).
type JobUtilityCalculator struct {
	logs []int64 // of 0, 1, 2, ... with 24 bits of fraction
}

// log gives the logarithm to base 2 of n >= 1, with 24 bits of fraction. Only ratios of logarithms count, so any base does.
func (c *JobUtilityCalculator) log(n int32) int64 {
	for len(c.logs) <= int(n) {
		c.logs = append(c.logs, log2(uint64(len(c.logs))))
	}
	return c.logs[n]
}

// log2 finds the bits of a logarithm one by one: squaring a number doubles its logarithm.
func log2(n uint64) int64 {
	if n == 0 {
		return 0
	}
	whole := bits.Len64(n) - 1
	x := n << (31 - whole) // n < 2^32, scaled into [2^31, 2^32)
	log := int64(whole)
	for range 24 {
		x = x * x >> 31
		log <<= 1
		if x >= 1<<32 {
			x >>= 1
			log |= 1
		}
	}
	return log
}

// ratio is log(s)/log(of) - 1, for 1 <= s <= of and of >= 2.
func (c *JobUtilityCalculator) ratio(s, of int32) int64 {
	return c.log(s)*unit/c.log(of) - unit
}

// Map is u_j^M of equation 2, for s allocated slots of which fit are needed in this cycle, req over time and pend could be
// used. It is 0 at s = fit, as the equation says (the prose puts 0 at req). With fit = req it is the utility of Middleware'11.
func (c *JobUtilityCalculator) Map(s, fit, req, pend int32) int64 {
	switch {
	case s >= pend:
		return unit // there is no more to want; also of a job without maps
	case s <= 0 && fit > 0:
		return worst
	case s < fit: // so fit is at least 2, and the logarithm of it more than 0
		return c.ratio(s, fit)
	case fit >= req:
		return int64(s-fit) * unit / int64(pend-fit)
	case s <= req:
		return int64(s-fit) * unit / (2 * int64(req-fit))
	}
	return int64(s-req)*unit/(2*int64(pend-req)) + unit/2
}

// Reduce is u_j^R of equation 3. Its range is [-1, 0], so it is -1 also without any slot, where the logarithm is not defined.
func (c *JobUtilityCalculator) Reduce(r, pend int32) int64 {
	switch {
	case r >= pend:
		return 0
	case r <= 0:
		return -unit
	}
	return c.ratio(r, pend)
}

// of is u_j(P) of equation 1.
func (c *JobUtilityCalculator) of(d *descriptor) int64 {
	return min(unit, c.Map(d.alloc[job.Map], d.fit, d.req, d.want[job.Map])+c.Reduce(d.alloc[job.Reduce], d.want[job.Reduce]))
}
