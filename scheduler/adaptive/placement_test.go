package adaptive

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/policytest"
)

// ready returns a PlacementAlgorithm with slots of each type in the cluster and the given jobs. Jobs
// without a demand take one slot per task.
func ready(slots int64, jobs ...*descriptor) *PlacementAlgorithm {
	p := &PlacementAlgorithm{utility: &JobUtilityCalculator{}, updater: &JobStatusUpdater{}, jobs: jobs,
		opt: options{surplus: true}, pools: [2]Demand{{Slot: slots, CPU: unlimited, Memory: unlimited, IO: unlimited},
			{Slot: slots, CPU: unlimited, Memory: unlimited, IO: unlimited}}}
	for i, d := range jobs {
		d.rank = int32(i)
		d.demand[job.Map][Slot], d.demand[job.Reduce][Slot] = 1, 1
	}
	return p
}

// allocate runs a rule to its end.
func allocate(p *PlacementAlgorithm, r rule) {
	r.begin(p)
	budget := 4 // what a single job-slot takes
	for !r.step(p, &budget) {
		budget = 4
	}
}

// Each step of a placement cycle ends when its budget is used. With the smallest budget, every stage
// takes one step per tracker or job, so a large cluster never delays a heartbeat for long.
func TestBudgetsOfStages(t *testing.T) {
	p := fresh(t, NewReverse, nil)
	h := policytest.NewHand(t, p)
	for _, name := range []string{"a", "b", "c", "d"} {
		h.Join(name, name, "/r", 2, 1)
	}
	for range 3 {
		s := policytest.Job("u", 8, 0)
		s.Deadline = h.Now() + 900_000
		h.Submit(s)
	}
	p.placement.enter(idle)
	steps := map[stage]int{}
	for over := false; !over; {
		budget := 1
		if p.placement.stage == allocating {
			budget = 4 // what a single job-slot takes
		}
		steps[p.placement.stage]++
		over = p.placement.advance(h, &budget)
	}
	delete(steps, reversing)
	delete(steps, allocating)
	require.Equal(t, map[stage]int{idle: 1, measuring: 4, estimating: 3, settling: 3, keeping: 4, adding: 5,
		publishing: 4}, steps)
}

// The cluster has the sum of its nodes' resources. If one node does not report a resource, the
// cluster has no limit of that resource.
func TestResourcesOfTheCluster(t *testing.T) {
	var room Demand
	room.join(Demand{2, 1000, unlimited, 500})
	require.Equal(t, Demand{2, 1000, unlimited, 500}, room)
	room.join(Demand{3, unlimited, 7, 500})
	require.Equal(t, Demand{5, unlimited, unlimited, 1000}, room)
	room.join(Demand{1, 9, 9, 0})
	require.Equal(t, Demand{6, unlimited, unlimited, 1000}, room)
}

// A job-slot takes one task's demand. Maps and reduces have separate slots but share the other
// resources.
func TestJobSlotsTakeResources(t *testing.T) {
	p := ready(2)
	p.pools[job.Map][CPU], p.pools[job.Reduce][CPU] = 900, 900
	d := &descriptor{demand: [2]Demand{{Slot: 1, CPU: 300}, {Slot: 1, CPU: 500}}}
	require.True(t, p.give(d, job.Map))
	require.Equal(t, Demand{1, 600, unlimited, unlimited}, p.pools[job.Map])
	require.Equal(t, Demand{2, 600, unlimited, unlimited}, p.pools[job.Reduce])
	require.True(t, p.give(d, job.Reduce))
	require.Equal(t, Demand{1, 100, unlimited, unlimited}, p.pools[job.Map])
	require.False(t, p.give(d, job.Map), "a slot is free, but no CPU")
	require.Equal(t, [2]int32{1, 1}, d.alloc)
	require.Equal(t, [2]int32{1, 1}, d.left)
}

// A tracker keeps job-slots for the tasks that run on it, but no more than the job has left.
func TestKeptJobSlots(t *testing.T) {
	a, b := &descriptor{left: [2]int32{3, 1}}, &descriptor{left: [2]int32{1, 0}}
	one := &node{cells: []cell{{d: a, run: [2]int32{2, 1}}, {d: b, run: [2]int32{2, 1}}}}
	two := &node{cells: []cell{{d: a, run: [2]int32{2, 1}}}}
	p := &PlacementAlgorithm{stage: keeping, list: []*node{one, two}, jobs: []*descriptor{a, b}}
	budget := 99
	p.keep(&budget)
	require.Equal(t, [2]int32{2, 1}, one.cells[0].next)
	require.Equal(t, [2]int32{1, 0}, one.cells[1].next)
	require.Equal(t, [2]int32{1, 0}, two.cells[0].next, "its last one")
	require.Zero(t, a.left)
	require.Zero(t, b.left)
	require.Equal(t, adding, p.stage)
	require.Equal(t, 99-3-2, budget, "one for each cell and each tracker")
}

// A tracker has room for its resources minus the job-slots of both types. Only job-slots of the
// same type take slots.
func TestRoomOfATracker(t *testing.T) {
	d := &descriptor{demand: [2]Demand{{Slot: 1, CPU: 300}, {Slot: 2, CPU: 500}}}
	x := &node{cells: []cell{{d: d, next: [2]int32{2, 1}}}}
	tracker := &scheduler.Tracker{Slots: [2]int32{5, 6}, VCores: 2}
	for k, want := range map[job.TaskType]int64{job.Map: 3, job.Reduce: 4} {
		p := &PlacementAlgorithm{kind: k, capacity: &capacity{curves: &Curves{}}}
		require.Equal(t, Demand{want, 900, unlimited, 1000}, p.room(x, tracker, 0))
	}
}

// A tracker serves the jobs in turn and skips a job whose tasks do not fit. It stops when it has no
// slot or no job fits. The next tracker continues with the next job.
func TestTurnsOfJobs(t *testing.T) {
	big := &descriptor{demand: [2]Demand{{Slot: 3}, {}}, left: [2]int32{9, 0}}
	a := &descriptor{demand: [2]Demand{{Slot: 1}, {}}, left: [2]int32{9, 0}}
	b := &descriptor{demand: [2]Demand{{Slot: 1}, {}}, left: [2]int32{9, 0}}
	p := &PlacementAlgorithm{kind: job.Map, ring: []*descriptor{big, a, b}}
	x, y, budget := &node{}, &node{}, 100
	p.addTo(x, Demand{Slot: 2}, &budget)
	require.Equal(t, []int32{9, 8, 8}, []int32{big.left[0], a.left[0], b.left[0]})
	require.Equal(t, 97, budget)
	p.addTo(y, Demand{Slot: 3}, &budget)
	require.Equal(t, []int32{8, 8, 8}, []int32{big.left[0], a.left[0], b.left[0]})
	require.Equal(t, 96, budget)
	p.ring = []*descriptor{big}
	p.addTo(y, Demand{Slot: 2}, &budget)
	require.EqualValues(t, 8, big.left[0])
	require.Equal(t, 95, budget)
}

// Reduces go to the trackers with the fewest reduces, and among those, to trackers without reduces of
// the same job.
func TestSpreadOfReduces(t *testing.T) {
	p := fresh(t, NewReverse, nil)
	h := policytest.NewHand(t, p)
	for _, name := range []string{"a", "b", "c"} {
		h.Join(name, name, "/r", 1, 4)
	}
	for _, reduces := range []int32{3, 2} {
		h.Submit(policytest.Job("u", 0, reduces))
	}
	p.placement.enter(idle)
	for over := false; !over; {
		budget := 1000
		over = p.placement.advance(h, &budget)
	}
	var got [][]int32
	for _, x := range p.nodes.list {
		var on []int32
		for _, c := range x.cells {
			on = append(on, c.place[job.Reduce])
		}
		got = append(got, on)
	}
	require.Equal(t, [][]int32{{1, 1}, {1, 1}, {1}}, got)
}

// A tracker with more reduces than the sweep allows gets none, but another sweep follows. A sweep in
// which no reduce fits is the last one.
func TestSweepsForReduces(t *testing.T) {
	a, b := &descriptor{demand: [2]Demand{{}, {Slot: 1}}, left: [2]int32{0, 9}}, &descriptor{}
	x := &node{cells: []cell{{d: b, next: [2]int32{0, 1}}}}
	for _, v := range []struct {
		level int32
		slots int64
		left  int32
		again bool
	}{{0, 5, 9, true}, {1, 0, 9, false}, {1, 5, 8, true}, {1, 5, 8, true}, {2, 5, 7, true}} {
		p := &PlacementAlgorithm{kind: job.Reduce, ring: []*descriptor{a}, level: v.level}
		budget := 9
		p.spread(x, Demand{Slot: v.slots}, &budget)
		require.Equal(t, v.left, a.left[job.Reduce], "%+v", v)
		require.Equal(t, v.again, p.again, "%+v", v)
	}
}

// Equation 4 raises the lowest utility first. No job gets more job-slots than it can use, and the
// reduces have slots of their own.
func TestJobSlotsByUtility(t *testing.T) {
	a := &descriptor{fit: 4, req: 4, want: [2]int32{8, 1}}
	b := &descriptor{fit: 2, req: 2, want: [2]int32{8, 0}}
	allocate(ready(6, a, b), byUtility{})
	require.Equal(t, [2]int32{4, 1}, a.alloc)
	require.Equal(t, [2]int32{2, 0}, b.alloc)

	a, b = &descriptor{fit: 4, req: 4, want: [2]int32{5, 2}}, &descriptor{fit: 1, req: 2, want: [2]int32{8, 0}}
	allocate(ready(99, a, b), byUtility{})
	require.Equal(t, [2]int32{5, 2}, a.alloc)
	require.Equal(t, [2]int32{8, 0}, b.alloc)
	p := ready(99, a, b)
	a.alloc, b.alloc = [2]int32{}, [2]int32{}
	p.opt.surplus = false
	allocate(p, byUtility{})
	require.Equal(t, [2]int32{4, 2}, a.alloc)
	require.Equal(t, [2]int32{2, 0}, b.alloc, "s_req is more than s_fit")
}

// If conf.AdaptiveLate is top, and only then, late jobs get all slots that they can use before
// other jobs.
func TestLateJobsFirst(t *testing.T) {
	for rule, f := range map[string]rule{"utility": byUtility{}, "need": byNeed{}} {
		for late, want := range map[string][2]int32{LateTop: {5, 3}, LateDemote: {1, 1}} {
			a := &descriptor{fit: 9, req: 9, want: [2]int32{9, 9}, run: [2]int32{1, 0}}
			b := &descriptor{fit: 1, req: 1, want: [2]int32{5, 3}, run: [2]int32{1, 0}, late: true}
			p := ready(6, a, b)
			p.opt.late = late
			allocate(p, f)
			if late == LateTop {
				require.Equal(t, want, b.alloc, rule)
				require.Equal(t, [2]int32{1, 3}, a.alloc, rule)
			} else {
				require.Less(t, b.alloc[job.Map], int32(2), rule)
				require.Greater(t, a.alloc[job.Map], int32(4), rule)
			}
		}
	}
}

// A step of a rule ends when its budget is used exactly, and the next step continues there.
func TestBudgetsOfRules(t *testing.T) {
	a, b := &descriptor{fit: 4, req: 4, want: [2]int32{8, 0}}, &descriptor{want: [2]int32{0, 0}}
	p := ready(8, a, b)
	byUtility{}.begin(p)
	budget := 9
	require.False(t, byUtility{}.step(p, &budget), "the maps follow in another step")
	require.Equal(t, 7, budget, "one for each job")
	budget = 8
	require.False(t, byUtility{}.step(p, &budget))
	require.EqualValues(t, 2, a.alloc[job.Map], "4 for each job-slot")
	budget = 99
	require.True(t, byUtility{}.step(p, &budget))
	require.EqualValues(t, 8, a.alloc[job.Map])

	p = ready(0, a)
	p.filling.kind, p.filling.queue.jobs = job.Map, []*descriptor{a}
	budget = 1
	require.True(t, byUtility{}.step(p, &budget), "without a slot, there is nothing to do")

	jobs := []*descriptor{{}, {}, {}}
	p = ready(8, jobs...)
	byNeed{}.begin(p)
	budget = 3
	require.False(t, byNeed{}.step(p, &budget))
	require.Equal(t, []int{urgent, 1}, []int{p.filling.pass, p.filling.i}, "one for each job in each pass")

	jobs = []*descriptor{{req: 4, want: [2]int32{4, 0}, run: [2]int32{1, 0}}, {req: 1, want: [2]int32{1, 0}}}
	p = ready(8, jobs...)
	p.opt.surplus = false
	p.filling.order, p.filling.pass = jobs, needed
	budget = 4
	require.False(t, byNeed{}.step(p, &budget))
	require.Equal(t, []int{needed, 1}, []int{p.filling.pass, p.filling.i}, "4 more for its slots")
}

// NOMS'10 gives one slot to a job whose task length is unknown if none of its maps runs. Then jobs
// get the slots that they need, and at last the slots that are left.
func TestPassesOfNOMS10(t *testing.T) {
	unknown := &descriptor{req: 3, want: [2]int32{5, 2}}
	runs := &descriptor{req: 3, want: [2]int32{5, 2}, run: [2]int32{1, 0}}
	done := &descriptor{req: 3, want: [2]int32{5, 2}, done: [2]int64{1, 0}}
	none := &descriptor{}
	p := ready(99, unknown, runs, done, none)
	for _, x := range []struct {
		pass int
		want [][2]int32
	}{
		{learn, [][2]int32{{1, 0}, {0, 0}, {0, 0}, {0, 0}}},
		{urgent, [][2]int32{{1, 0}, {0, 0}, {0, 0}, {0, 0}}},
		{needed, [][2]int32{{3, 2}, {3, 2}, {3, 2}, {0, 0}}},
		{surplus, [][2]int32{{5, 2}, {5, 2}, {5, 2}, {0, 0}}},
	} {
		for i, d := range p.jobs {
			before := d.alloc[job.Map]
			require.Equal(t, x.want[i][job.Map]-before, serve(p, d, x.pass))
			require.Equal(t, x.want[i], d.alloc, "pass %d job %d", x.pass, i)
		}
	}
	p.opt.surplus = false
	require.Zero(t, serve(p, &descriptor{want: [2]int32{5, 0}, demand: unknown.demand}, surplus))
}

// A cycle of minmiss forgets the one before. Accepted jobs come first in the order of their goals,
// then jobs without a goal, then the jobs that it gives up.
func TestCyclesOfMinMiss(t *testing.T) {
	goal := func(goal int64, work float64) *descriptor {
		return &descriptor{aim: goal, mapGoal: goal, mu: 1, work: work, pend: [2]int32{2, 0}, want: [2]int32{2, 1}}
	}
	for slots, want := range map[int64][4]int32{2: {0, 2, 0, 0}, 4: {0, 2, 0, 2}, 5: {1, 2, 0, 2}, 8: {2, 2, 2, 2}} {
		p := ready(slots, goal(0, 10), goal(1000, 900), goal(1000, 1100), goal(2000, 100))
		p.estimator = &WorkloadEstimator{groups: []group{{whole: [resources]float64{2}}}}
		for range 2 {
			p.pools[job.Map][Slot], p.pools[job.Reduce][Slot] = slots, slots
			for i, w := range []float64{10, 900, 1101, 100} {
				p.jobs[i].work, p.jobs[i].alloc = w, [2]int32{}
			}
			allocate(p, byCount{})
			require.Len(t, p.filling.order, 4)
			var got [4]int32
			for i, d := range p.jobs {
				got[i] = d.alloc[job.Map]
			}
			require.Equal(t, want, got, "%d slots", slots)
		}
	}
	p := ready(9, goal(2000, 10), goal(2000, 10))
	p.estimator = &WorkloadEstimator{groups: []group{{whole: [resources]float64{2}}}}
	byCount{}.begin(p)
	budget := 8 + 3
	require.False(t, byCount{}.step(p, &budget))
	require.Equal(t, 2, p.filling.i, "one for each job and one for each map slot")
	require.Equal(t, -3, budget)
	budget = 3
	require.True(t, byCount{}.step(p, &budget))
}

// minmiss does not accept a job whose maps are too late now. Wide maps count once per slot.
func TestJobsThatMinMissAccepts(t *testing.T) {
	for _, x := range []struct {
		goal  int64
		pend  int32
		work  float64
		mu    float64
		width int64
		whole bool
		want  bool
	}{
		{600, 1, 1000, 1, 1, false, true}, {600, 1, 1001, 1, 1, false, false},
		{600, 1, 500, 1, 2, false, true}, {600, 1, 501, 1, 2, false, false},
		{100, 1, 0, 1, 1, false, false}, {100, 0, 0, 1, 1, false, true}, {101, 1, 0, 1, 1, false, true},
		{600, 1, 10, 500, 1, true, true}, {600, 1, 10, 501, 1, true, false}, {600, 1, 10, 501, 1, false, true},
		{600, 0, 10, 501, 1, true, true},
	} {
		p := &PlacementAlgorithm{estimator: &WorkloadEstimator{now: 100, opt: options{whole: x.whole},
			groups: []group{{whole: [resources]float64{2}}}}}
		byCount{}.begin(p)
		accept(p, &descriptor{aim: 9999, mapGoal: x.goal, pend: [2]int32{x.pend, 0}, work: x.work, mu: x.mu,
			demand: [2]Demand{{Slot: x.width}, {}}})
		require.Equal(t, x.want, len(p.filling.queue.jobs) == 1, "%+v", x)
		require.Equal(t, !x.want, len(p.filling.order) == 1, "%+v", x)
	}
}

// A tracker offers the share of its resources that f(t) or its report on other programs leaves. If
// trackers enforce f(t), their slots already follow it.
func TestPresentCapacity(t *testing.T) {
	half := newCurve(1000, 0, []int64{0, 1000}, [][resources]int64{{Full / 2, Full / 4}, {Full / 2, Full / 4}})
	tracker := &scheduler.Tracker{Slots: [2]int32{8, 4}, VCores: 4, OtherLoad: 750_000}
	c := capacity{curves: &Curves{all: half}}
	require.Equal(t, Demand{4, 1000, unlimited, 0}, c.of(tracker, job.Map, 5))
	require.Equal(t, Demand{2, 1000, unlimited, 0}, c.of(tracker, job.Reduce, 5))
	c.opt.limit = ByTrackers
	require.Equal(t, Demand{8, 4000, unlimited, 1000}, c.of(tracker, job.Map, 5))
	c.opt = options{source: SourceMeasured}
	require.Equal(t, Demand{2, 1000, unlimited, 250}, c.of(tracker, job.Map, 5))
	for load, want := range map[int32]int64{-5: Full, 0: Full, Full: 0, Full + 5: 0} {
		tracker.OtherLoad = load
		require.Equal(t, want, c.present(tracker, 5, CPU))
	}
}

// For predictions, a cycle sums up the trackers with the same f(t), and keeps the buffer free.
func TestSumsOverTrackers(t *testing.T) {
	slow := newCurve(1000, 0, []int64{0, 1000}, [][resources]int64{{Full / 2}, {Full / 2}})
	c := capacity{curves: &Curves{byName: map[string]*Curve{"slow": slow}}, opt: options{buffer: 10}}
	var e WorkloadEstimator
	for range 2 { // each cycle starts from scratch
		c.begin(5)
		for _, x := range []scheduler.Tracker{{Name: "a", Slots: [2]int32{3, 9}, VCores: 2},
			{Name: "slow", Slots: [2]int32{5, 9}, VCores: 1, Memory: 100},
			{Name: "b", Slots: [2]int32{7, 9}, VCores: 4, Memory: 100},
			{Name: "slow", Slots: [2]int32{5, 9}, VCores: 1}} {
			c.add(&x)
		}
		c.end(&e)
		require.Equal(t, []group{{whole: [resources]float64{9, 5400, unlimited, 1800}},
			{curve: slow, whole: [resources]float64{9, 1800, unlimited, 1800}}}, e.groups)
	}
	c.opt = options{limit: ByTrackers}
	c.begin(5)
	c.add(&scheduler.Tracker{Name: "slow", Slots: [2]int32{5, 9}})
	c.end(&e)
	require.EqualValues(t, 10, e.groups[0].whole[Slot], "it reports half of its slots")
	for share, want := range map[int64]float64{0: 700, Full / 100: 700, Full / 50: 350, Full: 7} {
		g := group{curve: newCurve(9, 0, []int64{0, 9}, [][resources]int64{{share}, {share}}),
			whole: [resources]float64{Slot: 7}}
		g.upscale(5)
		require.Equal(t, want, g.whole[Slot], "%d", share)
	}
}

// A measured f(t) is the mean over the trackers, and predictions of the same cycle use it.
func TestMeanOfMeasuredLoad(t *testing.T) {
	c, e := capacity{opt: options{source: SourceMeasured}}, WorkloadEstimator{}
	c.begin(5 * hourMS)
	c.end(&e)
	require.Nil(t, c.measured.curve, "nothing is measured without trackers")
	for range 2 {
		c.begin(5 * hourMS)
		for _, load := range []int32{200_000, 400_000} {
			c.add(&scheduler.Tracker{OtherLoad: load})
		}
		c.end(&e)
		require.EqualValues(t, 700_000, c.measured.curve.At(5*hourMS, CPU))
		require.Len(t, e.groups, 1)
		require.Same(t, c.measured.curve, e.groups[0].curve)
	}
}

// Surplus slots aside, a heartbeat first starts the tasks whose job-slots are on the tracker, then
// those of jobs that use the smallest share of their job-slots.
func TestJobSlotsOfTheTrackerComeFirst(t *testing.T) {
	for _, x := range []struct {
		run, clusterRun, place, grant int32
		first                         bool
	}{{0, 1, 1, 2, true}, {1, 1, 1, 2, false}, {0, 2, 1, 2, false}} {
		p := fresh(t, New, settings{conf.AdaptiveSurplus.Name: "min", conf.AdaptiveCycle.Name: "10m"})
		h := policytest.NewHand(t, p)
		tt := h.Join("tt", "h", "/r", 1, 0)
		a, b := h.Submit(policytest.Job("u", 9, 0)), h.Submit(policytest.Job("u", 9, 0))
		here, other := p.updater.bySeq.Get(a), p.updater.bySeq.Get(b)
		here.grant[job.Map], other.grant[job.Map] = x.grant, 9
		here.run[job.Map] = x.clusterRun
		p.nodes.byHandle.Get(tt).cells = []cell{{d: here, place: [2]int32{x.place, 0}, run: [2]int32{x.run, 0}}}
		p.tasks.due = []*descriptor{other, here}
		started := h.Beat(tt)
		require.Len(t, started, 1)
		require.Equal(t, x.first, started[0].Job == a, "%+v", x)
	}
}

// With surplus=min, a job starts no more tasks than it has job-slots.
func TestNoTaskWithoutJobSlot(t *testing.T) {
	p := fresh(t, New, settings{conf.AdaptiveSurplus.Name: "min", conf.AdaptiveCycle.Name: "10m"})
	h := policytest.NewHand(t, p)
	tt := h.Join("tt", "h", "/r", 5, 5)
	d := p.updater.bySeq.Get(h.Submit(policytest.Job("u", 9, 9)))
	d.grant = [2]int32{2, 0}
	p.tasks.due = []*descriptor{d}
	require.Len(t, h.Beat(tt), 2)
}
