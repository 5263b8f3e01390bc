package fair

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/policytest"
	"github.com/howdah/howdah/scheduler/pool"
)

// users tells whose tasks were started, in order.
func users(h *policytest.Hand, ids []job.Attempt) (out []string) {
	for _, id := range ids {
		out = append(out, h.Job(id.Job).Spec.User)
	}
	return out
}

func types(ids []job.Attempt) (out string) {
	for _, id := range ids {
		out += string(id.Type.Letter())
	}
	return out
}

func TestPoolsShareByWeight(t *testing.T) {
	h := policytest.NewHand(t, build(t, `<pool name="b"><weight>2</weight></pool>`))
	h.Submit(policytest.Job("a", 10, 0))
	h.Submit(policytest.Job("b", 10, 0))
	x := h.Join("x", "h", "/r", 6, 0)
	require.Equal(t, []string{"a", "b", "b", "a", "b", "b"}, users(h, h.Beat(x)), "by running tasks by weight, then by name")
}

func TestMinSharesComeFirst(t *testing.T) {
	h := policytest.NewHand(t, build(t, `<pool name="b"><minMaps>2</minMaps></pool><pool name="c"><minMaps>4</minMaps></pool>`))
	for _, u := range []string{"a", "b", "c"} {
		h.Submit(policytest.Job(u, 10, 0))
	}
	x := h.Join("x", "h", "/r", 9, 0)
	require.Equal(t, []string{"b", "c", "c", "b", "c", "c", "a", "a", "a"}, users(h, h.Beat(x)), "those below their min share, by how much of it they have")
}

// What a pool is guaranteed and does not want goes to others.
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

	h = policytest.NewHand(t, build(t, "", pool.KeySizeBasedWeight, "true"))
	one, two = h.Submit(policytest.Job("a", 1, 0)), h.Submit(policytest.Job("a", 1000, 0))
	x = h.Join("x", "h", "/r", 6, 0)
	require.Equal(t, []int32{one, two, two, two, two, two}, jobs(h.Beat(x)))
}

// The type of which the tracker runs fewer comes first.
func TestBothTypes(t *testing.T) {
	spec := func() *job.Spec { return policytest.Job("a", 4, 4) }
	for _, c := range []struct {
		pairs []string
		want  []string
	}{
		{nil, []string{"mrmrmm"}},
		{[]string{pool.KeyAssignMultiple, "false"}, []string{"m", "r", "m", "r", "m", "m", ""}},
		{[]string{pool.KeyMapsPerBeat, "1"}, []string{"mrr", "m", "m", "m", ""}},
		{[]string{pool.KeyReducesPerBeat, "0"}, []string{"mmmm", ""}},
	} {
		h := policytest.NewHand(t, build(t, "", c.pairs...))
		h.Submit(spec())
		x := h.Join("x", "h", "/r", 4, 2)
		for _, want := range c.want {
			require.Equal(t, want, types(h.Beat(x)), "%v", c.pairs)
		}
	}
}

// Small jobs are spread over the cluster unless the load may differ.
func TestLoad(t *testing.T) {
	for diff, want := range map[string]int{"0": 1, "0.25": 2, "1": 2} {
		h := policytest.NewHand(t, build(t, "", pool.KeyLoadMaxDiff, diff))
		x := h.Join("x", "h", "/r", 4, 0)
		for _, name := range []string{"y", "z", "w"} {
			h.Join(name, name, "/r", 4, 0)
		}
		h.Submit(policytest.Job("a", 2, 0))
		require.Len(t, h.Beat(x), want, diff)
	}
}

func TestLimitsOnRunningJobs(t *testing.T) {
	h := policytest.NewHand(t, build(t, `<pool name="a"><maxRunningJobs>1</maxRunningJobs></pool><user name="b"><maxRunningJobs>2</maxRunningJobs></user><userMaxJobsDefault>3</userMaxJobsDefault>`))
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

// A job whose data is elsewhere waits for the node, then for the rack, and takes then what there is (delay scheduling).
func TestDelayScheduling(t *testing.T) {
	h := policytest.NewHand(t, build(t, "", pool.KeyNodeDelay, "1000", pool.KeyRackDelay, "500"))
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
	require.Empty(t, h.Beat(x), "it ran in the rack: half a second for the next")
	h.Wait(500)
	require.Len(t, h.Beat(x), 3, "anywhere, and from then on without waiting")
	require.Len(t, h.Beat(far), 1, "local")
}

// A local launch makes a job wait anew, and others run meanwhile.
func TestDelayLetsOthersRun(t *testing.T) {
	h := policytest.NewHand(t, build(t, "", pool.KeyLocalityDelay, "1000"))
	s := policytest.Job("a", 2, 0)
	s.Splits[0].Hosts, s.Splits[1].Hosts = []string{"far"}, []string{"far"}
	h.Submit(s)
	h.Submit(policytest.Job("b", 2, 0))
	h.Join("far", "far", "/r2", 1, 0)
	x := h.Join("x", "here", "/r1", 4, 0)
	require.Equal(t, []string{"b", "b"}, users(h, h.Beat(x)))
}

func TestNewJobsMayWeighMore(t *testing.T) {
	h := policytest.NewHand(t, build(t, "", pool.KeyWeightAdjuster, "org.apache.hadoop.mapred.NewJobWeightBooster", pool.KeyBoosterDuration, "60000"))
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
	require.Equal(t, []int{4, 4}, []int{count(append(h.On(x), h.On(y)...), old), count(append(h.On(x), h.On(y)...), young)}, "then all weigh the same")
}

const guaranteed = `<pool name="b"><minMaps>2</minMaps><minSharePreemptionTimeout>5</minSharePreemptionTimeout></pool>`

// crowd fills six map slots with tasks of pool a, two at a time, and then submits a job of pool b.
func crowd(t *testing.T, file string, pairs ...string) (*policytest.Hand, int32) {
	h := policytest.NewHand(t, build(t, file, append(pairs, pool.KeyPreemption, "true", pool.KeyMapsPerBeat, "2", pool.KeyPreemptionInterval, "1000")...))
	h.Submit(policytest.Job("a", 20, 0))
	x := h.Join("x", "h", "/r", 6, 0)
	for range 3 {
		h.Beat(x)
		h.Wait(100)
	}
	h.Submit(policytest.Job("b", 4, 0))
	return h, x
}

// A newcomer reaches its min share within timeout and interval, and only the newest tasks of the pool above its share die.
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

// The timeout counts from when the pool starves, however long nothing had happened before.
func TestTimeoutAfterLongPeace(t *testing.T) {
	h := policytest.NewHand(t, build(t, guaranteed, pool.KeyPreemption, "true", pool.KeyPreemptionInterval, "1000"))
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

// Those that were killed and are not gone yet are not killed for again.
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
	h, x := crowd(t, guaranteed, pool.KeyPreemptionOnlyLog, "true")
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

// Nobody is preempted for a pool whose guarantee is kept, nor below a fair share.
func TestNoNeedlessPreemption(t *testing.T) {
	h := policytest.NewHand(t, build(t, `<pool name="b"><minMaps>6</minMaps></pool><defaultMinSharePreemptionTimeout>1</defaultMinSharePreemptionTimeout>`, pool.KeyPreemption, "true", pool.KeyPreemptionInterval, "1000"))
	h.Submit(policytest.Job("a", 20, 0))
	x := h.Join("x", "h", "/r", 6, 0)
	h.Beat(x)
	h.Submit(policytest.Job("b", 1, 0))
	h.Wait(10_000)
	h.Beat(x)
	require.Len(t, h.Log, 1, "it wants one")
}

// What a policy learnt with time outlives a change of its file.
func TestInherit(t *testing.T) {
	h, x := crowd(t, guaranteed)
	h.Wait(4900)
	old := h.Policy()
	next := build(t, guaranteed, pool.KeyPreemption, "true", pool.KeyPreemptionInterval, "1000")
	h.SetPolicy(next)
	next.Inherit(h, old)
	h.Wait(1700)
	h.Beat(x)
	require.Len(t, h.Log, 2)
}

func TestGroups(t *testing.T) {
	p := build(t, guaranteed)
	h := policytest.NewHand(t, p)
	one := h.Submit(policytest.Job("a", 20, 3))
	h.Submit(policytest.Job("c", 1, 0))
	x := h.Join("x", "h", "/r", 6, 2)
	h.Beat(x)
	require.Equal(t, []scheduler.Group{
		{Name: "a", Jobs: 1, Weight: 1, Max: [2]int32{-1, -1}, Fair: [2]int32{5, 2}, Demand: [2]int32{20, 3}, Running: [2]int32{5, 2}},
		{Name: "b", Weight: 1, Min: [2]int32{2, 0}, Max: [2]int32{-1, -1}},
		{Name: "c", Jobs: 1, Weight: 1, Max: [2]int32{-1, -1}, Fair: [2]int32{1, 0}, Demand: [2]int32{1, 0}, Running: [2]int32{1, 0}},
	}, p.Groups(h, nil))
	require.Equal(t, "a", p.GroupOf(h, one))
	require.Empty(t, p.GroupOf(h, 99))
}

func TestAdmission(t *testing.T) {
	p := build(t, `<poolPlacementPolicy><rule name="specified"/><rule name="reject"/></poolPlacementPolicy>`)
	require.ErrorContains(t, p.Admit(nil, policytest.Job("a", 1, 0)), "no rule of poolPlacementPolicy finds a pool")
	require.NoError(t, p.Admit(nil, policytest.Job("a", 1, 0, job.Property{Name: pool.KeyPool, Value: "p"})))
	require.NoError(t, p.Administer(nil, 1, "eve"))
}
