package adaptive

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/policytest"
	"github.com/howdah/howdah/simulator/tasklevel"
	"github.com/howdah/howdah/simulator/trace"
)

// Figure 4: s_fit = 10, s_req = 15, s_pend = 35, r_pend = 10. Equation 2 is 0 at s_fit, even though
// the prose says s_req.
func TestEquation2AtTheCornersOfFigure4(t *testing.T) {
	var c JobUtilityCalculator
	for s, want := range map[int32]float64{1: -1, 5: math.Log(5)/math.Log(10) - 1, 10: 0, 12: 0.2, 15: 0.5, 25: 0.75,
		35: 1, 40: 1} {
		require.InDelta(t, want, float64(c.Map(s, 10, 15, 35))/unit, 1e-5, "s_alloc = %d", s)
	}
	require.Less(t, c.Map(0, 10, 15, 35), int64(-1000*unit), "log 0")
}

// Equation 2, last branch: s_req <= s_fit. If they are equal, the utility is that of Middleware'11.
func TestEquation2WhenTheAverageIsLess(t *testing.T) {
	var c JobUtilityCalculator
	require.EqualValues(t, unit/2, c.Map(20, 10, 5, 30))
	require.EqualValues(t, unit/2, c.Map(20, 10, 10, 30))
	require.EqualValues(t, 0, c.Map(10, 10, 10, 30))
}

// Equation 2 has defined results even where its logarithms or denominators are undefined: s_fit <=
// 1, s_fit = s_pend, and no pending tasks.
func TestEquation2Guards(t *testing.T) {
	var c JobUtilityCalculator
	require.EqualValues(t, 0, c.Map(0, 0, 4, 8))
	require.EqualValues(t, worst, c.Map(0, 1, 4, 8))
	require.EqualValues(t, 0, c.Map(1, 1, 4, 8))
	require.EqualValues(t, unit, c.Map(8, 8, 8, 8))
	require.EqualValues(t, unit, c.Map(0, 0, 0, 0))
	require.EqualValues(t, unit, c.Map(1, 1, 1, 1))
}

// Equation 2 is "a monotonically increasing utility function, with values in the range (-inf, 1]"
// (section IV-C).
func TestEquation2Grows(t *testing.T) {
	var c JobUtilityCalculator
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		pend := 1 + r.Int32N(300)
		fit, req := r.Int32N(pend+1), r.Int32N(pend+1)
		last := int64(math.MinInt64)
		for s := range pend + 3 {
			u := c.Map(s, fit, req, pend)
			require.GreaterOrEqual(t, u, last, "fit %d req %d pend %d at %d", fit, req, pend, s)
			require.LessOrEqual(t, u, int64(unit))
			last = u
		}
		require.EqualValues(t, unit, last)
	}
}

// Equation 3 ranges from -1 to 0. It is 0 only if all reduces have a slot.
func TestEquation3(t *testing.T) {
	var c JobUtilityCalculator
	for r, want := range map[int32]float64{0: -1, 1: -1, 4: math.Log(4)/math.Log(10) - 1, 10: 0, 11: 0} {
		require.InDelta(t, want, float64(c.Reduce(r, 10))/unit, 1e-5, "r_alloc = %d", r)
	}
	require.EqualValues(t, -unit, c.Reduce(0, 1))
	require.EqualValues(t, 0, c.Reduce(0, 0))
}

// Equation 1 is the sum of both utilities, at most 1.
func TestEquation1(t *testing.T) {
	var c JobUtilityCalculator
	d := &descriptor{fit: 10, req: 15, want: [2]int32{35, 10}, alloc: [2]int32{15, 4}}
	require.Equal(t, c.Map(15, 10, 15, 35)+c.Reduce(4, 10), c.of(d))
	d.alloc = [2]int32{99, 10}
	require.EqualValues(t, unit, c.of(d))
}

// The fixed-point logarithm is accurate to 1e-6.
func TestLogarithm(t *testing.T) {
	var c JobUtilityCalculator
	for _, n := range []int32{1, 2, 3, 7, 100, 12345} {
		require.InDelta(t, math.Log2(float64(n)), float64(c.log(n))/(1<<24), 1e-6)
	}
}

// reversed runs the estimator on jobs with tasks of 100 s. Each job is a pair of its number of maps
// and its goal in s, where 0 means no goal. slots is the size of the cluster.
func reversed(t *testing.T, set settings, slots float64, curve *Curve, jobs ...[2]int64) []*descriptor {
	return reversedWith(t, set, slots, curve, func(*descriptor) {}, jobs...)
}

// reversedWith works like reversed but first calls change for each job.
func reversedWith(t *testing.T, set settings, slots float64, curve *Curve, change func(*descriptor),
	jobs ...[2]int64) []*descriptor {
	o, err := readOptions(set.conf())
	require.NoError(t, err)
	updater := newUpdater(o)
	u := &updater
	e := &WorkloadEstimator{opt: o, updater: u, foresees: true}
	g := group{curve: curve, whole: [resources]float64{unlimited, unlimited, unlimited, unlimited}}
	g.whole[Slot] = slots
	e.groups = []group{g}
	for i, j := range jobs {
		d := &descriptor{seq: int32(i), pend: [2]int32{int32(j[0]), 0}, goal: j[1] * 1000, done: [2]int64{1, 0},
			spent: [2]int64{100_000, 0}}
		d.demand[job.Map][Slot] = 1
		change(d)
		u.put(d)
	}
	e.begin(1) // the cycle starts at 1 ms
	for _, d := range u.jobs {
		e.require(d)
	}
	e.reverse(u.jobs)
	budget := 1 // in the smallest possible steps
	for !e.step(&budget) {
		budget = 1
	}
	for _, d := range u.jobs {
		e.settle(d)
	}
	return u.jobs
}

// literal follows Algorithm 1 to the letter. Work is divisible, and the horizon is the control
// cycle.
var literal = settings{conf.AdaptiveWholeTasks.Name: "false", conf.AdaptiveHorizon.Name: "cycle",
	conf.AdaptiveCycle.Name: "10"}

// Algorithm 1 with one job: work that fits between the next cycle and the goal need not run now.
func TestAlgorithm1OneJob(t *testing.T) {
	require.EqualValues(t, 0, reversed(t, literal, 10, nil, [2]int64{90, 1000})[0].fit, "100 tasks fit into 1000 s")
	require.EqualValues(t, 51, reversed(t, literal, 10, nil, [2]int64{150, 1000})[0].fit,
		"50 do not fit, and one for the cycle itself")
}

// Algorithm 1 with two jobs. Only the later job can run between the two goals. Work that does not
// fit there moves before the earlier goal, where the later job comes first (lines 9-13).
func TestAlgorithm1CarriesWorkOver(t *testing.T) {
	jobs := reversed(t, literal, 10, nil, [2]int64{40, 500}, [2]int64{60, 1000})
	require.EqualValues(t, [2]int32{1, 0}, [2]int32{jobs[0].fit, jobs[1].fit},
		"10 of the 60 go before 500 s, 40 fit beside them but for the cycle")
	jobs = reversed(t, literal, 10, nil, [2]int64{45, 500}, [2]int64{60, 1000})
	require.EqualValues(t, [2]int32{6, 0}, [2]int32{jobs[0].fit, jobs[1].fit},
		"now 5 tasks of the first have no place later")
}

// Algorithm 1 follows f(t). The same work becomes urgent if the cluster is about to shrink.
func TestAlgorithm1KnowsTheFuture(t *testing.T) {
	c, err := ParseCurves("f", []byte("period 2000s\nstep 1000s\n0 1\n500s 1\n501s 0.1\n1500s 0.1\n2000s 1\n"))
	require.NoError(t, err)
	require.EqualValues(t, 0, reversed(t, literal, 10, nil, [2]int64{80, 1000})[0].fit)
	require.Greater(t, reversed(t, literal, 10, c.all, [2]int64{80, 1000})[0].fit, int32(20),
		"50 before 500 s and 5 after")
}

// Resources other than slots can limit jobs (Gamma_j, Omega_tt). fit is the minimum over all
// resources.
func TestAlgorithm1FitsEveryResource(t *testing.T) {
	o, err := readOptions(literal.conf())
	require.NoError(t, err)
	e := &WorkloadEstimator{opt: o, from: 0, to: 100_000,
		room: [resources]float64{Slot: 1e6, CPU: 2e8, Memory: unlimited, IO: 1e9}}
	d := &descriptor{rest: 50, mu: 100_000, pend: [2]int32{50, 0}}
	d.demand[job.Map] = Demand{Slot: 1, CPU: 1000, Memory: 7}
	require.EqualValues(t, 2, e.fitting(d), "2e8 core-ms are two tasks of one core and 100 s")
	require.EqualValues(t, 0, e.room[CPU])
	require.EqualValues(t, 8e5, e.room[Slot])
}

// Running maps occupy their slots until they end, so less room is left until then.
func TestAlgorithm1LeavesRunningTasksTheirSlots(t *testing.T) {
	running := func(d *descriptor) {
		if d.seq == 0 {
			d.run, d.started = [2]int32{10, 0}, [2]int64{10, 0}
		}
	}
	jobs := reversedWith(t, literal, 10, nil, running, [2]int64{0, 5000}, [2]int64{39, 500})
	require.EqualValues(t, 0, jobs[0].fit, "all slots are held for 100 s; 40 tasks fit into the 400 s after that")
	jobs = reversedWith(t, literal, 10, nil, running, [2]int64{0, 5000}, [2]int64{44, 500})
	require.EqualValues(t, 5, jobs[0].fit, "4 and the ms that has passed")
}

// The periods of Algorithm 1 apply to maps. A job with long reduces must finish its maps long
// before its goal.
func TestAlgorithm1CountsReducesBackFromTheGoal(t *testing.T) {
	long := func(d *descriptor) {
		if d.seq == 1 {
			d.reduces, d.profile.Reduce.Avg = 1, 300_000
		}
	}
	jobs := reversedWith(t, literal, 10, nil, long, [2]int64{45, 500}, [2]int64{18, 510})
	require.EqualValues(t, 510_000, jobs[1].goal)
	require.Zero(t, jobs[0].fit, "29 tasks fit between 210 s and 500 s, and 16 before that, next to the other job's")
	require.EqualValues(t, 14, jobs[1].fit, "before 210 s there is room for 20 tasks from the end of the cycle on, and "+
		"16 of it is taken")
}

// The slots of running maps run more tasks if there is time left afterward.
func TestWholeTasksBesideRunningOnes(t *testing.T) {
	d := &descriptor{pend: [2]int32{20, 0}, run: [2]int32{5, 0}}
	require.EqualValues(t, 9, wholeNeed(d, 100, 5*50, 340), "5 slots are free in 50 s and run 2 each; 4 fresh ones run "+
		"the other 10 in 3 waves")
	require.EqualValues(t, 4, wholeNeed(d, 50, 5*25, 340), "6 waves of 5 are more than enough, so are 6 of 4")
}

// The current placement applies until the next one is complete, however many steps that takes.
func TestPlacementInForceOutlivesTheSteps(t *testing.T) {
	p := fresh(t, New, settings{conf.AdaptiveCycle.Name: "1000"})
	h := policytest.NewHand(t, p)
	tt := h.Join("tt", "h", "/r", 2, 1)
	h.Submit(policytest.Job("u", 9, 0))
	h.Beat(tt)
	h.Wait(3000)
	d := p.updater.jobs[0]
	require.EqualValues(t, 2, d.grant[job.Map])
	p.placement.begin(h)
	for p.placement.stage != allocating {
		budget := 1
		p.placement.advance(h, &budget)
	}
	require.Zero(t, d.alloc)
	require.EqualValues(t, 2, d.grant[job.Map])
}

// Section IV-B: the buffer covers prediction errors, so it does not apply to the current capacity.
func TestBufferIsForTheFuture(t *testing.T) {
	p := fresh(t, New, settings{conf.AdaptiveCapacityFile.Name: "period 1h\n0 0.8\n1h 0.8\n",
		conf.AdaptiveCapacityBuffer.Name: "10",
		conf.AdaptiveCycle.Name:          "1000"})
	h := policytest.NewHand(t, p)
	tt := h.Join("tt", "h", "/r", 5, 0)
	h.Submit(policytest.Job("u", 9, 0))
	h.Wait(3000)
	h.Beat(tt)
	require.Len(t, h.On(tt), 4, "0.8 of 5, and not 0.72")
}

// Job-slots stay on the trackers where the job's tasks are running, so that a new placement moves as
// few job-slots as possible.
func TestPlacementKeepsRunningTasks(t *testing.T) {
	p := fresh(t, New, settings{conf.AdaptiveCycle.Name: "1000"})
	h := policytest.NewHand(t, p)
	one, two := h.Join("one", "h1", "/r", 2, 1), h.Join("two", "h2", "/r", 2, 1)
	a := h.Submit(policytest.Job("u", 2, 0))
	h.Beat(two)
	b := h.Submit(policytest.Job("u", 2, 0))
	h.Beat(one)
	h.Wait(3000)
	for tracker, seq := range map[int32]int32{one: b, two: a} {
		cells := p.nodes.byHandle.Get(tracker).cells
		require.Len(t, cells, 1)
		require.Equal(t, seq, cells[0].d.seq)
		require.Equal(t, [2]int32{2, 0}, cells[0].place)
	}
}

// NOMS'10 orders jobs by need, which is the number of slots that they lack.
func TestNOMS10OrdersByNeed(t *testing.T) {
	p := fresh(t, New, settings{conf.AdaptiveVariant.Name: NOMS10, conf.AdaptiveCycle.Name: "1000"})
	h := policytest.NewHand(t, p)
	tt := h.Join("tt", "h", "/r", 5, 1)
	profile := job.Property{Name: "howdah.job.profile", Value: "map=10000/10000"}
	little, much := policytest.Job("u", 20, 0, profile), policytest.Job("u", 40, 0, profile)
	little.Deadline, much.Deadline = h.Now()+103_000, h.Now()+103_000
	h.Submit(little)
	a := h.Submit(much)
	h.Wait(2000)
	count := map[int32]int{}
	for _, x := range h.Beat(tt) {
		count[x.Job]++
	}
	require.Equal(t, 4, count[a], "it needs 4 slots, the other 2, and there are 5: %v", count)
}

// Tasks cannot be split, but the paper's estimates ignore that. With whole.tasks, a job with time
// for only one wave before its goal needs a slot for each task immediately.
func TestWholeTasks(t *testing.T) {
	whole := settings{conf.AdaptiveHorizon.Name: "task"}
	jobs := reversed(t, whole, 100, nil, [2]int64{20, 190})
	require.EqualValues(t, 20, jobs[0].fit)
	require.EqualValues(t, 20, jobs[0].req)
	fluid := reversed(t, literal, 100, nil, [2]int64{20, 190})
	require.EqualValues(t, 0, fluid[0].fit)
	require.EqualValues(t, 11, fluid[0].req, "20 x 100 s / 190 s")
	two := reversed(t, whole, 100, nil, [2]int64{20, 350})
	require.EqualValues(t, 7, two[0].req, "three waves")
}

// s_req is the remaining work divided by the time to the goal (section IV-B). A job without a goal
// needs a slot for every map, because it should end as early as possible (section III).
func TestAverageNeed(t *testing.T) {
	jobs := reversed(t, literal, 10, nil, [2]int64{30, 0}, [2]int64{40, 1000}, [2]int64{5, 0})
	require.EqualValues(t, 30, jobs[0].req)
	require.EqualValues(t, 30, jobs[0].fit)
	require.EqualValues(t, 5, jobs[1].req)
	require.EqualValues(t, 5, jobs[2].req, "40 x 100 s / 1000 s, rounded up")
}

// Goals are soft. A job past its goal continues under the configured rule.
func TestLateJobs(t *testing.T) {
	for late, want := range map[string]int32{LateDemote: 1, LateOthers: 30, LateTop: 30} {
		o, err := readOptions(settings{conf.AdaptiveLate.Name: late}.conf())
		require.NoError(t, err)
		u := &JobStatusUpdater{opt: o}
		e := &WorkloadEstimator{opt: o, updater: u, now: 5000}
		d := &descriptor{pend: [2]int32{30, 0}, goal: 4000}
		e.require(d)
		require.True(t, d.late)
		require.Equal(t, want, d.fit, late)
	}
}

// Figures 1 to 3: three equal jobs have goals at 6.5, 15, and 23.1 h on a cluster that shrinks from
// hour 6 to hour 18. Adaptive assigns slots to all jobs from the start and misses the first two
// goals. Reverse-Adaptive meets all goals and makes the third job wait. MinMiss meets at least the
// first two.
func TestThreeJobExample(t *testing.T) {
	adaptive, early := example(t, New)
	require.Greater(t, adaptive[0], 6.5)
	require.Greater(t, adaptive[1], 15.0)
	require.Greater(t, early[2], 0.05)
	reverse, early := example(t, NewReverse)
	require.LessOrEqual(t, reverse[0], 6.5)
	require.LessOrEqual(t, reverse[1], 15.0)
	require.LessOrEqual(t, reverse[2], 23.1)
	require.Less(t, early[2], 0.05, "J3's share of the slots before hour 4")
	floor, _ := example(t, NewMinMiss)
	require.LessOrEqual(t, floor[0], 6.5)
	require.LessOrEqual(t, floor[1], 15.0)
}

// example runs the three jobs. It returns their end times in hours, and their shares of the slots
// before hour 4.
func example(t *testing.T, n scheduler.New) (ends, early [3]float64) {
	const nodes, task = 40, 600_000
	f := func(at int64) float64 {
		return 0.55 - 0.35*math.Cos(2*math.Pi*float64(at-18*hourMS)/float64(24*hourMS))
	}
	points := "period 24h\n"
	var changes []tasklevel.Capacity
	for at := int64(0); at <= 24*hourMS; at += hourMS / 4 {
		points += fmt.Sprintf("%dms %.4f\n", at, f(at))
		changes = append(changes, tasklevel.Capacity{At: at, Slots: [2]int32{int32(nodes*f(at) + 0.5), 1}})
	}
	tr := &trace.Trace{}
	for i, goal := range []float64{6.5, 15, 23.1} {
		j := &trace.Job{ID: fmt.Sprint("J", i+1), Name: "equal", State: job.Succeeded,
			Deadline: int64(goal * float64(hourMS))}
		for range 984 { // 4.1 h of the whole cluster
			j.Maps = append(j.Maps, trace.Map{Time: task})
		}
		tr.Jobs = append(tr.Jobs, j)
	}
	p := fresh(t, n, settings{conf.AdaptiveCapacityFile.Name: points, conf.AdaptiveCapacityEnforcedBy.Name: ByTrackers,
		conf.AdaptiveCycle.Name:          "30000",
		conf.AdaptiveCapacityBuffer.Name: "5"})
	total, minute := 0.0, 0
	c := tasklevel.Config{Slots: [2]int32{nodes, 1}, Policy: p, Capacity: changes, SampleEvery: 60_000,
		Sample: func(v scheduler.View) {
			if minute++; minute > 4*60 {
				return
			}
			for i := range early {
				if j := v.Job(int32(i + 1)); j != nil {
					early[i] += float64(j.Running[job.Map])
					total += float64(j.Running[job.Map])
				}
			}
		}}
	r, err := tasklevel.Run(context.Background(), c, tr.Source())
	require.NoError(t, err)
	for i := range r.Jobs {
		ends[r.Jobs[i].Seq-1] = float64(r.Jobs[i].Finish) / float64(hourMS)
	}
	for i := range early {
		early[i] /= total
	}
	return ends, early
}

// Section IV-E: the Task Scheduler applies a new placement gradually. Job-slots change hands only
// when tasks end.
func TestPlacementIsEnforcedGradually(t *testing.T) {
	p := fresh(t, New, settings{conf.AdaptiveCycle.Name: "1000", conf.AdaptiveTaskLength.Name: LengthGuess,
		conf.AdaptiveTaskLengthGuess.Name: "10s"})
	h := policytest.NewHand(t, p)
	tt := h.Join("tt", "h", "/r", 4, 1)
	a := h.Submit(policytest.Job("u", 40, 0))
	require.Len(t, h.Beat(tt), 4)
	s := policytest.Job("u", 2, 0)
	s.Deadline = h.Now() + 19_000 // one wave, so it needs two slots
	b := h.Submit(s)
	h.Wait(1500)
	require.Empty(t, h.Beat(tt), "nothing is stopped")
	require.Empty(t, h.Log)
	next := h.Beat(tt, h.On(tt)[0])
	require.Len(t, next, 1)
	require.Equal(t, b, next[0].Job, "a slot that became free goes where the placement wants it")
	next = h.Beat(tt, h.On(tt)[0])
	require.Equal(t, b, next[0].Job)
	next = h.Beat(tt, h.On(tt)[0])
	require.Equal(t, a, next[0].Job)
}

// Equations 6 and 7: no task starts beyond the capacity that f(t) leaves on a tracker. If f(t)
// falls, running tasks still finish.
func TestNothingStartsBeyondCapacity(t *testing.T) {
	points := "period 1000h\nstep 1000h\norigin 1000000\n0 1\n1m 1\n2m 0.5\n1000h 0.5\n"
	p := fresh(t, NewReverse, settings{conf.AdaptiveCapacityFile.Name: points, conf.AdaptiveCycle.Name: "1000"})
	h := policytest.NewHand(t, p)
	tt := h.Join("tt", "h", "/r", 4, 2)
	h.Submit(policytest.Job("u", 40, 0))
	require.Len(t, h.Beat(tt), 4)
	h.Wait(3 * 60_000)
	require.Empty(t, h.Beat(tt, h.On(tt)[0]), "4 run where 2 may; 3 are left")
	require.Empty(t, h.Beat(tt, h.On(tt)[0]))
	require.Len(t, h.Beat(tt, h.On(tt)[0]), 1, "1 ran, there is room for 2")
	require.Len(t, h.On(tt), 2)
}

// Section III: a tracker runs no more tasks than its resources permit, even if it has free slots.
func TestResourceProfilesLimitTasks(t *testing.T) {
	p := fresh(t, NewReverse, nil)
	h := policytest.NewHand(t, p)
	tt := h.Join("tt", "h", "/r", 4, 4)
	h.Submit(policytest.Job("u", 3, 3, job.Property{Name: "howdah.job.demand.map.io", Value: "40"},
		job.Property{Name: "howdah.job.demand.shuffle.io", Value: "10"},
		job.Property{Name: "howdah.job.demand.reduce.io", Value: "20"}))
	var count [2]int
	for _, a := range h.Beat(tt) {
		count[a.Type]++
	}
	require.Equal(t, [2]int{1, 3}, count, "three reduces by the larger of both phases are 60%, and a map 40%")
}

// NOMS'10: jobs with an unknown task length first get one slot. Then the jobs that lack the most
// slots are served first.
func TestNOMS10(t *testing.T) {
	p := fresh(t, New, settings{conf.AdaptiveVariant.Name: NOMS10, conf.AdaptiveCycle.Name: "1000",
		conf.AdaptiveSurplus.Name: "min"})
	h := policytest.NewHand(t, p)
	tt := h.Join("tt", "h", "/r", 6, 1)
	known := policytest.Job("u", 40, 0, job.Property{Name: "howdah.job.profile", Value: "map=10000/10000"})
	known.Deadline = h.Now() + 110_000
	a := h.Submit(known)
	strange := policytest.Job("u", 40, 0)
	strange.Deadline = h.Now() + 1_000_000_000
	b := h.Submit(strange)
	h.Wait(2000)
	count := map[int32]int{}
	for _, x := range h.Beat(tt) {
		count[x.Job]++
	}
	require.Equal(t, map[int32]int{a: 4, b: 1}, count, "40 x 10 s in 109 s need 4 slots; the strange job has one; one "+
		"stays idle")
}

// The floor line of Figure 7: if only two of three jobs fit, the scheduler gives up the largest.
func TestMinMissGivesUpTheLargest(t *testing.T) {
	run := func(n scheduler.New) (missed []string) {
		tr := &trace.Trace{}
		for i, j := range []struct{ tasks, goal int64 }{{40, 500_000}, {10, 500_000}, {10, 500_000}} {
			x := &trace.Job{ID: fmt.Sprint(i), Name: "x", State: job.Succeeded, Deadline: j.goal}
			for range j.tasks {
				x.Maps = append(x.Maps, trace.Map{Time: 100_000})
			}
			tr.Jobs = append(tr.Jobs, x)
		}
		r, err := tasklevel.Run(context.Background(),
			tasklevel.Config{Slots: [2]int32{5, 1}, Policy: fresh(t, n, settings{conf.AdaptiveCycle.Name: "1000"})},
			tr.Source())
		require.NoError(t, err)
		for i := range r.Jobs {
			if r.Jobs[i].Missed() {
				missed = append(missed, r.Jobs[i].ID)
			}
		}
		return missed
	}
	require.Equal(t, []string{"0"}, run(NewMinMiss))
}

// A tracker gets one job-slot of each job in turn, up to the job's total.
func TestJobSlotsInTurn(t *testing.T) {
	one := [2]Demand{{Slot: 1}, {Slot: 1}}
	a := &descriptor{demand: one, left: [2]int32{1, 0}}
	b := &descriptor{demand: one, left: [2]int32{3, 0}}
	p := &PlacementAlgorithm{kind: job.Map, ring: []*descriptor{a, b}}
	x, budget := &node{}, 100
	p.addTo(x, Demand{Slot: 3}, &budget)
	require.Equal(t, [2]int32{1, 0}, x.cell(a).next)
	require.Equal(t, [2]int32{2, 0}, x.cell(b).next)
	require.Equal(t, []*descriptor{b}, p.ring)
	p.addTo(x, Demand{Slot: 5}, &budget)
	require.Equal(t, [2]int32{3, 0}, x.cell(b).next)
	require.Empty(t, p.ring)
}
