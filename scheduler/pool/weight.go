package pool

import (
	"math/bits"

	"github.com/howdah/howdah/job"
)

// priorityFactor returns the weight factor of the priority. Each level has twice the factor of the
// level below.
func priorityFactor(p job.Priority) float64 {
	switch {
	case p >= job.VeryHigh:
		return 4
	case p == job.High:
		return 2
	case p == job.Normal:
		return 1
	case p == job.Low:
		return 0.5
	}
	return 0.25
}

// fraction is the number of fractional bits of log2.
const fraction = 16

// log2 returns the base-2 logarithm of n+1 with 16 fractional bits, computed by squaring. The
// result of the standard library might differ between processors in the last digit, but decisions
// must not.
func log2(n int32) float64 {
	x := uint64(max(n, 0)) + 1
	whole := bits.Len64(x) - 1
	x <<= 31 - whole // 1.0 = 1<<31
	digits := uint64(0)
	for range fraction {
		x = x * x >> 31
		digits <<= 1
		if x >= 1<<32 {
			digits |= 1
			x >>= 1
		}
	}
	return float64(uint64(whole)<<fraction|digits) / (1 << fraction)
}

// weight returns the weight of the job in its pool (FairScheduler.getJobWeight).
func (s *Settings) weight(j *Job, k job.TaskType) float64 {
	w := priorityFactor(j.Priority)
	if s.SizeBasedWeight && j.Runnable {
		w = float64(w * log2(j.Demand[k]))
	}
	if j.boosted {
		w = float64(w * s.BoosterFactor)
	}
	return w
}
