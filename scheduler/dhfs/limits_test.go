package dhfs

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/policytest"
)

// Algorithm 1, cases 1 to 4: the cluster lends exactly the slots that one phase lacks, and none if
// the other phase can use all of its own.
func TestShortfall(t *testing.T) {
	for _, x := range []struct {
		maps, reduces int32
		want          [2]int64
	}{{2, 6, [2]int64{2, 0}}, {10, 1, [2]int64{0, 2}}, {8, 6, [2]int64{}}, {10, 4, [2]int64{}}, {2, 4, [2]int64{}}} {
		p := build1(t, NewPoolIndependent)
		h := policytest.NewHand(t, p)
		h.Submit(policytest.Job("a", x.maps, x.reduces))
		tt := h.Join("x", "h1", "/r", 8, 4)
		require.Equal(t, x.want, p.algorithm1(&beat{t: h.Tracker(tt), all: h.Cluster()}).lend, "%+v", x)
	}
}

// A cluster without reduce slots has none to fill.
func TestNoReduceSlots(t *testing.T) {
	p := build1(t, NewPoolIndependent)
	h := policytest.NewHand(t, p)
	h.Submit(policytest.Job("a", 2, 2))
	tt := h.Join("x", "h1", "/r", 4, 0)
	require.Equal(t, room{free: [2]int32{4, 0}, lend: [2]int64{2, 0}},
		p.algorithm1(&beat{t: h.Tracker(tt), all: h.Cluster()}))
}

// No tracker lends more than its share of the borrowed slots, either.
func TestBorrowedSlotsAreSpread(t *testing.T) {
	h := policytest.NewHand(t, build1(t, NewPoolIndependent))
	h.Submit(policytest.Job("a", 0, 6))
	x, y := h.Join("x", "h1", "/r", 4, 2), h.Join("y", "h2", "/r", 4, 2)
	require.Len(t, h.Beat(x), 3, "two reduce slots and one map slot")
	require.Len(t, h.Beat(y), 3)
}

// Without assignmultiple, a heartbeat starts one task. PI-DHFS prefers the type with fewer used slots,
// and maps if both have the same number.
func TestOneTaskPerHeartbeat(t *testing.T) {
	all(t, func(t *testing.T, f scheduler.New) {
		p := build1(t, f)
		p.set.AssignMultiple = false
		h := policytest.NewHand(t, p)
		h.Submit(policytest.Job("a", 5, 5))
		x := h.Join("x", "h1", "/r", 4, 4)
		var types []job.TaskType
		for range 4 {
			fresh := h.Beat(x)
			require.Len(t, fresh, 1)
			types = append(types, fresh[0].Type)
		}
		if t.Name() != "TestOneTaskPerHeartbeat/pd-dhfs" {
			require.Equal(t, []job.TaskType{job.Map, job.Reduce, job.Map, job.Reduce}, types)
		}
	})
}

// The settings limit the numbers of maps and of reduces that a heartbeat starts.
func TestTasksPerHeartbeat(t *testing.T) {
	all(t, func(t *testing.T, f scheduler.New) {
		p := build1(t, f, conf.FairSchedulerLocalityDelay.Name, "0")
		p.set.PerBeat = [2]int32{2, 1}
		h := policytest.NewHand(t, p)
		h.Submit(policytest.Job("a", 9, 9))
		x := h.Join("x", "h1", "/r", 6, 6)
		h.Beat(x)
		require.Equal(t, map[string]int{"a.mm": 2, "a.rr": 1}, sits(h))
	})
}

// A wide task borrows all the slots that it occupies. Only slots of the other type are borrowed.
func TestWideTasksBorrowSeveralSlots(t *testing.T) {
	reduce := job.Attempt{Task: job.Task{Type: job.Reduce}}
	for _, x := range []struct {
		a    scheduler.Attempt
		want lent
	}{
		{scheduler.Attempt{ID: reduce, Slot: job.Map, Width: 3}, lent{3, 0}},
		{scheduler.Attempt{ID: reduce, Slot: job.Map}, lent{1, 0}},
		{scheduler.Attempt{Slot: job.Reduce, Width: 2}, lent{0, 2}},
		{scheduler.Attempt{ID: reduce, Slot: job.Reduce, Width: 2}, lent{}},
		{scheduler.Attempt{Slot: job.Container, Width: 2}, lent{}},
	} {
		var l lent
		l.count(&x.a, 1)
		require.Equal(t, x.want, l, "%+v", x.a)
		l.count(&x.a, -1)
		require.Equal(t, lent{}, l)
	}
}
