package speculation

import (
	"cmp"
	"math"
	"slices"

	"github.com/howdah/howdah/scheduler"
)

// hadoop1 is the rule of Hadoop 0.20 and 1.x (TaskInProgress.hasSpeculativeTask). By default, a task
// gets one more attempt if it has run for a minute and its progress is at least 20 percentage points
// below the average of its phase. The number of second attempts is not limited.
type hadoop1 struct{}

func (hadoop1) first(s *settings, started int64) int64 { return started + s.lag }

func (hadoop1) twins(_ *Policy, f *phase) int32 { return f.twins }

func (hadoop1) judge(p *Policy, v scheduler.View, f *phase) int64 {
	f.limit = math.MaxInt32
	average := float64(f.progress(v)) / float64(max(1, v.Job(f.job).Tasks[f.typ]))
	p.found = p.found[:0]
	for i := range f.running {
		a := f.only(v, &f.running[i])
		if a == nil || v.Now()-a.Start < f.set.lag || average-float64(a.Progress) < f.set.gap*million {
			continue
		}
		p.found = append(p.found, found{index: a.ID.Index, urgency: -a.Start}) // oldest first, as in Hadoop's list
	}
	p.keep(f)
	return v.Now() + f.set.interval
}

const million = 1_000_000

// progress returns the sum of the progress of all tasks of the phase, in millionths. If a task has
// several attempts, the one with the most progress counts.
func (f *phase) progress(v scheduler.View) int64 {
	sum := int64(v.Job(f.job).Finished[f.typ]) * million
	for i := range f.running {
		t, best := &f.running[i], int32(0)
		for k := range t.live {
			if a := v.Attempt(f.attempt(t, k)); a != nil {
				best = max(best, a.Progress)
			}
		}
		sum += int64(best)
	}
	return sum
}

// found is a slow task.
type found struct {
	index   int32
	urgency int64 // a larger number is more urgent
}

// keep appends p.found to the candidates of the phase, most urgent first.
func (p *Policy) keep(f *phase) {
	slices.SortFunc(p.found, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.urgency, a.urgency),
			cmp.Compare(a.index, b.index))
	})
	for _, x := range p.found {
		f.candidates = append(f.candidates, x.index)
	}
}
