package pool_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/fair"
	"github.com/howdah/howdah/scheduler/policytest"
)

// The tests of this file check Hadoop's rules for pools through the Fair Scheduler, a thin layer
// over package pool.

func build(t testing.TB, file string, pairs ...string) *fair.Policy {
	s := scheduler.Setup{Conf: conf.New(), Files: []scheduler.File{{Key: conf.FairSchedulerAllocationFile.Name,
		Path: "fair-scheduler.xml",
		Data: []byte("<allocations>" + file + "</allocations>")}}}
	for i := 0; i < len(pairs); i += 2 {
		s.Conf.Set(pairs[i], pairs[i+1], "test")
	}
	p, err := fair.New(s)
	require.NoError(t, err)
	return p.(*fair.Policy)
}

// users returns the users of the started tasks, in order.
func users(h *policytest.Hand, ids []job.Attempt) (out []string) {
	for _, id := range ids {
		out = append(out, h.Job(id.Job).Spec.User)
	}
	return out
}

func TestPoolsShareByWeight(t *testing.T) {
	h := policytest.NewHand(t, build(t, `<pool name="b"><weight>2</weight></pool>`))
	h.Submit(policytest.Job("a", 10, 0))
	h.Submit(policytest.Job("b", 10, 0))
	x := h.Join("x", "h", "/r", 6, 0)
	require.Equal(t, []string{"a", "b", "b", "a", "b", "b"}, users(h, h.Beat(x)),
		"by running tasks by weight, then by name")
}

func TestMinSharesComeFirst(t *testing.T) {
	h := policytest.NewHand(t, build(t,
		`<pool name="b"><minMaps>2</minMaps></pool><pool name="c"><minMaps>4</minMaps></pool>`))
	for _, u := range []string{"a", "b", "c"} {
		h.Submit(policytest.Job(u, 10, 0))
	}
	x := h.Join("x", "h", "/r", 9, 0)
	require.Equal(t, []string{"b", "c", "c", "b", "c", "c", "a", "a", "a"}, users(h, h.Beat(x)),
		"those below their min share, by how much of it they have")
}

// Guaranteed slots that a pool does not need go to others.
func TestMinShareThatIsNotWanted(t *testing.T) {
	h := policytest.NewHand(t, build(t, `<pool name="b"><minMaps>8</minMaps></pool>`))
	h.Submit(policytest.Job("a", 10, 0))
	h.Submit(policytest.Job("b", 2, 0))
	x := h.Join("x", "h", "/r", 8, 0)
	require.Equal(t, []string{"b", "b", "a", "a", "a", "a", "a", "a"}, users(h, h.Beat(x)))
}

func TestMaxShare(t *testing.T) {
	h := policytest.NewHand(t, build(t, `<pool name="a"><maxMaps>2</maxMaps><maxReduces>1</maxReduces></pool>`))
	h.Submit(policytest.Job("a", 10, 0))
	x := h.Join("x", "h", "/r", 4, 0)
	require.Len(t, h.Beat(x), 2)
}

func TestJobsOfAPool(t *testing.T) {
	high := func(s *job.Spec) *job.Spec { s.Priority = job.High; return s }
	jobs := func(ids []job.Attempt) (out []int32) {
		for _, id := range ids {
			out = append(out, id.Job)
		}
		return out
	}
	h := policytest.NewHand(t, build(t, ""))
	one, two := h.Submit(policytest.Job("a", 10, 0)), h.Submit(high(policytest.Job("a", 10, 0)))
	x := h.Join("x", "h", "/r", 6, 0)
	require.Equal(t, []int32{one, two, two, one, two, two}, jobs(h.Beat(x)), "fair: a priority more is twice the weight")

	h = policytest.NewHand(t, build(t, `<defaultPoolSchedulingMode>fifo</defaultPoolSchedulingMode>`))
	one, two = h.Submit(policytest.Job("a", 10, 0)), h.Submit(high(policytest.Job("a", 4, 0)))
	x = h.Join("x", "h", "/r", 6, 0)
	require.Equal(t, []int32{two, two, two, two, one, one}, jobs(h.Beat(x)), "fifo")

	h = policytest.NewHand(t, build(t, "", conf.FairSchedulerSizeBasedWeight.Name, "true"))
	one, two = h.Submit(policytest.Job("a", 1, 0)), h.Submit(policytest.Job("a", 1000, 0))
	x = h.Join("x", "h", "/r", 6, 0)
	require.Equal(t, []int32{one, two, two, two, two, two}, jobs(h.Beat(x)))
}

func TestLimitsOnRunningJobs(t *testing.T) {
	h := policytest.NewHand(t, build(t,
		`<pool name="a"><maxRunningJobs>1</maxRunningJobs></pool><user name="b"><maxRunningJobs>2</maxRunningJobs></user>`+
			`<userMaxJobsDefault>3</userMaxJobsDefault>`))
	first := h.Submit(policytest.Job("a", 1, 0))
	h.Submit(policytest.Job("a", 2, 0))
	for range 3 {
		h.Submit(policytest.Job("b", 1, 0))
	}
	for range 4 {
		h.Submit(policytest.Job("c", 1, 0))
	}
	x := h.Join("x", "h", "/r", 20, 0)
	fresh := h.Beat(x)
	require.ElementsMatch(t, []string{"a", "b", "b", "c", "c", "c"}, users(h, fresh))
	for _, id := range fresh {
		if id.Job == first {
			require.Equal(t, []string{"a", "a"}, users(h, h.Beat(x, id)), "the next job of the pool")
		}
	}
}

// Delay scheduling: a job whose data is elsewhere first waits for a local node, then for the rack,
// and then accepts any node.
func TestDelayScheduling(t *testing.T) {
	h := policytest.NewHand(t, build(t, "", conf.FairSchedulerLocalityDelayNode.Name, "1000",
		conf.FairSchedulerLocalityDelayRack.Name, "500"))
	s := policytest.Job("a", 6, 0)
	for i := range s.Splits {
		s.Splits[i].Hosts = []string{"far"}
	}
	h.Submit(s)
	far := h.Join("far", "far", "/r2", 1, 0)
	near := h.Join("near", "near", "/r2", 1, 0)
	x := h.Join("x", "here", "/r1", 3, 0)
	require.Empty(t, h.Beat(x))
	h.Wait(999)
	require.Empty(t, h.Beat(near), "999 ms: still the node alone")
	h.Wait(1)
	require.Empty(t, h.Beat(x), "1000 ms: the rack will do")
	require.Len(t, h.Beat(near), 1)
	h.Wait(500)
	require.Empty(t, h.Beat(x), "it ran in the rack: half a second for the next, from the first beat that skips it")
	h.Wait(500)
	require.Len(t, h.Beat(x), 3, "anywhere, and from then on without waiting")
	require.Len(t, h.Beat(far), 1, "local")
}

// While a job waits for a local node, other jobs run.
func TestDelayLetsOthersRun(t *testing.T) {
	h := policytest.NewHand(t, build(t, "", conf.FairSchedulerLocalityDelay.Name, "1000"))
	s := policytest.Job("a", 2, 0)
	s.Splits[0].Hosts, s.Splits[1].Hosts = []string{"far"}, []string{"far"}
	h.Submit(s)
	h.Submit(policytest.Job("b", 2, 0))
	h.Join("far", "far", "/r2", 1, 0)
	x := h.Join("x", "here", "/r1", 4, 0)
	require.Equal(t, []string{"b", "b"}, users(h, h.Beat(x)))
	h.Wait(1999)
	require.Empty(t, h.Beat(x), "the first beat has tried the job three times, but its wait counts once")
	h.Wait(1)
	require.Equal(t, []string{"a", "a"}, users(h, h.Beat(x)))
}

// A map without data runs anywhere. The other maps of its job still wait for their data.
func TestDelayAfterAMapWithoutData(t *testing.T) {
	h := policytest.NewHand(t, build(t, "", conf.FairSchedulerLocalityDelay.Name, "1000"))
	s := policytest.Job("a", 2, 0)
	s.Splits[1].Hosts = []string{"far"}
	h.Submit(s)
	x := h.Join("x", "here", "/r1", 4, 0)
	require.Len(t, h.Beat(x), 1)
	require.Empty(t, h.Beat(x))
}

func TestNewJobsMayWeighMore(t *testing.T) {
	h := policytest.NewHand(t, build(t, "", conf.FairSchedulerWeightAdjuster.Name,
		"org.apache.hadoop.mapred.NewJobWeightBooster",
		conf.NewJobWeightBoosterDuration.Name, "60000"))
	old := h.Submit(policytest.Job("a", 20, 0))
	h.Wait(60_000)
	young := h.Submit(policytest.Job("a", 20, 0))
	x := h.Join("x", "h", "/r", 4, 0)
	count := func(ids []job.Attempt, seq int32) (n int) {
		for _, id := range ids {
			if id.Job == seq {
				n++
			}
		}
		return n
	}
	fresh := h.Beat(x)
	require.Equal(t, []int{1, 3}, []int{count(fresh, old), count(fresh, young)})
	h.Wait(60_000)
	y := h.Join("y", "h2", "/r", 4, 0)
	h.Beat(y)
	require.Equal(t, []int{4, 4}, []int{count(append(h.On(x), h.On(y)...), old),
		count(append(h.On(x), h.On(y)...), young)}, "then all weigh the same")
}

const guaranteed = `<pool name="b"><minMaps>2</minMaps><minSharePreemptionTimeout>5</minSharePreemptionTimeout></pool>`

// crowd fills six map slots with tasks of pool a, two at a time. Then it submits a job of pool b.
func crowd(t *testing.T, file string, pairs ...string) (*policytest.Hand, int32) {
	h := policytest.NewHand(t, build(t, file, append(pairs, conf.FairSchedulerPreemption.Name, "true",
		conf.FairSchedulerAssignMultipleMaps.Name, "2",
		conf.FairSchedulerPreemptionInterval.Name, "1000")...))
	h.Submit(policytest.Job("a", 20, 0))
	x := h.Join("x", "h", "/r", 6, 0)
	for range 3 {
		h.Beat(x)
		h.Wait(100)
	}
	h.Submit(policytest.Job("b", 4, 0))
	return h, x
}

// A new pool reaches its min share within the timeout and the interval. Preemption kills only the
// newest tasks of the pool above its share.
func TestPreemptionForMinShare(t *testing.T) {
	h, x := crowd(t, guaranteed)
	newest := h.On(x)[4:]
	h.Wait(5000)
	require.Empty(t, h.Beat(x))
	h.Wait(1600)
	h.Beat(x)
	require.ElementsMatch(t, newest, h.Log)
	require.Equal(t, []string{"b", "b"}, users(h, h.Beat(x)), "once the killed ones are gone")
	h.Wait(20_000)
	h.Beat(x)
	require.Len(t, h.Log, 2, "no more than that")
}

// The timeout starts when the pool begins to starve, even if nothing has changed for a long time
// before.
func TestTimeoutAfterLongPeace(t *testing.T) {
	h := policytest.NewHand(t, build(t, guaranteed, conf.FairSchedulerPreemption.Name, "true",
		conf.FairSchedulerPreemptionInterval.Name, "1000"))
	h.Submit(policytest.Job("a", 20, 0))
	x := h.Join("x", "h", "/r", 6, 0)
	h.Beat(x)
	h.Wait(60_000)
	h.Submit(policytest.Job("b", 4, 0))
	h.Wait(5000)
	h.Beat(x)
	require.Empty(t, h.Log)
	h.Wait(1600)
	h.Beat(x)
	require.Len(t, h.Log, 2)
}

// Preemption counts tasks that it has killed but that have not ended yet, so it does not kill too
// many.
func TestPreemptionCountsTheDying(t *testing.T) {
	h, x := crowd(t, guaranteed)
	h.Wait(20_000) // the tracker does not report
	h.Beat(x)
	require.Len(t, h.Log, 2)
}

func TestPreemptionForFairShare(t *testing.T) {
	h, x := crowd(t, `<fairSharePreemptionTimeout>5</fairSharePreemptionTimeout>`)
	h.Wait(7000)
	h.Beat(x)
	require.Len(t, h.Log, 3, "up to the fair share")
	for _, id := range h.Log {
		a := h.Attempt(id)
		require.Equal(t, job.AttemptKilled, a.State)
	}
}

func TestPreemptionMayOnlyLog(t *testing.T) {
	h, x := crowd(t, guaranteed, conf.FairSchedulerPreemptionOnlyLog.Name, "true")
	h.Wait(20_000)
	h.Beat(x)
	require.Empty(t, h.Log)
}

func TestPoolsThatMayNotBePreempted(t *testing.T) {
	h, x := crowd(t, guaranteed+`<pool name="a"><canBePreempted>false</canBePreempted></pool>`)
	h.Wait(20_000)
	h.Beat(x)
	require.Empty(t, h.Log)
}

// Preemption takes a pool down to its fair share, even if another pool is owed more.
func TestPreemptionKeepsTheFairShare(t *testing.T) {
	h := policytest.NewHand(t, build(t, `<pool name="a"><minMaps>2</minMaps></pool><pool name="b"><minMaps>6</minMaps>`+
		`<minSharePreemptionTimeout>1</minSharePreemptionTimeout></pool>`+
		`<pool name="c"><canBePreempted>false</canBePreempted></pool>`, conf.FairSchedulerPreemption.Name, "true",
		conf.FairSchedulerPreemptionInterval.Name, "1000"))
	h.Submit(policytest.Job("a", 4, 0))
	h.Submit(policytest.Job("c", 4, 0))
	x := h.Join("x", "h", "/r", 8, 0)
	require.Len(t, h.Beat(x), 8)
	h.Submit(policytest.Job("b", 20, 0))
	h.Wait(20_000)
	h.Beat(x)
	require.Equal(t, []string{"a", "a"}, users(h, h.Log), "b is owed six, but a keeps its min share and c all")
}

// Preemption kills no more tasks for a pool than the pool wants to start, even if its min share is
// larger.
func TestNoNeedlessPreemption(t *testing.T) {
	h := policytest.NewHand(t, build(t,
		`<pool name="b"><minMaps>6</minMaps></pool><defaultMinSharePreemptionTimeout>1</defaultMinSharePreemptionTimeout>`,
		conf.FairSchedulerPreemption.Name, "true", conf.FairSchedulerPreemptionInterval.Name, "1000"))
	h.Submit(policytest.Job("a", 20, 0))
	x := h.Join("x", "h", "/r", 6, 0)
	h.Beat(x)
	h.Submit(policytest.Job("b", 1, 0))
	h.Wait(10_000)
	h.Beat(x)
	require.Len(t, h.Log, 1, "it wants one")
}

// The state that a policy has built up over time survives a change of its file.
func TestInherit(t *testing.T) {
	h, x := crowd(t, guaranteed)
	h.Wait(4900)
	old := h.Policy()
	next := build(t, guaranteed, conf.FairSchedulerPreemption.Name, "true", conf.FairSchedulerPreemptionInterval.Name,
		"1000")
	h.SetPolicy(next)
	next.Inherit(h, old)
	h.Wait(1700)
	h.Beat(x)
	require.Len(t, h.Log, 2)
}

// A pool that had its share until a change of the file does not count as starving since the last
// update, which can be long ago if nothing has changed since.
func TestInheritedPeace(t *testing.T) {
	pairs := []string{conf.FairSchedulerPreemption.Name, "true", conf.FairSchedulerPreemptionInterval.Name, "1000"}
	h := policytest.NewHand(t, build(t, guaranteed, pairs...))
	h.Submit(policytest.Job("a", 20, 0))
	x := h.Join("x", "h", "/r", 6, 0)
	h.Beat(x)
	h.Wait(60_000)
	old, next := h.Policy(), build(t, guaranteed+`<pool name="a"><weight>2</weight></pool>`, pairs...)
	h.SetPolicy(next)
	next.Inherit(h, old)
	h.Submit(policytest.Job("b", 4, 0))
	h.Wait(4000)
	h.Beat(x)
	require.Empty(t, h.Log)
	h.Wait(3000)
	h.Beat(x)
	require.Len(t, h.Log, 2)
}

// A new policy counts the time that a job has already waited for local data.
func TestInheritedWait(t *testing.T) {
	delays := []string{conf.FairSchedulerLocalityDelayNode.Name, "1000", conf.FairSchedulerLocalityDelayRack.Name, "0"}
	h := policytest.NewHand(t, build(t, "", delays...))
	s := policytest.Job("a", 1, 0)
	s.Splits[0].Hosts = []string{"far"}
	h.Submit(s)
	x := h.Join("x", "here", "/r1", 1, 0)
	h.Beat(x)
	h.Wait(600)
	require.Empty(t, h.Beat(x))
	old, next := h.Policy(), build(t, "", delays...)
	h.SetPolicy(next)
	next.Inherit(h, old)
	h.Wait(400)
	require.Len(t, h.Beat(x), 1)
}

func TestGroups(t *testing.T) {
	p := build(t, guaranteed)
	h := policytest.NewHand(t, p)
	one := h.Submit(policytest.Job("a", 20, 3))
	h.Submit(policytest.Job("c", 1, 0))
	x := h.Join("x", "h", "/r", 6, 2)
	h.Beat(x)
	require.Equal(t, []scheduler.Group{
		{Name: "a", Jobs: 1, Weight: 1, Max: [2]int32{-1, -1}, Fair: [2]int32{5, 2}, Demand: [2]int32{20, 3},
			Running: [2]int32{5, 2}},
		{Name: "b", Weight: 1, Min: [2]int32{2, 0}, Max: [2]int32{-1, -1}},
		{Name: "c", Jobs: 1, Weight: 1, Max: [2]int32{-1, -1}, Fair: [2]int32{1, 0}, Demand: [2]int32{1, 0},
			Running: [2]int32{1, 0}},
	}, p.Groups(h, nil))
	require.Equal(t, "a", p.GroupOf(h, one))
	require.Empty(t, p.GroupOf(h, 99))
}

// The policy finds a map that becomes pending again with local input on a tracker for which the
// index has recorded a miss.
func TestMapsThatComeBackAreFound(t *testing.T) {
	h := policytest.NewHand(t, build(t, "", conf.FairSchedulerLocalityDelay.Name, "86400000"))
	s := policytest.Job("a", 2, 0)
	s.Splits[0].Hosts, s.Splits[1].Hosts = []string{"here"}, []string{"far"}
	h.Submit(s)
	h.Join("far", "far", "/r", 0, 0)
	x := h.Join("x", "here", "/r", 2, 0)
	local := h.Beat(x)
	require.Len(t, local, 1)
	require.Empty(t, h.Beat(x), "nothing more near this tracker")
	h.Do(jobtracker.Input{Kind: jobtracker.InKillAttempt, Attempt: local[0]})
	h.Beat(x)
	again := append(h.Beat(x), h.On(x)...)
	require.NotEmpty(t, again)
	require.Equal(t, local[0].Task, again[0].Task)
	h.Beat(x, again[0])
	require.Empty(t, h.Beat(x))
}
