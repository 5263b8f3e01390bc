package pool

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
)

// eight is a view of a cluster with eight slots of each kind.
type eight struct {
	scheduler.View
	now  int64
	used int32
}

func (v *eight) Now() int64    { return v.now }
func (v *eight) Jobs() []int32 { return nil }
func (v *eight) Cluster() scheduler.Totals {
	return scheduler.Totals{Slots: [2]int32{8, 8}, Used: [2]int32{v.used, v.used}}
}

// A pool starves if it has less than half of its fair share, rounded down.
func TestHalfOfTheFairShare(t *testing.T) {
	for _, c := range []struct {
		running, demand int32
		starves         bool
	}{{1, 100, true}, {2, 100, false}, {3, 100, false}, {0, 2, true}, {1, 2, false}, {0, 1, false}} {
		x := NewIndex(Single(Fair), nil)
		x.pool("other", 0).Demand[job.Map] = 100
		p := x.pool("p", 0)
		p.Running[job.Map], p.Demand[job.Map] = c.running, c.demand
		x.Update(&eight{now: 1000})
		require.InDelta(t, min(4, c.demand), p.Fair[job.Map], 1e-3, "%+v", c)
		require.Equal(t, c.starves, p.starve.atHalf[job.Map] == 0, "%+v", c)
	}
}

// A pool starves if it has less than its min share or its whole demand. An index with a starving pool
// needs another update.
func TestStarvingPools(t *testing.T) {
	for _, c := range []struct {
		running, demand, min int32
		atMin, atHalf        bool // had its share
	}{{3, 4, 4, false, true}, {4, 5, 4, true, true}, {3, 3, 4, true, true}, {0, 0, 4, true, true}, {1, 8, 0, true, false},
		{4, 8, 0, true, true}} {
		x := NewIndex(Single(Fair), nil)
		p := x.pool("p", 0)
		p.Running[job.Map], p.Demand[job.Map], p.Min[job.Map] = c.running, c.demand, c.min
		x.Update(&eight{now: 1000})
		require.Equal(t, c.atMin, p.starve.atMin[job.Map] == 1000, "%+v", c)
		require.Equal(t, c.atHalf, p.starve.atHalf[job.Map] == 1000, "%+v", c)
		require.Equal(t, !c.atMin || !c.atHalf, x.starving, "%+v", c)
		require.False(t, x.moved)
		require.EqualValues(t, 1000, x.clock.updated)
	}
}

// Tick updates shares at the update interval and preempts at the preemption interval.
func TestIntervalsOfTick(t *testing.T) {
	s := Single(Fair)
	s.UpdateInterval, s.PreemptionInterval, s.Preemption, s.Pools.FairShareTimeout = 500, 2000, true, 60_000
	x := NewIndex(s, nil)
	x.clock = clock{updated: 1000, checked: 1000}
	for _, c := range []struct{ now, updated, checked int64 }{{1499, 1000, 1000}, {1500, 1500, 1000}, {1999, 1500, 1000},
		{2999, 2999, 1000}, {3499, 3499, 3499}, {3500, 3499, 3499}, {5498, 5498, 3499}, {5998, 5998, 5998}} {
		x.Tick(&eight{now: c.now}, nil, LentAsOthers, [2]int64{})
		require.Equal(t, clock{updated: c.updated, checked: c.checked}, x.clock, "%+v", c)
	}
	x.clock = clock{updated: 1000, checked: 1000}
	x.Tick(&eight{now: 3000}, nil, LentAsOthers, [2]int64{})
	require.Equal(t, clock{updated: 3000, checked: 3000}, x.clock, "exactly at the interval")
}

// A rebuilt index counts both intervals from that time on.
func TestResetStartsTheClock(t *testing.T) {
	x := NewIndex(Single(Fair), nil)
	x.clock = clock{updated: 1, checked: 2}
	x.Reset(&eight{now: 1000})
	require.Equal(t, clock{updated: 1000, checked: 1000}, x.clock)
}

// A new tracker can change all shares, so they need an update.
func TestTrackersChangeShares(t *testing.T) {
	x := NewIndex(Single(Fair), nil)
	x.moved = false
	x.Observe(&eight{}, &event.Event{Type: event.TrackerBlacklisted})
	require.True(t, x.moved)
}

// The index counts pending tasks of the whole cluster. Tasks that a pool runs above its limit do not
// reduce those of other pools.
func TestPendingOfTheCluster(t *testing.T) {
	x := NewIndex(Single(Fair), nil)
	j := &Job{Pool: x.pool("p", 0), Running: [2]int32{2, 1}, Demand: [2]int32{5, 1}}
	x.count(j, job.Map, 1)
	require.EqualValues(t, 3, x.Pending(job.Map))
	x.count(j, job.Map, -1)
	require.Zero(t, x.Pending(job.Map))
	j.Pool.Max[job.Map] = 1
	x.count(j, job.Map, 1)
	require.Zero(t, x.Pending(job.Map), "two run, although the limit is one")
	x.count(j, job.Map, -1)
	require.Zero(t, x.Pending(job.Map))
}

// A job that has left the index wants no tasks, because policies can still hold it.
func TestRemovedJobsWantNothing(t *testing.T) {
	x := NewIndex(Single(Fair), nil)
	view := &scheduler.Job{Spec: &job.Spec{}, State: job.Running, Pending: [2]int32{3, 0}}
	j := &Job{Pool: x.pool("p", 0), Runnable: true}
	x.enter(j, view)
	require.True(t, j.Wants(job.Map))
	x.leave(j)
	require.False(t, j.Wants(job.Map))
}

// The next update of shares is the deadline if something has changed or a pool starves, unless the
// boost of a job ends earlier. Without jobs or timeouts, no update is necessary.
func TestNextDeadline(t *testing.T) {
	for _, c := range []struct {
		boosted         int64
		moved, starving bool
		timeout         int64
		jobs            int
		want            int64
	}{
		{0, true, false, 60_000, 1, 1500}, {1400, true, false, 60_000, 1, 1400}, {1600, true, false, 60_000, 1, 1500},
		{0, false, true, 60_000, 1, 1500}, {0, false, false, 60_000, 1, 0}, {1600, false, false, 60_000, 1, 1600},
		{0, true, true, Never, 1, 0}, {0, true, true, 60_000, 0, 0},
	} {
		s := Single(Fair)
		s.UpdateInterval, s.Pools.FairShareTimeout = 500, c.timeout
		x := NewIndex(s, nil)
		x.clock.updated, x.boosted, x.moved, x.starving = 1000, c.boosted, c.moved, c.starving
		x.queue.Items = make([]*Job, c.jobs)
		require.Equal(t, c.want, x.NextDeadline(), "%+v", c)
	}
}

// lender is a view with a job that runs a task of each type in a slot of each kind. Those in reduce
// slots take three slots.
type lender struct{ scheduler.View }

func (lender) Now() int64 { return 0 }

func (lender) Running(_ int32, k job.TaskType, buf []*scheduler.Attempt) []*scheduler.Attempt {
	for slot := range job.TaskType(2) {
		buf = append(buf, &scheduler.Attempt{ID: job.Attempt{Task: job.Task{Type: k, Index: int32(slot)}}, Slot: slot,
			Width: 3 * int32(slot)})
	}
	return buf
}

// Tasks of the other type are victims only with LentFirst. A task in a lent slot is a victim for
// its own type only with LentAsOthers.
func TestVictims(t *testing.T) {
	for lent, want := range map[Lent][]string{LentAsOthers: {"map in map", "map in reduce"}, LentKept: {"map in map"},
		LentFirst: {"map in map", "reduce in map"}} {
		x := NewIndex(Single(Fair), nil)
		p := x.pool("p", 0)
		p.Preemptable, p.Running[job.Map] = true, 2
		x.queue.Items = []*Job{{Pool: p}}
		for range 2 { // a second search starts over
			x.findVictims(lender{}, job.Map, lent)
		}
		var got []string
		for _, w := range x.found {
			got = append(got, []string{"map", "reduce"}[w.id.Type]+" in "+[]string{"map", "reduce"}[w.id.Index])
			require.Equal(t, w.id.Type == job.Reduce, w.lent)
			require.Equal(t, 1+2*w.id.Index, w.size)
		}
		require.ElementsMatch(t, want, got, "%v", lent)
	}
}

func TestDemandWithAndWithoutLimit(t *testing.T) {
	for limit, want := range map[int32]int32{0: 5, 3: 3, 1: 2} {
		view := &scheduler.Job{Spec: &job.Spec{MapLimit: limit}, Running: [2]int32{2, 0}, Pending: [2]int32{3, 0}}
		require.Equal(t, want, demand(&Job{Runnable: true}, view, job.Map), "limit %d", limit)
	}
}

func TestBoostsEndInTime(t *testing.T) {
	for now, want := range map[int64]int64{99: 100, 100: 0} {
		x := NewIndex(Single(Fair), nil)
		x.boosted = 100
		x.endBoosts(&eight{now: now})
		require.Equal(t, want, x.boosted, "at %d", now)
	}
}

// A pool that had its due share at the last update has it until the next change. A pool that
// starved at the last update still starves. After a change, the state is unknown until the next
// update.
func TestEndOfPeace(t *testing.T) {
	for moved, want := range map[bool][2]int64{false: {200, 50}, true: {100, 50}} {
		s := Single(Fair)
		s.Pools.FairShareTimeout = 60_000
		x := NewIndex(s, nil)
		p := x.pool("p", 0)
		x.clock.updated, x.moved = 100, moved
		p.starve.atMin, p.starve.atHalf = [2]int64{100, 50}, [2]int64{50, 100}
		x.endPeace(200)
		require.Equal(t, want, p.starve.atMin)
		require.Equal(t, [2]int64{want[1], want[0]}, p.starve.atHalf)
		require.Equal(t, want[0], x.clock.updated)
	}
}

// After the min share timeout, a pool is owed what it lacks of its min share. After the fair share
// timeout, it is owed what it lacks of its fair share. It is never owed more than it wants.
func TestOwedSlots(t *testing.T) {
	s := Single(Fair)
	s.Pools.FairShareTimeout = 1000
	x := NewIndex(s, nil)
	for _, c := range []struct {
		now    int64
		demand int32
		want   int32
	}{{500, 9, 0}, {501, 9, 2}, {501, 3, 1}, {1000, 9, 2}, {1001, 9, 4}, {1001, 5, 3}, {1001, 1, 0}} {
		p := x.pool("p", 0)
		p.starve = newStarve(7000)
		p.MinShareTimeout, p.Min[job.Map], p.Fair[job.Map] = 500, 4, 6.9
		p.Running[job.Map], p.Demand[job.Map] = 2, c.demand
		require.Equal(t, c.want, x.owed(p, 7000+c.now, job.Map), "%+v", c)
		require.Equal(t, c.now > 500, s.overdue(p, 7000+c.now, job.Map), "%+v", c)
		p.MinShareTimeout = Never
		require.Equal(t, c.now > 1000, s.overdue(p, 7000+c.now, job.Map), "%+v", c)
	}
}

// Slots that killed tasks still occupy count as freed.
func TestDyingTasks(t *testing.T) {
	x := NewIndex(Single(Fair), nil)
	x.run = [2]int64{5, 3}
	for _, c := range []struct {
		out  [2]int64 // slots of each kind that run tasks of the other type
		want [2]int32
	}{{[2]int64{0, 0}, [2]int32{3, 5}}, {[2]int64{1, 0}, [2]int32{2, 6}}, {[2]int64{0, 2}, [2]int32{5, 3}}} {
		for k := range job.TaskType(2) {
			require.Equal(t, c.want[k], x.dying(&eight{used: 8}, k, c.out), "%+v", c)
		}
	}
	require.Zero(t, x.dying(&eight{used: 2}, job.Map, [2]int64{}))
}

// Tasks in lent slots come before all others. The others follow, newest first.
func TestNewestVictims(t *testing.T) {
	lent, young, old := victim{at: 1, lent: true}, victim{at: 9}, victim{at: 3}
	list := []victim{old, lent, young}
	slices.SortFunc(list, newest)
	require.Equal(t, []victim{lent, young, old}, list)
}

// borrower is a view in which each job runs three maps: in a map slot, in a reduce slot, and in no
// slot.
type borrower struct{ scheduler.View }

func (borrower) Running(_ int32, k job.TaskType, buf []*scheduler.Attempt) []*scheduler.Attempt {
	for slot := range job.TaskType(3) {
		buf = append(buf, &scheduler.Attempt{ID: job.Attempt{Task: job.Task{Type: k}}, Slot: slot})
	}
	return buf
}

// A pool's borrowed slots are the slots of the other kind in which the pool's jobs run tasks.
func TestBorrowedSlots(t *testing.T) {
	x := NewIndex(Single(Fair), nil)
	p, other := x.pool("p", 0), x.pool("q", 0)
	p.Running, other.Running = [3]int32{6, 0, 6}, [3]int32{3, 0, 3}
	x.queue.Items = []*Job{{Pool: p, Running: [2]int32{3, 0}}, {Pool: p, Running: [2]int32{3, 0}}, {Pool: p},
		{Pool: other, Running: [2]int32{3, 0}}}
	require.EqualValues(t, 2, x.borrowed(borrower{}, p, job.Map))
	require.EqualValues(t, 1, x.borrowed(borrower{}, other, job.Map))
	require.Zero(t, x.borrowed(borrower{}, p, job.Reduce))
}

// reasons is a Plan that records why it kills attempts.
type reasons struct {
	scheduler.Plan
	list []string
}

func (r *reasons) Kill(_ job.Attempt, why string) bool {
	r.list = append(r.list, why)
	return true
}

// The reason for a kill tells whether the task was in a lent slot.
func TestReasonsForPreemption(t *testing.T) {
	x := NewIndex(Single(Fair), nil)
	p := x.pool("p", 0)
	p.Running[job.Map] = 2
	x.queue.Items = []*Job{{Pool: p}}
	var r reasons
	x.preempt(lender{}, &r, job.Map, LentFirst, -2) // two slots are missing
	require.Equal(t, []string{"preempted: pools reclaim the slot that they lent",
		"preempted: pool p is above its fair share"}, r.list)
}
