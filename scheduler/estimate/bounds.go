package estimate

import (
	"math"

	"github.com/howdah/howdah/job"
)

// slack is how much a prediction may pass a goal before it counts as passed: rounding errors are far below it.
const slack = 1e-9

// form is a bound as SIM equation 1 writes it: T = a/SM + b/SR + c, with a = A*NM and b = B*NR.
type form struct{ a, b, c float64 }

// form gives the coefficients. If there is a slot for every reduce, no reduce has a typical shuffle. The profile is complete.
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

// low: NM*M/SM + Sh1 + (NR/SR - 1)*Sht + NR*R/SR, each phase by its average.
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

// up: (NM-1)*M/SM + Mmax + Sh1max + ((NR-1)/SR - 1)*Sht + Shtmax + (NR-1)*R/SR + Rmax.
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

// at evaluates the bound; a phase without tasks takes no time.
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

// Makespan bounds how long the job takes from start to end, in milliseconds, when so many slots work for it. Slots beyond the
// number of tasks do not help; a phase with tasks and no slots never ends (+Inf).
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

// MinSlots gives the smallest number of slots (map + reduce) with which the job takes no longer than within milliseconds: the
// point of the hyperbola a/SM + b/SR = within - c where SM + SR is least, found with a Lagrange multiplier and rounded up.
// There are at most limit slots, and none beyond the number of tasks is asked for. If all of them do not suffice, all are
// asked for. The sum is at most one above the least that whole numbers allow.
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
	if limit[job.Reduce] == tasks[job.Reduce] { // the bound drops where the last wave but one ends
		one := full.form(b, tasks, true)
		try([2]int32{one.other(one.a, one.b, within, limit[job.Reduce], limit[job.Map]), limit[job.Reduce]})
	}
	return best
}

// least is the tangent point: SM = sqrt(a)(sqrt(a)+sqrt(b))/D, SR = sqrt(b)(sqrt(a)+sqrt(b))/D with D = within - c. If one
// side falls outside 1..limit, the other follows from the hyperbola.
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

// other solves own/x + fixed/slots + c = within for x.
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

// up rounds up to 1..limit (0 if there is nothing to have).
func up(x float64, limit int32) int32 {
	if !(x < float64(limit)) {
		return limit
	}
	return min(limit, max(1, int32(math.Ceil(x-float64(x*slack)))))
}

// shrink takes back a slot that rounding up gave for nothing.
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
