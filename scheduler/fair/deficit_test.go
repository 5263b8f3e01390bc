package fair

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/policytest"
	"github.com/howdah/howdah/scheduler/pool"
)

func buildDeficit(t testing.TB, file string, pairs ...string) *Deficit {
	p, err := NewDeficit(setup(file, pairs...))
	require.NoError(t, err)
	return p.(*Deficit)
}

// walk replaces what the policy has counted by a new count of the view. Deficits and shares remain.
// walk returns an error if the order of the jobs differs, although no update is due.
func (p *Deficit) walk(v scheduler.View) error {
	before := orders(p)
	p.x.Reset(v)
	for _, a := range p.all {
		if a != nil && p.x.Job(a.Seq) == nil {
			p.leave(a)
		}
	}
	p.byPool.Items, p.order[0].Items, p.order[1].Items = nil, nil, nil
	for _, j := range p.x.Jobs() {
		a := p.jobs.Get(j.Seq)
		if a == nil {
			a = p.enter(j)
		}
		a.Job, a.listed, p.pools[a.at] = j, [2]bool{}, j.Pool
		p.byPool.Put(a.at)
		p.place(a)
	}
	if after := orders(p); !p.stale && !slices.Equal(before, after) {
		return fmt.Errorf("jobs are in the order %v, want %v", before, after)
	}
	return nil
}

func TestDeficitConformance(t *testing.T) {
	for _, multiple := range []string{"true", "false"} {
		t.Run("multiple="+multiple, func(t *testing.T) {
			policytest.Run(t, policytest.Options{Job: drawPool, Cases: 80, Rounds: 40,
				Starves: "one task a beat: the deficits of heavier jobs grow faster than they are served",
				Rebuild: func(v scheduler.View, p scheduler.Policy) error { return p.(*Deficit).walk(v) },
				New: func() scheduler.Policy {
					return buildDeficit(t, `<pool name="a"><minMaps>2</minMaps><weight>2</weight></pool>`,
						conf.FairSchedulerAssignMultiple.Name,
						multiple, conf.FairSchedulerSizeBasedWeight.Name, "true")
				}})
		})
	}
}

// mistrustful is a policy that redoes the update of each Tick from scratch and compares the results.
type mistrustful struct {
	*Deficit
	t *testing.T
}

// Tick implements scheduler.Policy.
func (m mistrustful) Tick(v scheduler.View, plan scheduler.Plan) {
	before := accounts(m.Deficit)
	m.Deficit.Tick(v, plan)
	got, order := accounts(m.Deficit), orders(m.Deficit)
	for i, at := range m.byPool.Items {
		a := m.all[at]
		for k := range job.TaskType(2) {
			c, deficit := &m.columns[k], m.columns[k].deficit[at]
			c.reset(at, 0)
			// Keep the flag needy, because it affects how the rounding remainder is divided.
			c.deficit[at], c.needy[at] = deficit, before[i].needy[k]
			c.running[at], c.claim[at], a.listed[k] = float64(a.Running[k]), a.Claim(k), false
		}
	}
	m.order[0].Items, m.order[1].Items, m.stale = nil, nil, true
	m.shares(v)
	for k := range job.TaskType(2) {
		m.list(k)
		slices.SortFunc(m.order[k].Items, m.order[k].Compare)
	}
	require.Equal(m.t, accounts(m.Deficit), got)
	require.Equal(m.t, orders(m.Deficit), order)
}

// A record is what the policy knows about a job.
type record struct {
	*pool.Job
	listed, needy                                       [2]bool
	deficit, missed, running, claim, own, weight, share [2]float64
	least                                               [2]int32
}

func accounts(p *Deficit) (list []record) {
	for _, at := range p.byPool.Items {
		r := record{Job: p.all[at].Job, listed: p.all[at].listed}
		for k := range p.columns {
			c := &p.columns[k]
			r.needy[k], r.deficit[k], r.missed[k], r.running[k] = c.needy[at], c.deficit[at], c.missed[at], c.running[at]
			r.claim[k], r.own[k], r.weight[k], r.share[k] = c.claim[at], c.own[at], c.weight[at], c.fair[at]
			r.least[k] = c.least[at]
		}
		list = append(list, r)
	}
	return list
}

// orders returns the jobs with a map to start, then those with a reduce to start. A 0 follows each
// list.
func orders(p *Deficit) (list []int32) {
	for k := range p.order {
		for _, at := range p.order[k].Items {
			list = append(list, p.all[at].Seq)
		}
		list = append(list, 0)
	}
	return list
}

// If an update leaves a share unchanged, a computation from scratch must return the same share.
func TestDeficitSharesAreRight(t *testing.T) {
	for _, weights := range []string{"true", "false"} {
		t.Run("sizebased="+weights, func(t *testing.T) {
			file := `<pool name="a"><minMaps>3</minMaps><weight>2</weight></pool><pool name="b"><maxRunningJobs>1</` +
				`maxRunningJobs></pool>`
			policytest.Run(t, policytest.Options{Job: drawPool, Cases: 20, Idles: "limits of a pool",
				Rebuild: func(v scheduler.View, p scheduler.Policy) error { return p.(mistrustful).walk(v) },
				Starves: "a pool of one running job", New: func() scheduler.Policy {
					return mistrustful{buildDeficit(t, file, conf.FairSchedulerSizeBasedWeight.Name, weights,
						conf.FairSchedulerWeightAdjuster.Name,
						"org.apache.hadoop.mapred.NewJobWeightBooster"), t}
				}})
		})
	}
}

func TestDeficitNoAllocation(t *testing.T) {
	policytest.Cost(t, policytest.Options{New: func() scheduler.Policy { return buildDeficit(t, "") }, Job: drawPool})
}

func BenchmarkDeficitBeat(b *testing.B) {
	policytest.Bench(b, policytest.Options{New: func() scheduler.Policy { return buildDeficit(b, "") }, Rounds: 60})
}

// The only slot goes to the job with the largest deficit, so jobs take turns.
func TestDeficitsTakeTurns(t *testing.T) {
	p := buildDeficit(t, "")
	h := policytest.NewHand(t, p)
	h.Submit(policytest.Job("a", 10, 0))
	h.Submit(policytest.Job("b", 10, 0))
	x := h.Join("x", "h", "/r", 1, 0)
	fresh := h.Beat(x)
	var order []string
	for range 6 {
		order = append(order, users(h, fresh)...)
		h.Wait(1000)
		fresh = h.Beat(x, fresh...)
	}
	require.Equal(t, []string{"a", "b", "a", "b", "a", "b"}, order)
}

// A job with three times the weight gets three times the slot time.
func TestDeficitsByWeight(t *testing.T) {
	h := policytest.NewHand(t, buildDeficit(t, `<pool name="a"><weight>3</weight></pool>`))
	h.Submit(policytest.Job("a", 60, 0))
	h.Submit(policytest.Job("b", 60, 0))
	x := h.Join("x", "h", "/r", 1, 0)
	count, fresh := map[string]int{}, h.Beat(x)
	for range 40 {
		count[users(h, fresh)[0]]++
		h.Wait(1000)
		fresh = h.Beat(x, fresh...)
	}
	require.InDelta(t, 30, count["a"], 1)
}

// Jobs of a pool below its min share come first, regardless of deficits.
func TestDeficitMinShare(t *testing.T) {
	require.Equal(t, []string{"b", "b", "a", "a"}, firstFour(t, `<pool name="b"><minMaps>2</minMaps></pool>`))
}

// A pool gets no more slots than its maximum.
func TestDeficitMaximum(t *testing.T) {
	require.Equal(t, []string{"a", "a", "b", "b"}, firstFour(t, `<pool name="a"><maxMaps>2</maxMaps></pool>`))
}

// firstFour returns the users of the first four maps. The job of user a arrives before that of b.
func firstFour(t *testing.T, pools string) (order []string) {
	h := policytest.NewHand(t, buildDeficit(t, pools))
	h.Submit(policytest.Job("a", 10, 0))
	h.Wait(5000)
	h.Submit(policytest.Job("b", 10, 0))
	x := h.Join("x", "h", "/r", 4, 0)
	for range 4 {
		order = append(order, users(h, h.Beat(x))...)
	}
	return order
}

// The settings of preemption have no effect.
func TestDeficitsDoNotPreempt(t *testing.T) {
	h := policytest.NewHand(t, buildDeficit(t, `<pool name="b"><minMaps>2</minMaps><minSharePreemptionTimeout>5</`+
		`minSharePreemptionTimeout></pool>`, conf.FairSchedulerPreemption.Name, "true",
		conf.FairSchedulerPreemptionInterval.Name, "1000"))
	h.Submit(policytest.Job("a", 10, 0))
	x := h.Join("x", "h", "/r", 2, 0)
	h.Beat(x)
	h.Beat(x)
	h.Submit(policytest.Job("b", 10, 0))
	h.Wait(60_000)
	h.Beat(x)
	require.Empty(t, h.Log)
	require.Len(t, h.On(x), 2)
}

// A heartbeat assigns a map and a reduce, or only one task.
func TestDeficitPerBeat(t *testing.T) {
	for multiple, want := range map[string]string{"true": "mr", "false": "m"} {
		h := policytest.NewHand(t, buildDeficit(t, "", conf.FairSchedulerAssignMultiple.Name, multiple))
		h.Submit(policytest.Job("a", 10, 10))
		x := h.Join("x", "h", "/r", 4, 4)
		require.Equal(t, want, types(h.Beat(x)))
	}
}

// Deficits count from the time when the policy takes over, or from the last update of the policy
// whose deficits it inherits.
func TestDeficitsCountFromTheTakeover(t *testing.T) {
	h := policytest.NewHand(t, buildDeficit(t, ""))
	h.Submit(policytest.Job("a", 10, 0))
	h.Wait(5200)
	old, next := h.Policy(), buildDeficit(t, "")
	due := old.NextDeadline()
	h.SetPolicy(next)
	require.Equal(t, h.Now()+500, next.NextDeadline())
	require.Less(t, due, h.Now()+500)
	next.Inherit(h, old)
	require.Equal(t, due, next.NextDeadline())
}

// fairShares returns the fair shares of maps and reduces by job, rounded to thousandths.
func fairShares(p *Deficit) map[int32][2]float64 {
	out := map[int32][2]float64{}
	for _, j := range p.x.Jobs() {
		a := p.jobs.Get(j.Seq)
		out[j.Seq] = [2]float64{math.Round(p.columns[0].fair[a.at]*1000) / 1000,
			math.Round(p.columns[1].fair[a.at]*1000) / 1000}
	}
	return out
}

// Only jobs that may run and have tasks of a type get a share of the cluster's slots. A deficit is the
// part of the share that the job missed, in slot-milliseconds. A change of the cluster or of a job's
// tasks has an effect at the next update.
func TestDeficitAccounts(t *testing.T) {
	p := buildDeficit(t, `<pool name="a"><maxRunningJobs>1</maxRunningJobs></pool>`)
	h := policytest.NewHand(t, p)
	one, two := h.Submit(policytest.Job("a", 1, 1)), h.Submit(policytest.Job("a", 9, 0))
	three := h.Submit(policytest.Job("b", 9, 0))
	x := h.Join("x", "h", "/r", 4, 2)
	fresh := h.Beat(x)
	require.Equal(t, "mr", types(fresh))
	require.Equal(t, map[int32][2]float64{one: {2, 2}, two: {0, 0}, three: {2, 0}}, fairShares(p))
	h.Wait(1000)
	for seq, want := range map[int32][2]float64{one: {1000, 1000}, two: {0, 0}, three: {2000, 0}} {
		at := p.jobs.Get(seq).at
		require.InDeltaSlice(t, want[:], []float64{p.columns[0].deficit[at], p.columns[1].deficit[at]}, 1, "%d", seq)
	}
	h.Join("y", "h2", "/r", 4, 0)
	h.Wait(500)
	require.Equal(t, map[int32][2]float64{one: {4, 2}, two: {0, 0}, three: {4, 0}}, fairShares(p))
	h.Beat(x, fresh[0])
	h.Wait(500)
	require.Equal(t, map[int32][2]float64{one: {0, 2}, two: {0, 0}, three: {8, 0}}, fairShares(p))
}

// The next heartbeat uses new shares if a job has arrived or ended, or if its priority has changed. It
// does not wait for the update interval. Other facts wait for it.
func TestDeficitsUpdateAtOnce(t *testing.T) {
	p := buildDeficit(t, "")
	h := policytest.NewHand(t, p)
	one, two := h.Submit(policytest.Job("a", 2, 0)), h.Submit(policytest.Job("a", 9, 0))
	x := h.Join("x", "h", "/r", 3, 0)
	first := h.Beat(x)
	require.Equal(t, map[int32][2]float64{one: {1.5, 0}, two: {1.5, 0}}, fairShares(p))
	h.Do(jobtracker.Input{Kind: jobtracker.InSetPriority, Job: two, Priority: job.High})
	require.Equal(t, two, p.all[p.byPool.Items[0]].Seq)
	more := h.Beat(x, first...)
	require.Equal(t, map[int32][2]float64{one: {1, 0}, two: {2, 0}}, fairShares(p))
	require.Len(t, p.byPool.Items, 2)
	for range 3 {
		more = append(more, h.Beat(x)...)
	}
	require.Equal(t, map[int32][2]float64{one: {1, 0}, two: {2, 0}}, fairShares(p))
	h.Join("y", "h2", "/r", 3, 0)
	for _, id := range more {
		if id.Job == one {
			h.Beat(x, id)
		}
	}
	require.Equal(t, map[int32][2]float64{two: {6, 0}}, fairShares(p), "job %d has ended", one)
	h.Join("z", "h3", "/r", 3, 0)
	h.Beat(x, h.On(x)...)
	require.Equal(t, map[int32][2]float64{two: {6, 0}}, fairShares(p), "until the next update")
}

// A job leaves the order when its last pending task starts and returns when a task becomes pending
// again, both before the next update.
func TestDeficitOrderFollowsTheTasks(t *testing.T) {
	p := buildDeficit(t, "")
	h := policytest.NewHand(t, p)
	one := h.Submit(policytest.Job("a", 1, 0))
	x := h.Join("x", "h", "/r", 2, 0)
	fresh := h.Beat(x)
	require.Len(t, fresh, 1)
	require.Equal(t, []int32{0, 0}, orders(p))
	h.Do(jobtracker.Input{Kind: jobtracker.InKillAttempt, Attempt: fresh[0]})
	require.Equal(t, []int32{one, 0, 0}, orders(p))
}

// If a limit lets another job of the pool run, only that job stays in the order.
func TestDeficitOrderFollowsTheLimits(t *testing.T) {
	p := buildDeficit(t, `<pool name="a"><maxRunningJobs>1</maxRunningJobs></pool>`)
	h := policytest.NewHand(t, p)
	one, two := h.Submit(policytest.Job("a", 9, 0)), h.Submit(policytest.Job("a", 9, 0))
	x := h.Join("x", "h", "/r", 1, 0)
	h.Beat(x)
	require.Equal(t, []int32{one, 0, 0}, orders(p))
	h.Do(jobtracker.Input{Kind: jobtracker.InSetPriority, Job: two, Priority: job.High})
	h.Wait(500)
	require.Equal(t, []int32{two, 0, 0}, orders(p), "after the update")
}

// Nothing needs an update while no job runs.
func TestDeficitsRestWithoutJobs(t *testing.T) {
	p := buildDeficit(t, "")
	h := policytest.NewHand(t, p)
	require.Zero(t, p.NextDeadline())
	h.Submit(policytest.Job("a", 1, 0))
	require.NotZero(t, p.NextDeadline())
	x := h.Join("x", "h", "/r", 1, 0)
	h.Beat(x, h.Beat(x)...)
	require.Zero(t, p.NextDeadline())
}

// The jobs of a pool share its weight, so a pool with two jobs gets no more than a pool with one.
func TestDeficitsDivideThePoolsWeight(t *testing.T) {
	h := policytest.NewHand(t, buildDeficit(t, ""))
	for _, user := range []string{"a", "a", "b"} {
		h.Submit(policytest.Job(user, 60, 0))
	}
	x := h.Join("x", "h", "/r", 1, 0)
	count, fresh := map[string]int{}, h.Beat(x)
	for range 40 {
		count[users(h, fresh)[0]]++
		h.Wait(1000)
		fresh = h.Beat(x, fresh...)
	}
	require.InDelta(t, 20, count["a"], 1)
}

// A pool's min share goes to its jobs as whole slots. The rest of the division goes to the heaviest
// jobs, then to those with the largest deficit, but not beyond their demand.
func TestDeficitsDivideTheMinShare(t *testing.T) {
	p := buildDeficit(t, "")
	for _, c := range []struct {
		own     []float64
		demand  []int32
		deficit []float64
		slots   int32
		want    []int32
	}{
		{[]float64{1, 1, 1}, []int32{9, 9, 9}, []float64{0, 5, 2}, 4, []int32{1, 2, 1}},
		{[]float64{1, 1, 1}, []int32{9, 9, 9}, []float64{0, 5, 2}, 5, []int32{1, 2, 2}},
		{[]float64{1, 2}, []int32{9, 9}, []float64{5, 0}, 4, []int32{1, 3}},
		{[]float64{1, 1}, []int32{9, 9}, []float64{0, 0}, 4, []int32{2, 2}},
		{[]float64{1, 1, 1}, []int32{9, 1, 1}, []float64{0, 9, 8}, 4, []int32{2, 1, 1}},
		{[]float64{1, 1}, []int32{1, 2}, []float64{0, 0}, 9, []int32{1, 2}},
	} {
		p.Reset(policytest.NewHand(t, buildDeficit(t, "")))
		var list []int32
		for i := range c.own {
			a := p.enter(&pool.Job{Seq: int32(i), Pool: &pool.Pool{}, Demand: [2]int32{c.demand[i], 0}})
			p.columns[job.Map].own[a.at], p.columns[job.Map].deficit[a.at] = c.own[i], c.deficit[i]
			list = append(list, a.at)
		}
		require.True(t, p.shareLeast(slices.Clone(list), job.Map, c.slots), "%+v", c)
		require.Equal(t, c.want, p.columns[job.Map].least, "%+v", c)
		require.False(t, p.shareLeast(slices.Clone(list), job.Map, c.slots), "%+v: nothing changes", c)
	}
}

// Jobs below their min share come first, then those with the largest deficit, then the oldest.
func TestDeficitOrder(t *testing.T) {
	p := buildDeficit(t, "")
	one := func(needy bool, deficit float64, submit int64, seq int32) int32 {
		a := p.enter(&pool.Job{Pool: &pool.Pool{}, Submit: submit, Seq: seq})
		p.columns[job.Map].needy[a.at], p.columns[job.Map].deficit[a.at] = needy, deficit
		return a.at
	}
	want := []int32{one(true, -9, 5, 7), one(true, -9, 5, 8), one(false, 3, 9, 9), one(false, -9, 4, 6)}
	got := []int32{want[2], want[1], want[3], want[0]}
	slices.SortFunc(got, func(a, b int32) int { return p.compareDeficits(a, b, job.Map) })
	require.Equal(t, want, got)
}

// Deficits survive a change of the allocation file.
func TestDeficitsAreInherited(t *testing.T) {
	h := policytest.NewHand(t, buildDeficit(t, ""))
	h.Submit(policytest.Job("a", 10, 0))
	h.Submit(policytest.Job("b", 10, 0))
	x := h.Join("x", "h", "/r", 1, 0)
	first := h.Beat(x)
	h.Wait(1000)
	old, next := h.Policy(), buildDeficit(t, "")
	h.SetPolicy(next)
	next.Inherit(h, old)
	require.Equal(t, []string{"b"}, users(h, h.Beat(x, first...)))
}
