package child

import (
	"context"
	"time"

	"github.com/howdah/howdah/internal/wire/umbilical"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/task"
)

// reporter turns views of an attempt into messages that carry what changed.
type reporter struct{ last task.View }

// gauge tells counters that move by themselves: they are no sign of life of the user's code.
func gauge(id job.CounterID) bool { return id >= job.GCTimeMillis && id <= job.CommittedHeapBytes }

// next gives the message that brings the TaskTracker up to date.
func (r *reporter) next(v task.View) *umbilical.Progress {
	p := &umbilical.Progress{
		Phase: uint32(v.Phase), Progress: v.Millionths, Status: v.Status, ShuffleDone: v.ShuffleDone, SortDone: v.SortDone,
		Alive: v.Phase != r.last.Phase || v.Millionths != r.last.Millionths || v.Beats != r.last.Beats,
	}
	before := r.last.Counters
	if before == nil {
		before = &job.Counters{}
	}
	for i, n := range v.Counters.Builtin {
		if n != before.Builtin[i] {
			p.Counter = append(p.Counter, &umbilical.Counter{Id: uint32(i), Value: n})
			p.Alive = p.Alive || !gauge(job.CounterID(i))
		}
	}
	for _, u := range v.Counters.User {
		if n, ok := before.Get(u.Group, u.Name); !ok || n != u.Value {
			p.Counter = append(p.Counter, &umbilical.Counter{Group: u.Group, Name: u.Name, Value: u.Value})
			p.Alive = true
		}
	}
	r.last = v
	return p
}

// report sends progress every interval until ctx ends.
func (s *server) report(ctx context.Context, live *task.Live, r *reporter, interval time.Duration) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.send(&umbilical.FromChild{Progress: r.next(live.View())})
		case <-ctx.Done():
			return
		}
	}
}
