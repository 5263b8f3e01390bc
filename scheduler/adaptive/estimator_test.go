package adaptive

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
)

// At the start of a cycle, the estimator sums up the slots that running maps hold and the time that
// the maps still need, each times the width of the map. Predictions subtract these slots until that
// time has passed. With a horizon of one task, Algorithm 1 starts after the mean length of the
// pending maps if that is longer than a cycle.
func TestStartOfACycle(t *testing.T) {
	u := &JobStatusUpdater{opt: options{length: LengthFirst}, jobs: []*descriptor{
		{demand: [2]Demand{{Slot: 2}, {}}, pend: [2]int32{3, 9}, run: [2]int32{3, 9}, started: [2]int64{3 * 4800, 0},
			done: [2]int64{1, 0}, spent: [2]int64{1000, 0}}, // 3 * 800 ms in two slots each
		{demand: [2]Demand{{Slot: 1}, {}}, pend: [2]int32{1, 9}, run: [2]int32{2, 9}, started: [2]int64{2 * 4900, 0},
			done: [2]int64{1, 0}, spent: [2]int64{500, 0}}, // 2 * 400 ms
		{demand: [2]Demand{{Slot: 1}, {}}, run: [2]int32{1, 0}, started: [2]int64{10, 0},
			done: [2]int64{1, 0}, spent: [2]int64{500, 0}}, // overdue
	}}
	e := &WorkloadEstimator{updater: u}
	for _, x := range []struct {
		horizon     bool
		cycle, want int64
	}{{true, 100, 875}, {true, 900, 900}, {false, 100, 100}} {
		e.opt = options{horizon: x.horizon, cycle: x.cycle}
		e.begin(5000)
		require.Equal(t, x.want, e.ahead, "%+v", x)
	}
	require.EqualValues(t, 9, e.held)
	require.InDelta(t, (4800.+800)/9, e.rest, 1e-9)

	e.rest = 700
	for _, x := range []struct {
		size float64
		a, b int64
		want float64
	}{
		{20, 5000, 6000, 20*1000 - 9*700},
		{20, 5100, 5300, 20*200 - 9*200},
		{20, 5500, 6000, 20*500 - 9*200},
		{20, 5700, 6000, 20 * 300},
		{20, 5900, 6000, 20 * 100},
		{5, 5000, 5500, 0}, // the maps hold more slots than there will be
	} {
		e.groups = []group{{whole: [resources]float64{x.size}}}
		require.InDelta(t, x.want, e.slots(x.a, x.b), 1e-9, "%+v", x)
	}
}

// The predicted amount of a resource is the sum over the groups. A group can have none of it. If one
// group does not report it, it is unlimited.
func TestPredictionAddsUpGroups(t *testing.T) {
	half := newCurve(1000, 0, []int64{0, 1000}, [][resources]int64{{Full / 2, Full / 2}, {Full / 2, Full / 2}})
	e := &WorkloadEstimator{groups: []group{{whole: [resources]float64{Slot: 3, CPU: 5, Memory: 5}},
		{whole: [resources]float64{Slot: 4, CPU: 0, Memory: unlimited}, curve: half}}}
	require.EqualValues(t, 3*200+4*100, e.integral(100, 300, Slot))
	require.EqualValues(t, 5*200, e.integral(100, 300, CPU))
	require.EqualValues(t, unlimited, e.integral(100, 300, Memory))
}

// The room of a period of Algorithm 1 covers every resource from the previous job's goal to the job's
// own goal. No period begins before the end of the next cycle.
func TestRoomOfAPeriod(t *testing.T) {
	first, second := &descriptor{mapGoal: 150}, &descriptor{mapGoal: 400}
	for _, x := range []struct {
		ahead int64
		want  [2]float64 // length of each period, from the first job to the second
	}{{20, [2]float64{30, 250}}, {100, [2]float64{0, 200}}, {900, [2]float64{0, 0}}} {
		e := &WorkloadEstimator{now: 100, ahead: x.ahead, jobs: []*descriptor{first, second},
			groups: []group{{whole: [resources]float64{Slot: 2, CPU: 3, Memory: unlimited, IO: 5}}}}
		for e.i = 1; e.i >= 0; e.i-- {
			n := x.want[e.i]
			e.k = 7
			e.period()
			require.Equal(t, [resources]float64{2 * n, 3 * n, unlimited, 5 * n}, e.room, "%+v", x)
			require.Zero(t, e.k)
		}
		require.Equal(t, []*descriptor{second, first}, e.open)
	}
}

// A slot that is free now runs as many whole tasks as fit before the goal. A slot with a running task
// runs as many as fit after that task.
func TestSlotsForWholeTasks(t *testing.T) {
	for _, x := range []struct {
		pend, run         int32
		mu, ahead, window float64
		want              float64
	}{
		{20, 0, 100, 0, 99, math.Inf(1)},
		{20, 0, 100, 0, 100, 20},
		{20, 0, 100, 0, 199, 20},
		{20, 0, 100, 0, 200, 10},
		{21, 0, 100, 0, 200, 11},
		{10, 5, 100, 5 * 50, 250, 5},   // each running slot runs two more
		{11, 5, 100, 5 * 50, 250, 6},   // one task is left
		{10, 5, 100, 5 * 51, 250, 8},   // one more each, and 5 tasks in slots that run two
		{10, 5, 100, 5 * 250, 150, 15}, // the running tasks take too long
		{4, 5, 100, 5 * 50, 250, 2},
	} {
		d := &descriptor{pend: [2]int32{x.pend, 0}, run: [2]int32{x.run, 0}}
		require.Equal(t, x.want, wholeNeed(d, x.mu, x.ahead, x.window), "%+v", x)
	}
}

// s_req is the work divided by the time to the goal, rounded up. It is never more than the number of
// maps that can run. Without time before the goal, it is that number.
func TestAverageNeedOfOneJob(t *testing.T) {
	e := &WorkloadEstimator{now: 100}
	for _, x := range []struct {
		goal int64
		work float64
		want int32
	}{{300, 800, 4}, {300, 801, 5}, {300, 2000, 9}, {101, 5, 5}, {100, 0, 9}, {99, 5, 9}, {99, 0, 9}} {
		d := &descriptor{mapGoal: x.goal, work: x.work, want: [2]int32{9, 0}}
		require.Equal(t, x.want, e.average(d, 100, 0), "%+v", x)
	}
	e.opt.whole = true
	d := &descriptor{mapGoal: 250, work: 600, want: [2]int32{9, 0}, pend: [2]int32{6, 0}}
	require.EqualValues(t, 6, e.average(d, 100, 0), "only one wave fits")
	d.pend[job.Map] = 1
	require.EqualValues(t, 4, e.average(d, 100, 0), "the work needs more slots than the pending map")
}

// A policy that predicts with f(t) limits s_req to the average capacity until the map goal, here 6 of
// 8 slots in the first half of the time and 2 in the second. Every resource that a map needs counts.
// s_req is at least 1.
func TestAverageCapacityLimitsNeed(t *testing.T) {
	f := newCurve(1000, 100, []int64{0, 500, 501, 1000}, [][resources]int64{{Full * 3 / 4, Full}, {Full * 3 / 4, Full},
		{Full / 4, Full}, {Full / 4, Full}})
	for _, x := range []struct {
		foresees, average bool
		cpu               int64   // of a map; the cluster has 1000
		slots             float64 // of the cluster where f(t) = 1
		work              float64
		want              int32
	}{
		{true, true, 0, 8, 9000, 4},
		{true, true, 0, 8, 3000, 3},
		{true, true, 300, 8, 9000, 3},
		{true, true, 0, 0.5, 9000, 1},
		{true, false, 0, 8, 9000, 9},
		{false, true, 0, 8, 9000, 9},
	} {
		e := &WorkloadEstimator{now: 100, foresees: x.foresees, opt: options{average: x.average},
			groups: []group{{curve: f, whole: [resources]float64{Slot: x.slots, CPU: 1000, Memory: unlimited, IO: 1}}}}
		d := &descriptor{mapGoal: 1100, work: x.work, want: [2]int32{20, 0}, demand: [2]Demand{{Slot: 1, CPU: x.cpu}, {}}}
		require.Equal(t, x.want, e.average(d, 100, 0), "%+v", x)
	}
}

// A late job that conf.AdaptiveLate demotes needs one slot, or none if it has no maps.
func TestDemotedJobs(t *testing.T) {
	u := &JobStatusUpdater{opt: options{late: LateDemote}}
	e := &WorkloadEstimator{opt: u.opt, updater: u, now: 5000}
	for pend, want := range map[int32]int32{0: 0, 1: 1, 7: 1} {
		d := &descriptor{pend: [2]int32{pend, 0}, goal: 4000}
		e.require(d)
		require.Equal(t, want, d.req)
		require.Equal(t, want, d.fit)
	}
}

// The needs of a job count its pending maps in full and the rest of its running ones. Its maps must
// end before its last wave of reduces.
func TestNeedsOfAJob(t *testing.T) {
	u := &JobStatusUpdater{opt: options{length: LengthGuess, guess: 300}}
	e := &WorkloadEstimator{opt: u.opt, updater: u, now: 5000}
	d := &descriptor{pend: [2]int32{4, 2}, run: [2]int32{2, 1}, limit: [2]int32{5, 0}, started: [2]int64{2 * 4900, 0},
		goal: 6000, reduces: 3, done: [2]int64{0, 1}, alloc: [2]int32{7, 7}, left: [2]int32{7, 7}}
	e.require(d)
	require.EqualValues(t, 5700, d.mapGoal)
	require.EqualValues(t, 4*300+2*200, d.work)
	require.Equal(t, [2]int32{5, 3}, d.want)
	require.EqualValues(t, 3, d.req, "1600 ms of work in 700 ms")
	require.EqualValues(t, 3, d.fit)
	require.False(t, d.late)
	require.Zero(t, d.alloc)
	require.Zero(t, d.left)
}

// Algorithm 1 treats tasks as divisible. With whole.tasks, no more tasks fit side by side into a
// period than the job has, because a task cannot run faster in two slots.
func TestWholeTasksFitSideBySide(t *testing.T) {
	for whole, want := range map[bool]float64{false: 10, true: 5} {
		e := &WorkloadEstimator{opt: options{whole: whole}, from: 1000, to: 1050,
			room: [resources]float64{Slot: 2000, CPU: unlimited}}
		d := &descriptor{rest: 10, mu: 100, pend: [2]int32{10, 0}, demand: [2]Demand{{Slot: 1, CPU: 9}, {}}}
		require.Equal(t, want, e.fitting(d))
		require.EqualValues(t, 2000-want*100, e.room[Slot])
		require.EqualValues(t, unlimited, e.room[CPU])
	}
}

// A resource that a job does not need cannot limit it, even if no room is left.
func TestUnneededResourcesDoNotLimit(t *testing.T) {
	e := &WorkloadEstimator{to: 100, room: [resources]float64{Slot: 1000}}
	d := &descriptor{rest: 3, mu: 100, pend: [2]int32{3, 0}, demand: [2]Demand{{Slot: 2}, {}}}
	require.EqualValues(t, 3, e.fitting(d))
	require.EqualValues(t, 400, e.room[Slot])
	d.rest = 3
	require.EqualValues(t, 2, e.fitting(d))
	require.Zero(t, e.room)
}

// Algorithm 1 removes a job whose work has a place from the open jobs. It continues while room for
// a slot of 1 ms is left. A step ends when its budget is used.
func TestStepsOfAlgorithm1(t *testing.T) {
	work := func(rest float64) *descriptor {
		return &descriptor{rest: rest, mu: 1, demand: [2]Demand{{Slot: 1}, {}}}
	}
	open := func(room float64, jobs ...*descriptor) *WorkloadEstimator {
		return &WorkloadEstimator{open: jobs, room: [resources]float64{Slot: room}}
	}
	last := work(1)
	e, budget := open(9, work(1), work(2), last), 2
	require.False(t, e.step(&budget))
	require.Equal(t, []*descriptor{last}, e.open)
	budget = 1
	require.True(t, e.step(&budget))
	require.Empty(t, e.open)

	first, second, third := work(2), work(3), work(1)
	e, budget = open(3, first, second, third), 9
	require.True(t, e.step(&budget))
	require.Equal(t, []*descriptor{second, third}, e.open)
	require.EqualValues(t, 2, second.rest)
	require.EqualValues(t, 1, third.rest, "no room is left")
	require.Equal(t, 7, budget, "the third job takes no work")
}

// s_fit covers the running maps, too, if more maps must start now. It is 0 if no more must start.
// Late jobs and jobs without a goal keep the s_fit of require.
func TestSettledNeeds(t *testing.T) {
	for _, x := range []struct {
		d    descriptor
		want int32
	}{
		{descriptor{rest: 3, run: [2]int32{2, 0}, want: [2]int32{12, 0}, aim: 1}, 5},
		{descriptor{rest: 2.5, run: [2]int32{2, 0}, want: [2]int32{12, 0}, aim: 1}, 5},
		{descriptor{rest: 3, run: [2]int32{2, 0}, want: [2]int32{4, 0}, aim: 1}, 4},
		{descriptor{rest: 0, run: [2]int32{2, 0}, want: [2]int32{4, 0}, aim: 1}, 0},
		{descriptor{rest: 1e-7, run: [2]int32{2, 0}, want: [2]int32{4, 0}, aim: 1}, 0}, // an error of rounding
		{descriptor{rest: 1 + 1e-7, want: [2]int32{4, 0}, aim: 1}, 1},
		{descriptor{rest: 3, want: [2]int32{4, 0}, aim: 1, late: true}, 77},
		{descriptor{rest: 3, want: [2]int32{4, 0}}, 77},
	} {
		d := x.d
		d.fit = 77
		(&WorkloadEstimator{}).settle(&d)
		require.Equal(t, x.want, d.fit, "%+v", x.d)
	}
}

// With whole.tasks, the maps for which the slots after the next cycle have no whole wave must start
// in that cycle.
func TestMapsThatCannotWait(t *testing.T) {
	e := &WorkloadEstimator{now: 100, ahead: 50, opt: options{whole: true},
		groups: []group{{whole: [resources]float64{4}}}}
	for _, x := range []struct {
		goal       int64
		rest, want float64
	}{{550, 0, 4}, {549, 0, 8}, {551, 0, 4}, {150, 0, 20}, {149, 0, 20}, {550, 6, 6}, {1950, 0, 0}} {
		d := &descriptor{pend: [2]int32{20, 0}, want: [2]int32{20, 0}, mapGoal: x.goal, aim: x.goal, mu: 100, rest: x.rest}
		e.settle(d)
		require.EqualValues(t, x.want, d.fit, "%+v", x)
	}
}
