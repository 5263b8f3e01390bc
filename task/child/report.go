package child

import (
	"context"
	"strings"
	"time"

	"github.com/howdah/howdah/internal/wire/umbilical"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/task"
)

// reporter compares snapshots of an attempt and builds messages that contain the changes.
type reporter struct{ last task.View }

// gauge reports whether the counter id changes even if the user's code makes no progress.
func gauge(id job.CounterID) bool { return id >= job.GCTimeMillis && id <= job.CommittedHeapBytes }

// maxText is the maximum size of text in a message, in bytes. It is larger than what the
// TaskTracker stores.
const maxText = 16 << 10

// cut truncates user text to maxText bytes and makes it valid UTF-8, because messages can contain
// no other text.
func cut(text string) string { return strings.ToValidUTF8(text[:min(len(text), maxText)], "\uFFFD") }

// next returns the message with the changes since the previous message.
func (r *reporter) next(v task.View) *umbilical.Progress {
	p := &umbilical.Progress{
		Phase: uint32(v.Phase), Progress: v.Millionths, Status: cut(v.Status),
		ShuffleDone: v.ShuffleDone, SortDone: v.SortDone,
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

// report sends the attempt's progress once per interval until ctx is canceled.
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
