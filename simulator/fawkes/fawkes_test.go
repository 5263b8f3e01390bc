package fawkes

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/weight"
	"github.com/howdah/howdah/orchestrator"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/fifo"
	"github.com/howdah/howdah/simulator"
	"github.com/howdah/howdah/simulator/trace"
)

func testConfig(nodes int) Config {
	m := mrcluster.DefaultConfig()
	m.Grow = mrcluster.Transient
	return Config{Nodes: nodes, Slots: [2]int32{2, 1}, Manager: m, Weighting: weight.TD{}, Start: 5000,
		Policy: func() (scheduler.Policy, error) { return fifo.New(scheduler.Setup{Conf: conf.New()}) }}
}

// jobs returns n simultaneous jobs, each with maps of 20 s and a reduce of 5 s that writes 1000
// bytes.
func jobs(name string, at int64, n, maps int) (out []*trace.Job) {
	for i := range n {
		j := &trace.Job{ID: fmt.Sprintf("%s-%d", name, i), Name: name, Submit: at, State: job.Succeeded, Output: 1000,
			Maps: make([]trace.Map, maps), Reduces: []trace.Reduce{{First: true, Time: 5000}}}
		for k := range j.Maps {
			j.Maps[k].Time = 20_000
		}
		out = append(out, j)
	}
	return out
}

func copies(path string) []mrcluster.Copy { return []mrcluster.Copy{{From: path, To: path}} }

// TestAloneInThePool checks that an MR-cluster alone in the pool grows to the whole pool and takes
// as long as a cluster of that size.
func TestAloneInThePool(t *testing.T) {
	c := testConfig(10)
	most := 0
	c.Watch = func(m Moment) { most = max(most, m.View.Clusters[0].Held) }
	r, err := Run(context.Background(), c,
		[]Workload{{Spec: mrcluster.Spec{Name: "a", Core: 2, Load: copies("in"), Save: copies("out")}, Load: 30_000,
			Save: 10_000, Jobs: jobs("a", 0, 1, 400)}})
	require.NoError(t, err)
	require.Len(t, r.Clusters[0].Jobs, 1)
	require.Equal(t, 10, most)
	require.InDelta(t, 35_000+60_000+18*20_000, r.Clusters[0].Makespan, 60_000,
		"deployed, loaded, grown, and 400 maps on 20 slots, less what the core did before")
	again, err := Run(context.Background(), c,
		[]Workload{{Spec: mrcluster.Spec{Name: "a", Core: 2, Load: copies("in"), Save: copies("out")}, Load: 30_000,
			Save: 10_000, Jobs: jobs("a", 0, 1, 400)}})
	require.NoError(t, err)
	require.Equal(t, r, again, "the same again")
}

// TestTwoShare checks that two MR-clusters share the pool according to their queues if
// transient-core nodes store data.
func TestTwoShare(t *testing.T) {
	c := testConfig(20)
	c.Manager.Grow, c.Storage, c.Move = mrcluster.TransientCore, 1<<30,
		func(_, staying int) int64 { return int64(10 * staying) }
	var shares [][2]int
	c.Watch = func(m Moment) { shares = append(shares, [2]int{m.View.Clusters[0].Held, m.View.Clusters[1].Held}) }
	r, err := Run(context.Background(), c, []Workload{
		{Spec: mrcluster.Spec{Name: "a", Core: 4, HDFS: true}, Jobs: jobs("a", 0, 30, 60)},
		{Spec: mrcluster.Spec{Name: "b", Core: 4, HDFS: true}, Jobs: jobs("b", 200_000, 10, 60)},
	})
	require.NoError(t, err)
	require.Len(t, r.Clusters[0].Jobs, 30)
	require.Len(t, r.Clusters[1].Jobs, 10)
	require.Contains(t, shares, [2]int{20, 0}, "a has the pool to itself")
	require.Contains(t, shares, [2]int{16, 4}, "b gets its minimum share")
	require.Contains(t, shares, [2]int{14, 6}, "and then what its queue is worth")
	for _, s := range shares {
		require.LessOrEqual(t, s[0]+s[1], 20)
	}
}

var (
	schedules = flag.Int("schedules", 20, "random runs to try")
	firstSeed = flag.Uint64("seed", 1, "seed of the first")
)

// TestKilledAtRandom kills the manager, agents, JobTrackers, and TaskTrackers at random moments. An
// agent takes its JobTracker with it. Meanwhile, an operator sets sizes. Every job must still end
// exactly once, no MR-cluster may hold more nodes than exist, and every node must become free.
func TestKilledAtRandom(t *testing.T) {
	restarts, deaths, kills, masters, sizes := 0, 0, 0, 0, 0
	for i := range *schedules {
		r := killed(t, *firstSeed+uint64(i))
		restarts, deaths, kills, masters = restarts+r.Restarts, deaths+r.Deaths, kills+r.Kills, masters+r.JobTrackers
		sizes += r.Sizes
	}
	t.Logf("%d runs: the manager was killed %d times, agents %d times, TaskTrackers %d times, JobTrackers %d times, "+
		"and an operator set %d sizes", *schedules, restarts, deaths, kills, masters, sizes)
	require.Positive(t, restarts)
	require.Positive(t, deaths)
	require.Positive(t, kills)
	require.Positive(t, masters)
	require.Positive(t, sizes)
}

// An agent that is already dead does not die again.
func TestDeathsOfADeadAgent(t *testing.T) {
	c := testConfig(1)
	c.Faults.Down = 1000
	p, err := newPool(&c, nil)
	require.NoError(t, err)
	for range 2 {
		p.deathAt = p.now
		require.NoError(t, p.faults())
	}
	require.Equal(t, 1, p.deaths)
}

func killed(t *testing.T, seed uint64) *Result {
	hint := fmt.Sprintf("again: go test ./simulator/fawkes -run TestKilledAtRandom -schedules 1 -seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	c := testConfig(6 + r.IntN(20))
	c.Seed = seed
	c.Manager.Interval, c.Manager.Threshold, c.Manager.MasterExpiry = 20_000, 1, 60_000
	c.Manager.Grow = mrcluster.Transient + mrcluster.Kind(r.IntN(2))
	c.Manager.Attempts = 10
	rate := int64(10 + r.IntN(500))
	c.Storage, c.Move = 1<<20, func(int, int) int64 { return rate }
	c.Faults = Faults{ManagerEvery: 60_000, AgentEvery: 100_000, TrackerEvery: 100_000, JobTrackerEvery: 100_000,
		GrowEvery: 50_000, Snapshots: r.IntN(2) == 0, Down: int64(1000 + r.IntN(120_000)), Until: 2_000_000}
	c.Watch = func(m Moment) {
		held := 0
		for _, v := range m.View.Clusters {
			held += v.Held + v.Leaving
		}
		require.LessOrEqual(t, held, c.Nodes, hint)
	}
	var work []Workload
	for i := range 3 {
		name := fmt.Sprintf("c%d", i+1)
		work = append(work, Workload{Spec: mrcluster.Spec{Name: name, Core: 1 + r.IntN(2), HDFS: r.IntN(2) == 0,
			Load: copies("in"), Save: copies("out")},
			Load: int64(r.IntN(30_000)), Save: int64(r.IntN(30_000)), Jobs: jobs(name, int64(r.IntN(300_000)), 1+r.IntN(8),
				1+r.IntN(60))})
	}
	done, err := Run(context.Background(), c, work)
	require.NoError(t, err, hint)
	for i, w := range work {
		require.Len(t, done.Clusters[i].Jobs, len(w.Jobs), hint)
		seen := map[string]bool{}
		for _, j := range done.Clusters[i].Jobs {
			require.False(t, j.Failed || seen[j.ID], "%s; %s", j.ID, hint)
			seen[j.ID] = true
		}
	}
	return done
}

// TestFollow checks that a job's followers run on its MR-cluster, at once or later.
func TestFollow(t *testing.T) {
	w := Workload{Spec: mrcluster.Spec{Name: "a", Core: 2}, Jobs: jobs("a", 0, 1, 4)}
	w.Follow = func(r trace.JobResult) []*trace.Job {
		if r.ID != "a-0" {
			return nil
		}
		next := append(jobs("later", r.Finish+10_000, 1, 2), jobs("now", r.Finish, 1, 2)...)
		return next
	}
	r, err := Run(context.Background(), testConfig(4), []Workload{w})
	require.NoError(t, err)
	require.Len(t, r.Clusters[0].Jobs, 3)
	first, now, later := r.Clusters[0].Jobs[0], r.Clusters[0].Jobs[1], r.Clusters[0].Jobs[2]
	require.Equal(t, []string{"a-0", "now-0", "later-0"}, []string{first.ID, now.ID, later.ID})
	require.Equal(t, first.Finish, now.Submit)
	require.Equal(t, first.Finish+10_000, later.Submit)
	require.GreaterOrEqual(t, later.Start, later.Submit)
}

// TestContention checks that tasks in MR-clusters contend for the memory of their nodes, and that an
// orchestrator of each MR-cluster moves it.
func TestContention(t *testing.T) {
	demand := func(name string, _ job.Task) simulator.Demand {
		if name == "small" {
			return simulator.Demand{CPU: 100, Memory: 100}
		}
		return simulator.Demand{CPU: 100, Memory: 800, Thrash: 2_000_000}
	}
	run := func(s *simulator.Shares) int64 {
		c := testConfig(2)
		c.Shares = s
		var work []Workload
		for _, name := range []string{"a", "b"} {
			small, large := jobs("small", 0, 1, 1)[0], jobs("large", 0, 1, 1)[0]
			small.Maps[0].Time, large.Maps[0].Time = 300_000, 100_000
			work = append(work, Workload{Spec: mrcluster.Spec{Name: name, Core: 1}, Jobs: []*trace.Job{small, large}})
		}
		r, err := Run(context.Background(), c, work)
		require.NoError(t, err)
		for _, d := range r.Clusters {
			require.Equal(t, "large", d.Jobs[0].Name)
			require.Equal(t, r.Clusters[0].Jobs[0].Finish, d.Jobs[0].Finish, "equal MR-clusters")
		}
		return r.Clusters[0].Jobs[0].Finish - r.Clusters[0].Jobs[0].Start
	}
	o := orchestrator.DefaultConfig()
	with := simulator.Shares{Capacity: orchestrator.Vector{4000, 1000}, Demand: demand}
	free, contended := run(nil), run(&with)
	with.Orchestrator = &o
	moved := run(&with)
	require.Greater(t, contended, free*3/2)
	require.Less(t, moved, contended*9/10)
	require.Greater(t, moved, free)
}

// TestLoads checks that other tenants slow down the nodes of MR-clusters, also nodes that join later.
func TestLoads(t *testing.T) {
	run := func(loads ...simulator.Load) int64 {
		c := testConfig(4)
		c.Loads = loads
		w := Workload{Spec: mrcluster.Spec{Name: "a", Core: 4}, Jobs: jobs("a", 0, 1, 40)}
		r, err := Run(context.Background(), c, []Workload{w})
		require.NoError(t, err)
		return r.Clusters[0].Makespan
	}
	free := run()
	require.InDelta(t, 2*(free-10_000), run(simulator.Load{Share: 0.5})-10_000, 10_000)
	require.Greater(t, run(simulator.Load{Nodes: []int{1, 2}, At: 10_000, Share: 0.5}), free)
	gone := []simulator.Load{{At: 1000, Share: 0.5}, {At: 2000, Share: 0}}
	require.Equal(t, free, run(gone...), "before the TaskTrackers start")
}

// TestAways checks that nodes fail and return when the plan says so: a failed node costs its slots, a
// node that leaves costs no more, and a JobTracker whose node returns continues its jobs.
func TestAways(t *testing.T) {
	run := func(aways ...simulator.Away) int64 {
		c := testConfig(5)
		c.Aways = aways
		r, err := Run(t.Context(), c, []Workload{{Spec: mrcluster.Spec{Name: "a", Core: 4}, Jobs: jobs("a", 0, 1, 400)}})
		require.NoError(t, err)
		require.Equal(t, len(aways), r.Deaths)
		require.False(t, r.Clusters[0].Jobs[0].Failed)
		return r.Clusters[0].Makespan
	}
	c := testConfig(1)
	const at, back = 100_000, 300_000
	whole := run()
	lost := run(simulator.Away{Nodes: []int{5}, At: at})
	require.InDelta(t, at+(whole-at)*5/4, lost, 60_000, "one of five nodes fails for good")
	returned := run(simulator.Away{Nodes: []int{5}, At: at, Back: back})
	require.Greater(t, returned, whole)
	require.Less(t, returned, lost-50_000)
	require.LessOrEqual(t, run(simulator.Away{Nodes: []int{5}, At: at, Leave: true}), lost)
	require.InDelta(t, whole+back-at, run(simulator.Away{Nodes: []int{1}, At: at, Back: back}), float64(c.Manager.Expiry),
		"without a JobTracker, nothing starts")
}

// TestDeadlineSlack checks that the weights DS move nodes to the MR-cluster whose job would otherwise
// miss its deadline, and that the weights TD do not.
func TestDeadlineSlack(t *testing.T) {
	finish := func(w mrcluster.Weighting, deadline int64) (calm, urgent int64) {
		c := testConfig(20)
		c.Manager.Interval, c.Weighting, c.Sample = 10_000, w, 1000
		hurried := jobs("urgent", 0, 1, 400)
		hurried[0].Deadline = deadline
		r, err := Run(t.Context(), c, []Workload{{Spec: mrcluster.Spec{Name: "calm", Core: 2}, Jobs: jobs("calm", 0, 1, 400)},
			{Spec: mrcluster.Spec{Name: "urgent", Core: 2}, Jobs: hurried}})
		require.NoError(t, err)
		return r.Clusters[0].Makespan, r.Clusters[1].Makespan
	}
	const deadline = 340_000
	_, late := finish(weight.TD{}, deadline)
	require.Greater(t, late, int64(deadline))
	calm, urgent := finish(weight.DS{A: 2}, deadline)
	require.LessOrEqual(t, urgent, int64(deadline))
	require.Greater(t, calm, int64(deadline))
	calm, urgent = finish(weight.DS{A: 2}, 0)
	require.InDelta(t, calm, urgent, 30_000, "without deadlines, all MR-clusters are alike")
}
