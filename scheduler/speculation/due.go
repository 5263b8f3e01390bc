package speculation

import (
	"cmp"
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// lookAtOnce is the number of running tasks after which a Tick judges no more phases. The next Tick
// judges the remaining phases.
const lookAtOnce = 4096

// arm schedules the judgment of those phases of the job that have running but no pending tasks. It
// discards earlier results for the other phases.
func (p *Policy) arm(v scheduler.View, j *scheduler.Job) {
	for t := range job.TaskType(2) {
		f := p.phase(j.Seq, t)
		switch {
		case f == nil:
		case len(f.running) == 0 || j.Pending[t] > 0:
			p.disarm(f)
		case f.due == 0:
			p.await(f, p.rule.first(f.set, f.oldest(v)), v.Now())
		}
	}
}

// oldest returns the start time of the phase's oldest running attempt, or 0 if none is running.
func (f *phase) oldest(v scheduler.View) int64 {
	first := int64(0)
	for i := range f.running {
		t := &f.running[i]
		for k := range t.live {
			if a := v.Attempt(f.attempt(t, k)); a != nil && (first == 0 || a.Start < first) {
				first = a.Start
			}
		}
	}
	return first
}

// await schedules the judgment of the phase for the given time, but not before now+1. It rounds the
// time up to a multiple of the interval, so that one Tick judges many phases.
func (p *Policy) await(f *phase, at, now int64) {
	at = max(at, now+1)
	if r := at % f.set.interval; r > 0 {
		at += f.set.interval - r
	}
	f.due = at
	i, _ := slices.BinarySearchFunc(p.due, f, byDue)
	p.due = slices.Insert(p.due, i, f)
}

func byDue(f, g *phase) int { return cmp.Or(cmp.Compare(f.due, g.due), f.compare(g)) }

func (p *Policy) disarm(f *phase) {
	f.candidates = f.candidates[:0]
	if f.due == 0 {
		return
	}
	if i, found := slices.BinarySearchFunc(p.due, f, byDue); found {
		p.due = slices.Delete(p.due, i, i+1)
	}
	f.due = 0
}

// NextDeadline implements scheduler.Policy.
func (p *Policy) NextDeadline() int64 {
	if len(p.due) == 0 {
		return 0
	}
	return p.due[0].due
}

// Tick implements scheduler.Policy. It judges the phases whose time has come.
func (p *Policy) Tick(v scheduler.View, _ scheduler.Plan) {
	now := v.Now()
	for looked := 0; len(p.due) > 0 && p.due[0].due <= now && looked < lookAtOnce; {
		f := p.due[0]
		p.due = slices.Delete(p.due, 0, 1)
		looked += len(f.running)
		f.candidates = f.candidates[:0]
		p.await(f, p.rule.judge(p, v, f), now)
		if len(f.candidates) > 0 {
			if i, there := slices.BinarySearchFunc(p.hot, f, (*phase).compare); !there {
				p.hot = slices.Insert(p.hot, i, f)
			}
		}
	}
}
