package policytest

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/heartbeat"
)

// books track what each tracker runs, based only on facts and reports. With them, the tests find
// errors in the machine's own accounts.
type books struct {
	attempts map[job.Attempt]entry
	held     map[int32]map[job.Attempt]bool // by tracker: attempts from the last report, and launches since then
	launches map[int32]int                  // by job
}

type entry struct {
	slot   job.TaskType
	slots  int32
	memory int32
	start  int64
}

func newBooks() books {
	return books{attempts: map[job.Attempt]entry{}, held: map[int32]map[job.Attempt]bool{}, launches: map[int32]int{}}
}

// reported records the running attempts from the tracker's report.
func (b *books) reported(r *heartbeat.Report) {
	h := map[job.Attempt]bool{}
	for _, a := range r.Attempts {
		if !a.State.Terminal() {
			h[a.Attempt] = true
		}
	}
	b.held[r.Tracker] = h
}

// take records a launch and checks that the tracker has enough slots for all its attempts, or
// enough memory if the attempt runs in a container. It ignores other facts.
func (b *books) take(c *cluster, e *event.Event) {
	if e.Type != event.AttemptStarted {
		return
	}
	spec := c.m.Job(e.Job).Spec
	b.attempts[e.Attempt] = entry{e.Slot, int32(max(1, e.N)), spec.Memory(e.Attempt.Type), e.Time}
	b.launches[e.Job]++
	if b.held[e.Tracker] == nil {
		b.held[e.Tracker] = map[job.Attempt]bool{}
	}
	b.held[e.Tracker][e.Attempt] = true
	t := c.m.Tracker(e.Tracker)
	used, memory := b.sum(e.Tracker)
	if e.Slot == job.Container {
		if memory > int64(t.Memory) {
			c.failf("%v was launched on tracker %d, whose tasks now want %d of %d MiB", e.Attempt, e.Tracker, memory, t.Memory)
		}
		return
	}
	if used[e.Slot] > t.Slots[e.Slot] {
		c.failf("%v was launched on tracker %d, which now uses %d of %d slots of kind %v", e.Attempt, e.Tracker, used[e.Slot],
			t.Slots[e.Slot], e.Slot)
	}
}

// sum returns the slots and the memory that the attempts on the tracker use.
func (b *books) sum(tracker int32) (used [2]int32, memory int64) {
	for id := range b.held[tracker] {
		x := b.attempts[id]
		memory += int64(x.memory)
		if x.slot <= job.Reduce {
			used[x.slot] += x.slots
		}
	}
	return used, memory
}

// progress returns the progress of the attempt based on its running time, in millionths and at most
// 900,000. About one in seven attempts is slow.
func (b *books) progress(id job.Attempt, now int64) int32 {
	span := int64(10_000)
	if (id.Index+id.N)%7 == 0 {
		span = 200_000
	}
	return int32(min(900_000, 1_000_000*(now-b.attempts[id].start)/span))
}
