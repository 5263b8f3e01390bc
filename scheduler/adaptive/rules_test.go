package adaptive

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
)

// A demand fits if it takes no more than the room that is left. A resource that a node did not
// report is unlimited, and a deficit never turns into unlimited.
func TestRoom(t *testing.T) {
	d := Demand{Slot: 1, CPU: 500, Memory: 100}
	room := Demand{Slot: 2, CPU: 1000, Memory: unlimited, IO: 0}
	require.True(t, d.fits(&room))
	room.take(&d, 1)
	require.Equal(t, Demand{1, 500, unlimited, 0}, room)
	require.True(t, d.fits(&room))
	room.take(&Demand{CPU: 1}, 1)
	require.False(t, d.fits(&room))
	room.take(&Demand{CPU: 100}, 5)
	require.EqualValues(t, -2, room[CPU], "one below zero is not unlimited")
	require.False(t, d.fits(&room))
	require.True(t, (&Demand{}).fits(&room), "it takes nothing")
	room.take(&Demand{CPU: 8}, -1)
	require.EqualValues(t, 6, room[CPU])
}

// A reduce takes the larger demand of its two phases. The limits of a key's range are valid values.
func TestDemandsOfJobs(t *testing.T) {
	spec := &job.Spec{Conf: []job.Property{{Name: "howdah.job.demand.map.cpu", Value: "1024"},
		{Name: "howdah.job.demand.map.io", Value: "0"}, {Name: "howdah.job.demand.reduce.memory", Value: "300"},
		{Name: "howdah.job.demand.shuffle.cpu", Value: "0.0016"}, {Name: "howdah.job.demand.shuffle.memory", Value: "200"}}}
	d, err := demands(spec)
	require.NoError(t, err)
	require.Equal(t, [2]Demand{{CPU: 1_024_000}, {CPU: 2, Memory: 300}}, d)
	spec.Conf[0].Value = "1024.1"
	_, err = demands(spec)
	require.ErrorContains(t, err, "want 0 to 1024, cores")
	require.Equal(t, Demand{2, unlimited, unlimited, 1000}, omega(&scheduler.Tracker{Slots: [2]int32{2, 3}}, job.Map))
	require.Equal(t, Demand{3, 4000, 512, 1000},
		omega(&scheduler.Tracker{Slots: [2]int32{2, 3}, VCores: 4, Memory: 512}, job.Reduce))
}

// A profile with an invalid value has no effect at all.
func TestInvalidProfileIsNoProfile(t *testing.T) {
	d, err := demands(&job.Spec{Conf: []job.Property{{Name: "howdah.job.demand.map.cpu", Value: "2"},
		{Name: "howdah.job.demand.reduce.io", Value: "101"}}})
	require.ErrorContains(t, err, "howdah.job.demand.reduce.io=101")
	require.Zero(t, d)
}

// All earlier days together count as one sample, and the samples of one hour have equal weight.
// After the first sample of an hour, the curve changes only if the mean changes by more than 0.5% of
// full capacity.
func TestMeansOfHours(t *testing.T) {
	var m Measured
	m.add(5*hourMS, 400_000)
	m.add(5*hourMS+1, 600_000)
	require.EqualValues(t, 500_000, m.hours[5])
	m.add(6*hourMS, 100_000)
	m.add(29*hourMS, 800_000)
	require.EqualValues(t, 650_000, m.hours[5], "a day later")
	curve := m.curve
	m.add(29*hourMS+1, 665_000)
	require.Same(t, curve, m.curve, "655,000 is not far enough")
	m.add(29*hourMS+2, 685_004)
	require.NotSame(t, curve, m.curve)
	require.EqualValues(t, 662_501, m.hours[5])
	require.EqualValues(t, 662_501, m.curve.At(5*hourMS+hourMS/2, CPU))
	require.EqualValues(t, 100_000, m.curve.At(6*hourMS+hourMS/2, CPU))
	require.InDelta(t, (662_501+100_000)/2, m.curve.At(6*hourMS, CPU), 1, "halfway")
	m.add(48*hourMS, 0)
	require.EqualValues(t, 0, m.hours[0])
	require.EqualValues(t, 0, m.curve.At(hourMS/2, CPU))
	require.EqualValues(t, m.curve.At(0, CPU), m.curve.At(24*hourMS, CPU), "it repeats")
}

// A curve repeats before its origin, too.
func TestPeriods(t *testing.T) {
	c := newCurve(100, 10, []int64{0, 40, 100}, [][resources]int64{{Full}, {0}, {Full}})
	for at, want := range map[int64]int64{10: Full, 50: 0, 30: Full / 2, 80: Full / 2, 110: Full, 150: 0, -50: 0,
		-90: Full, -10: 2 * Full / 3} {
		require.InDelta(t, want, c.At(at, Slot), 1, "%d", at)
	}
	require.InDelta(t, 50, c.Integral(10, 110, Slot), 1e-9)
	require.InDelta(t, 20, c.Integral(10, 50, Slot), 1e-9)
	require.InDelta(t, 15, c.Integral(10, 30, Slot), 1e-9)
	require.InDelta(t, 120, c.Integral(-90, 150, Slot), 1e-9)
	require.Zero(t, c.Integral(50, 50, Slot))
	require.Zero(t, c.Integral(50, 40, Slot))
	require.EqualValues(t, 7, (*Curve)(nil).Integral(3, 10, CPU))
	require.EqualValues(t, Full, (*Curve)(nil).At(3, CPU))
}

// A job is hopeless if its maps need more than the slots until its goal provide, or if not even one
// map can end in time.
func TestHopelessJobs(t *testing.T) {
	e := &WorkloadEstimator{now: 100, present: 2, opt: options{when: WhenHopeless}}
	for _, x := range []struct {
		goal int64
		pend int32
		work float64
		mu   float64
		want bool
	}{{1100, 1, 2000, 1000, false}, {1100, 1, 2001, 1000, true}, {1100, 1, 2000, 1001, true}, {1100, 0, 9999, 9999, false},
		{100, 0, 0, 1, true}, {101, 0, 0, 1, false}, {0, 1, 9999, 9999, false}} {
		d := &descriptor{aim: x.goal, mapGoal: x.goal, pend: [2]int32{x.pend, 0}, work: x.work,
			demand: [2]Demand{{Slot: 1}, {}}}
		require.Equal(t, x.want, e.isLate(d, x.mu), "%+v", x)
	}
	e.opt.when = ""
	require.False(t, e.isLate(&descriptor{aim: 1100, mapGoal: 1100, pend: [2]int32{1, 0}, work: 9999}, 9999))
}

// byCount follows Moore and Hodgson: if the accepted work exceeds the capacity before a goal, it
// gives up the job with the most work. It never accepts a job that has no goal or cannot end a map
// in time.
func TestAcceptedJobs(t *testing.T) {
	goal := func(goal int64, work float64) *descriptor {
		return &descriptor{aim: goal, mapGoal: goal, work: work, mu: 1, pend: [2]int32{1, 0},
			demand: [2]Demand{{Slot: 1}, {}}}
	}
	p := &PlacementAlgorithm{estimator: &WorkloadEstimator{groups: []group{{whole: [resources]float64{2}}}}}
	byCount{}.begin(p)
	fits, small, none, passed := goal(1000, 1500), goal(1000, 500), goal(0, 10), goal(-1, 10)
	for _, d := range []*descriptor{none, passed, fits, small} {
		accept(p, d)
	}
	require.Equal(t, []*descriptor{none, passed}, p.filling.order)
	require.Equal(t, []*descriptor{fits, small}, p.filling.queue.jobs)
	accept(p, goal(1000, 1))
	require.Equal(t, []*descriptor{none, passed, fits}, p.filling.order, "it has the most work")
	require.EqualValues(t, 501, p.filling.work)
	short := goal(1000, 1)
	short.mu = 1001
	p.estimator.opt.whole = true
	accept(p, short)
	require.Equal(t, short, p.filling.order[3], "no map ends in time")
	short.mu = 1000
	accept(p, short)
	require.Len(t, p.filling.order, 4)
}

// The queue returns jobs in order, whether push or fill has ordered them.
func TestQueueOfJobs(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	for n := range 40 {
		pushed, filled := heap{less: unhappier}, heap{less: unhappier}
		var want []*descriptor
		for i := range n {
			d := &descriptor{u: r.Int64N(5), rank: int32(i)}
			pushed.push(d)
			filled.jobs = append(filled.jobs, d)
			want = append(want, d)
		}
		filled.fill()
		slices.SortFunc(want, func(a, b *descriptor) int { return int((a.u-b.u)*1000) + int(a.rank-b.rank) })
		for _, d := range want {
			require.Same(t, d, pushed.pop())
			require.Same(t, d, filled.pop())
		}
	}
}

// Jobs are ordered by their utility, the number of slots that they lack, their work, or the used
// share of their slots. Ties go by rank.
func TestOrdersOfJobs(t *testing.T) {
	a, b := &descriptor{rank: 1}, &descriptor{rank: 2}
	check := func(name string, first, second *descriptor) {
		t.Helper()
		switch name {
		case "unhappier":
			require.True(t, unhappier(first, second) && !unhappier(second, first))
		case "heavier":
			require.True(t, heavier(first, second) && !heavier(second, first))
		case "needier":
			require.True(t, needier(first, second) < 0 && needier(second, first) > 0)
		case "lighter":
			require.True(t, lighter(first.weighed(), second.weighed()) < 0 &&
				lighter(second.weighed(), first.weighed()) > 0)
		case "unhappiest":
			require.True(t, unhappiest(first, second) < 0 && unhappiest(second, first) > 0)
		}
	}
	require.False(t, unhappier(a, a))
	require.False(t, heavier(a, a))
	for _, name := range []string{"unhappier", "needier", "lighter", "unhappiest"} {
		check(name, a, b)
	}
	check("heavier", b, a)
	a.u, a.req, a.work, a.run[job.Map], a.grant[job.Map] = 1, 6, 5, 3, 4
	b.req, b.run[job.Map], b.grant[job.Map] = 5, 1, 2
	check("unhappier", b, a)
	check("heavier", a, b)
	check("lighter", b, a)
	check("needier", b, a)    // lacks four, not three
	check("unhappiest", b, a) // uses half, not three quarters
	b.aim = 9                 // a job without a goal comes first
	check("lighter", a, b)
	require.EqualValues(t, 3000, (&descriptor{run: [2]int32{3, 0}}).short(), "no job-slot counts as one")
}

// A task's length comes from the profile, the job's own tasks, or those of all jobs. Without any of
// them, it is the guess. A measured or given length counts as at least 1 ms.
func TestLengthsOfTasks(t *testing.T) {
	for _, x := range []struct {
		model            string
		given            float64
		done, spent      int64 // of the job
		allDone, allTime int64 // of all jobs
		want             float64
	}{
		{LengthGuess, 7, 2, 9, 2, 11, 500},
		{LengthProfile, 7, 2, 9, 2, 11, 7},
		{LengthProfile, 0.5, 2, 9, 2, 11, 1},
		{LengthProfile, 0, 2, 9, 2, 11, 4.5},
		{LengthFirst, 7, 2, 9, 2, 11, 4.5},
		{LengthFirst, 7, 2, 1, 2, 11, 1},
		{LengthFirst, 7, 0, 0, 2, 11, 7},
		{LengthFirst, 0.5, 0, 0, 2, 11, 1},
		{LengthFirst, 0, 0, 0, 2, 11, 5.5},
		{LengthFirst, 0, 0, 0, 2, 1, 1},
		{LengthFirst, 0, 0, 0, 0, 0, 500},
	} {
		for k := range job.TaskType(2) {
			u, d := &JobStatusUpdater{opt: options{length: x.model, guess: 500}}, &descriptor{}
			d.done[k], d.spent[k], u.done[k], u.spent[k] = x.done, x.spent, x.allDone, x.allTime
			if d.profile.Map.Avg = x.given; k == job.Reduce { // a shuffle takes a quarter
				d.profile.Map.Avg, d.profile.Typical.Avg, d.profile.Reduce.Avg = 0, x.given/4, 3*x.given/4
			}
			require.Equal(t, x.want, u.length(d, k), "%+v", x)
		}
	}
}

// A job has a tail until its last reduce has succeeded or failed.
func TestTailOfAJob(t *testing.T) {
	u, d := &JobStatusUpdater{opt: options{length: LengthFirst}}, &descriptor{}
	d.profile.Reduce.Avg = 70
	j := &scheduler.Job{}
	j.Tasks[job.Reduce], j.Finished[job.Reduce], j.Failed[job.Reduce] = 5, 3, 1
	d.load(j)
	require.EqualValues(t, 70, u.tail(d))
	j.Finished[job.Reduce]++
	d.load(j)
	require.Zero(t, u.tail(d))
}

// Only running jobs with job-slots are due. The job that uses the smallest share of them comes
// first.
func TestJobsThatAreDue(t *testing.T) {
	busy := &descriptor{rank: 1, alloc: [2]int32{2, 0}, run: [2]int32{2, 0}}
	idle := &descriptor{rank: 2, alloc: [2]int32{2, 1}}
	s := &TaskScheduler{due: []*descriptor{busy}}
	s.adopt([]*descriptor{busy, {rank: 3}, idle, {alloc: [2]int32{1, 1}, gone: true}})
	require.Equal(t, []*descriptor{idle, busy}, s.due)
	require.Equal(t, [2]int32{2, 1}, idle.grant)
	s.adopt(nil)
	require.Empty(t, s.due)
}

// Nodes count the running attempts of each job and the sum of their demands. A cell without
// attempts is deleted if it has no job-slots or its job has ended.
func TestCellsOfNodes(t *testing.T) {
	n := &nodes{}
	d := &descriptor{seq: 1, demand: [2]Demand{{CPU: 100}, {Memory: 7}}}
	other := &descriptor{seq: 2}
	for _, h := range []int32{5, 3, 9} {
		n.join(h)
	}
	require.Equal(t, []int32{3, 5, 9}, []int32{n.list[0].handle, n.list[1].handle, n.list[2].handle})
	for range 2 {
		n.count(d, 5, job.Map)
	}
	n.count(other, 5, job.Map)
	n.count(d, 5, job.Reduce)
	n.count(d, 4, job.Map)
	x := n.byHandle.Get(5)
	require.Equal(t, Demand{CPU: 200, Memory: 7}, x.used)
	require.Equal(t, [2]int32{2, 1}, x.cell(d).run)
	n.drop(1, 4, job.Map)
	n.drop(3, 5, job.Map)
	n.drop(1, 5, job.Map)
	require.Equal(t, Demand{CPU: 100, Memory: 7}, x.used)
	n.drop(1, 5, job.Reduce)
	require.Len(t, x.cells, 2)
	n.drop(1, 5, job.Reduce)
	require.Equal(t, Demand{CPU: 100}, x.used, "none of them runs")
	n.drop(1, 5, job.Map)
	require.Len(t, x.cells, 1)
	require.Same(t, other, x.cells[0].d)

	for name, c := range map[string]struct {
		cell cell
		gone bool
		kept bool
	}{
		"place":        {cell{place: [2]int32{1, 0}, run: [2]int32{1, 0}}, false, true},
		"next":         {cell{next: [2]int32{0, 1}, run: [2]int32{1, 0}}, false, true},
		"runs":         {cell{run: [2]int32{1, 1}}, false, true},
		"nothing":      {cell{run: [2]int32{1, 0}}, false, false},
		"place, ended": {cell{place: [2]int32{1, 0}, run: [2]int32{1, 0}}, true, false},
	} {
		y := &node{handle: 1}
		c.cell.d = &descriptor{seq: 8, gone: c.gone}
		y.cells = []cell{c.cell}
		n.byHandle.Put(1, y)
		n.drop(8, 1, job.Map)
		require.Equal(t, c.kept, len(y.cells) == 1, name)
	}

	y := &node{cells: []cell{{d: d, place: [2]int32{4, 4}}, {d: d, next: [2]int32{1, 2}}, {d: d, run: [2]int32{1, 0}},
		{d: &descriptor{gone: true}, next: [2]int32{1, 2}}}}
	y.publish()
	require.Equal(t, []cell{{d: d, place: [2]int32{1, 2}}, {d: d, run: [2]int32{1, 0}}}, y.cells)
	n.observe(nil, nil, &event.Event{Type: event.TrackerJoined, Tracker: 5})
	require.Same(t, x, n.byHandle.Get(5), "it is known")
	n.observe(nil, nil, &event.Event{Type: event.TrackerLost, Tracker: 5})
	n.observe(nil, nil, &event.Event{Type: event.TrackerLost, Tracker: 6})
	require.Len(t, n.list, 2)
	require.Equal(t, []int32{3, 9}, []int32{n.list[0].handle, n.list[1].handle})
	require.Nil(t, n.byHandle.Get(5))
}

// A step of the rule of minmiss ends when its budget is used, and the next step continues there.
func TestBudgetOfByCount(t *testing.T) {
	p := &PlacementAlgorithm{jobs: []*descriptor{{}, {}, {}}}
	byCount{}.begin(p)
	budget := 9
	require.False(t, byCount{}.step(p, &budget))
	require.Equal(t, 2, p.filling.i, "4 for each job")
}
