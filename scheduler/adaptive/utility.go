package adaptive

import (
	"math/bits"

	"github.com/howdah/howdah/job"
)

// unit is a utility of 1. Utilities are integers in millionths, so that comparisons have the same
// result on every machine.
const unit = 1_000_000

// worst represents a utility of minus infinity, as for a job without a slot.
const worst = -1 << 40

// A JobUtilityCalculator computes a job's utility under a placement (section IV-C).
type JobUtilityCalculator struct {
	logs []int64 // logarithms of 0, 1, 2, ... with 24 fractional bits
}

// log returns log2(n) from a table. n must be at least 1. The base does not matter, because the
// equations use only ratios of logarithms.
func (c *JobUtilityCalculator) log(n int32) int64 {
	for len(c.logs) <= int(n) {
		c.logs = append(c.logs, log2(uint64(len(c.logs))))
	}
	return c.logs[n]
}

// log2 returns the base-2 logarithm of n with 24 fractional bits. It computes the bits one by one,
// because squaring a number doubles its logarithm. log2(0) is 0.
func log2(n uint64) int64 {
	if n == 0 {
		return 0
	}
	whole := bits.Len64(n) - 1
	x := n << (31 - whole) // n < 2^32, scaled to [2^31, 2^32)
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

// ratio returns log(s)/log(of) - 1 in millionths, for 1 <= s <= of and of >= 2.
func (c *JobUtilityCalculator) ratio(s, of int32) int64 {
	return c.log(s)*unit/c.log(of) - unit
}

// Map returns u_j^M of equation 2 for a job with s allocated slots. The job needs fit slots in this
// cycle and req slots over time, and it could use pend slots. As in the equation, Map is 0 at s =
// fit, although the text of the paper says s = req. If fit = req, Map is the utility of
// Middleware'11.
func (c *JobUtilityCalculator) Map(s, fit, req, pend int32) int64 {
	switch {
	case s >= pend:
		return unit // no use for more slots; also for a job without maps
	case s <= 0 && fit > 0:
		return worst
	case s < fit: // fit is at least 2 here, so its logarithm is positive
		return c.ratio(s, fit)
	case fit >= req:
		return int64(s-fit) * unit / int64(pend-fit)
	case s <= req:
		return int64(s-fit) * unit / (2 * int64(req-fit))
	}
	return int64(s-req)*unit/(2*int64(pend-req)) + unit/2
}

// Reduce returns u_j^R of equation 3, in [-1, 0]. For reduces without a slot, where the logarithm is
// undefined, it returns -1.
func (c *JobUtilityCalculator) Reduce(r, pend int32) int64 {
	switch {
	case r >= pend:
		return 0
	case r <= 0:
		return -unit
	}
	return c.ratio(r, pend)
}

// of returns u_j(P) of equation 1, at most 1.
func (c *JobUtilityCalculator) of(d *descriptor) int64 {
	return min(unit, c.Map(d.alloc[job.Map], d.fit, d.req, d.want[job.Map])+c.Reduce(d.alloc[job.Reduce],
		d.want[job.Reduce]))
}
