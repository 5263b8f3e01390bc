package estimate

import (
	"math"

	"github.com/howdah/howdah/job"
)

// slack is the fraction of a goal by which a prediction may exceed the goal before the goal counts
// as missed. Rounding errors are much smaller.
const slack = 1e-9

// A form is a bound in the form of SIM equation 1: T = a/SM + b/SR + c, with a = A*NM and b = B*NR.
type form struct{ a, b, c float64 }

// form returns the coefficients of a bound. oneWave means that every reduce has a slot, so that no
// reduce has a typical shuffle. The profile must be complete.
func (p *Profile) form(bound Bound, tasks [2]int32, oneWave bool) form {
	low, up := p.low(tasks, oneWave), p.up(tasks, oneWave)
	switch bound {
	case Low:
		return low
	case Up:
		return up
	}
	return form{(low.a + up.a) / 2, (low.b + up.b) / 2, (low.c + up.c) / 2}
}

// low returns the lower bound NM*M/SM + Sh1 + (NR/SR - 1)*Sht + NR*R/SR, with the average of each
// phase. If oneWave is set, the term of Sht is missing.
func (p *Profile) low(tasks [2]int32, oneWave bool) (f form) {
	f.a = float64(tasks[job.Map]) * p.Map.Avg
	n := float64(tasks[job.Reduce])
	if n == 0 {
		return f
	}
	f.b, f.c = n*p.Reduce.Avg, p.First.Avg
	if !oneWave {
		f.b, f.c = n*(p.Typical.Avg+p.Reduce.Avg), p.First.Avg-p.Typical.Avg
	}
	return f
}

// up returns the upper bound (NM-1)*M/SM + Mmax + Sh1max + ((NR-1)/SR - 1)*Sht + Shtmax +
// (NR-1)*R/SR + Rmax. If oneWave is set, the terms of Sht are missing.
func (p *Profile) up(tasks [2]int32, oneWave bool) (f form) {
	if n := float64(tasks[job.Map]); n > 0 {
		f.a, f.c = (n-1)*p.Map.Avg, p.Map.Max
	}
	n := float64(tasks[job.Reduce])
	if n == 0 {
		return f
	}
	f.b = (n - 1) * p.Reduce.Avg
	f.c += p.First.Max + p.Reduce.Max
	if !oneWave {
		f.b = (n - 1) * (p.Typical.Avg + p.Reduce.Avg)
		f.c += p.Typical.Max - p.Typical.Avg
	}
	return f
}

// at evaluates the bound for the given slots. A phase without tasks takes no time.
func (f form) at(slots [2]int32) float64 {
	t := f.c
	if f.a > 0 {
		t += f.a / float64(slots[job.Map])
	}
	if f.b > 0 {
		t += f.b / float64(slots[job.Reduce])
	}
	return t
}

// Makespan returns a bound on the duration of a job with the given slots, in milliseconds. Slots
// beyond the number of tasks do not change the result. If a phase has tasks but no slots, the
// result is +Inf.
func (p *Profile) Makespan(b Bound, tasks, slots [2]int32) float64 {
	for k := range slots {
		slots[k] = min(slots[k], tasks[k])
		if tasks[k] > 0 && slots[k] <= 0 {
			return math.Inf(1)
		}
	}
	full := p.Complete()
	f := full.form(b, tasks, slots[job.Reduce] == tasks[job.Reduce])
	return f.at(slots)
}

// MinSlots returns map and reduce slots with which the job takes no longer than within, in
// milliseconds. Their sum is the smallest possible or one more. With a Lagrange multiplier, it
// finds the point of the hyperbola a/SM + b/SR = within - c that minimizes SM + SR, and rounds up.
//
// The result never exceeds limit or the number of tasks. If even that many slots are not enough,
// MinSlots returns that many.
func (p *Profile) MinSlots(b Bound, tasks [2]int32, within float64, limit [2]int32) [2]int32 {
	for k := range limit {
		limit[k] = max(0, min(limit[k], tasks[k]))
	}
	goal := within + math.Abs(within)*slack
	if !(p.Makespan(b, tasks, limit) <= goal) {
		return limit
	}
	best := limit
	full := p.Complete()
	try := func(s [2]int32) {
		s = full.shrink(b, tasks, s, goal)
		if s[0]+s[1] < best[0]+best[1] && full.Makespan(b, tasks, s) <= goal {
			best = s
		}
	}
	several := full.form(b, tasks, false)
	try(several.least(within, limit))
	if limit[job.Reduce] == tasks[job.Reduce] { // the bound is lower if one wave is enough
		one := full.form(b, tasks, true)
		try([2]int32{one.other(one.a, one.b, within, limit[job.Reduce], limit[job.Map]), limit[job.Reduce]})
	}
	return best
}

// least returns the tangent point SM = sqrt(a)(sqrt(a)+sqrt(b))/D, SR = sqrt(b)(sqrt(a)+sqrt(b))/D
// with D = within - c, rounded up. If one value is outside 1..limit, least clips it and computes
// the other value from the hyperbola.
func (f form) least(within float64, limit [2]int32) [2]int32 {
	d := within - f.c
	if !(d > 0) {
		return limit
	}
	ra, rb := math.Sqrt(f.a), math.Sqrt(f.b)
	maps, reduces := float64(ra*(ra+rb))/d, float64(rb*(ra+rb))/d
	m, r := up(maps, limit[job.Map]), up(reduces, limit[job.Reduce])
	if float64(r) < reduces || reduces < 1 {
		m = f.other(f.a, f.b, within, r, limit[job.Map])
	}
	if float64(m) < maps || maps < 1 {
		r = f.other(f.b, f.a, within, m, limit[job.Reduce])
	}
	return [2]int32{m, r}
}

// other solves own/x + fixed/slots + c = within for x, and rounds x up to a number in 1..limit. It
// returns limit if no such number is large enough.
func (f form) other(own, fixed, within float64, slots, limit int32) int32 {
	d := within - f.c
	if fixed > 0 {
		d -= fixed / float64(slots)
	}
	if own == 0 {
		return min(1, limit)
	}
	if !(d > 0) {
		return limit
	}
	return up(own/d, limit)
}

// up rounds x up to a number in 1..limit. It returns 0 if limit is 0.
func up(x float64, limit int32) int32 {
	if !(x < float64(limit)) {
		return limit
	}
	return min(limit, max(1, int32(math.Ceil(x-float64(x*slack)))))
}

// shrink returns s without the slots that rounding up has added unnecessarily. The job still ends
// within goal if it did so with s.
func (p *Profile) shrink(b Bound, tasks, s [2]int32, goal float64) [2]int32 {
	for k := range s {
		for s[k] > 1 {
			less := s
			less[k]--
			if p.Makespan(b, tasks, less) > goal {
				break
			}
			s = less
		}
	}
	return s
}
