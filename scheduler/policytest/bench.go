package policytest

import (
	"fmt"
	"testing"
	"time"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
)

// A load describes the cluster during the measured heartbeats.
type load struct {
	name    string
	ends    bool // in each heartbeat, one task of the tracker has ended
	reduces bool // jobs have reduces; otherwise reduce slots stay free
}

// Bench measures the cost of the decisions for one heartbeat on a full cluster, with 10 and with
// 1,000 waiting jobs. It covers three cases:
//
//   - One task of the tracker has ended, and the policy chooses the next task.
//   - No slot is free.
//   - Reduce slots are free, but only maps wait.
//
// decision-ns/beat is the policy's own time in Observe and Assign. ns/tick is the mean time of its
// Ticks, and max-ns/tick the maximum. On a busy host, an interruption can determine the maximum.
// ns/op and allocs/op are for the whole heartbeat, including the JobTracker's machine.
// own-allocs/beat is the number of the policy's own allocations. Only the first case reports it.
func Bench(b *testing.B, o Options) {
	o = o.withDefaults()
	for _, jobs := range []int{10, 1000} {
		own, _ := o.garbage(jobs, 500)
		for _, l := range []load{{"a task ends", true, true}, {"nothing free", false, true}, {"nothing fits", false, false}} {
			b.Run(fmt.Sprintf("%d jobs/%s", jobs, l.name), func(b *testing.B) { o.bench(b, jobs, l, own/500) })
		}
	}
}

func (o Options) bench(b *testing.B, jobs int, l load, own float64) {
	p := &timed{wrapper: wrapper{o.New()}}
	s := newSteady(o, jobs, steadyTasks/jobs, l.reduces, p)
	p.cost = cost{}
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		if l.ends && s.beats > s.room {
			b.StopTimer()
			p.Policy = o.New()
			before := p.cost
			s = newSteady(o, jobs, steadyTasks/jobs, l.reduces, p)
			p.cost = before
			b.StartTimer()
		}
		s.beat(l.ends)
	}
	b.ReportMetric(float64(p.decisions.Nanoseconds())/float64(b.N), "decision-ns/beat")
	if l.ends {
		b.ReportMetric(own, "own-allocs/beat")
	}
	if p.ticks > 0 {
		b.ReportMetric(float64(p.ticking.Nanoseconds())/float64(p.ticks), "ns/tick")
		b.ReportMetric(float64(p.dearest.Nanoseconds()), "max-ns/tick")
	}
}

// A timed policy measures the time that the wrapped policy uses.
type timed struct {
	wrapper
	plan   scheduler.Plan
	orders time.Duration // time of the machine and of Observe during the current call to Assign or Tick
	cost
}

type cost struct {
	decisions        time.Duration // total time of Observe and Assign
	ticks            int
	ticking, dearest time.Duration // total time of Ticks, and time of the longest
}

// Observe implements scheduler.Policy.
func (p *timed) Observe(v scheduler.View, e *event.Event) {
	start := time.Now()
	p.Policy.Observe(v, e)
	p.decisions += time.Since(start)
}

// Assign implements scheduler.Policy.
func (p *timed) Assign(v scheduler.View, tracker int32, plan scheduler.Plan) {
	start := time.Now()
	p.plan, p.orders = plan, 0
	p.Policy.Assign(v, tracker, p)
	p.decisions += time.Since(start) - p.orders
}

// Tick implements scheduler.Policy.
func (p *timed) Tick(v scheduler.View, plan scheduler.Plan) {
	start := time.Now()
	p.plan, p.orders = plan, 0
	p.Policy.Tick(v, p)
	took := time.Since(start) - p.orders
	p.ticks++
	p.ticking += took
	p.dearest = max(p.dearest, took)
}

// Launch implements scheduler.Plan. The time of the call does not count toward the caller's time,
// because the machine does this work. Calls to Observe during the call count separately.
func (p *timed) Launch(t job.Task, tracker int32, slot job.TaskType) bool {
	start := time.Now()
	ok := p.plan.Launch(t, tracker, slot)
	p.orders += time.Since(start)
	return ok
}

// Kill implements scheduler.Plan. As in Launch, the time of the call does not count toward the
// caller's time.
func (p *timed) Kill(a job.Attempt, why string) bool {
	start := time.Now()
	ok := p.plan.Kill(a, why)
	p.orders += time.Since(start)
	return ok
}
