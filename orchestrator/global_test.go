package orchestrator

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/heartbeat"
)

// TestDecisionsKeepBounds checks bounds with random reports and wants. Decisions never exceed a
// node's CPU or memory. No task falls below the floor or below the memory that it uses. A task that
// is short of CPU does not lose any.
func TestDecisionsKeepBounds(t *testing.T) {
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 6))
		c := DefaultConfig()
		c.Coordinate = seed%4 != 0
		c.MinChange = 0
		g := NewGlobal(c, 0)
		for n := range int32(1 + rnd.IntN(6)) {
			r := heartbeat.Shares{Capacity: Vector{2000, 4000}}
			for range 1 + rnd.IntN(6) {
				var x heartbeat.TaskShare
				x.Attempt = attempt(1+int32(rnd.IntN(3)), job.TaskType(rnd.IntN(2)), int32(rnd.IntN(1000)))
				x.Allocation = Vector{1 + rnd.Int64N(1000), 64 + rnd.Int64N(600)}
				x.Usage = Vector{rnd.Int64N(1000), rnd.Int64N(x.Allocation[Memory] + 1)}
				x.Want = Vector{1 + rnd.Int64N(2000), 1 + rnd.Int64N(4000)}
				x.Left, x.Elapsed, x.Answers = rnd.Int64N(100_000), rnd.Int64N(100_000), rnd.Int64N(2)
				r.Tasks = append(r.Tasks, x)
			}
			g.Hear(0, n, &r)
		}
		g.Tick(20_000, nil, nil)
		g.Tick(30_000, nil, nil)
		for _, n := range g.nodes {
			var had, has Vector
			for _, x := range n.tasks {
				for r := range NumResources {
					had[r] += x.Allocation[r]
					has[r] += x.have[r]
				}
				floor := part(2000/int64(len(n.tasks)), c.Floor)
				require.GreaterOrEqual(t, x.have[CPU], min(floor, before(x)), "seed %d", seed)
				require.GreaterOrEqual(t, x.have[Memory], min(x.Allocation[Memory], max(c.FloorMemory, x.Usage[Memory])),
					"seed %d", seed)
				require.LessOrEqual(t, x.have[Memory], int64(4000))
				if x.verdict[CPU] == heartbeat.Deficit {
					require.GreaterOrEqual(t, x.have[CPU], before(x), "seed %d", seed)
				}
			}
			require.InDelta(t, 2000, has[CPU], 10, "seed %d", seed)
			require.LessOrEqual(t, has[Memory], max(had[Memory], 4000), "seed %d", seed)
		}
	}
}

// before returns the value of a task's weight before the round.
func before(x *task) int64 {
	all := int64(0)
	for _, y := range x.node.tasks {
		all += y.Allocation[CPU]
	}
	return int64(float64(x.Allocation[CPU]) / float64(all) * 2000)
}

// TestEpoch checks that an epoch has advice until its middle, and then decisions if the nodes have
// answered. It also checks that Global drops a silent node.
func TestEpoch(t *testing.T) {
	g := NewGlobal(DefaultConfig(), 0)
	slow := heartbeat.TaskShare{Attempt: attempt(1, job.Map, 0), Usage: Vector{300, 90}, Allocation: Vector{500, 100},
		Left: 50_000, Want: Vector{800, 90}}
	fast := heartbeat.TaskShare{Attempt: attempt(1, job.Map, 1), Usage: Vector{700, 90}, Allocation: Vector{500, 300},
		Left: 10_000, Want: Vector{500, 90}}
	hear := func(now int64) {
		g.Hear(now, 4, &heartbeat.Shares{Capacity: Vector{1000, 400}, Tasks: []heartbeat.TaskShare{slow, fast}})
	}
	hear(15_000)
	require.EqualValues(t, 20_000, g.NextDeadline())
	require.Empty(t, g.Advice(4, nil))
	require.Empty(t, g.Tick(20_000, nil, nil))
	require.Equal(t, []heartbeat.Advice{
		{Attempt: slow.Attempt, Epoch: 1, Verdict: [2]heartbeat.Verdict{heartbeat.Deficit, heartbeat.Balanced},
			Mean: Vector{500, 90}, Target: 30_000},
		{Attempt: fast.Attempt, Epoch: 1, Verdict: [2]heartbeat.Verdict{heartbeat.Hog, heartbeat.Balanced},
			Mean: Vector{500, 90}, Target: 30_000},
	}, g.Advice(4, nil))
	require.EqualValues(t, 30_000, g.NextDeadline())
	require.Empty(t, g.Tick(30_000, nil, nil), "nobody answered")

	g.Tick(40_000, nil, nil)
	slow.Answers, fast.Answers = 2, 2
	hear(45_000)
	out := g.Tick(50_000, nil, nil)
	require.Equal(t, []Decision{
		{Attempt: slow.Attempt, Tracker: 4, Resource: CPU, From: 500, To: 750, Reason: "uses 300m, its peers 500m"},
		{Attempt: fast.Attempt, Tracker: 4, Resource: CPU, From: 500, To: 250, Reason: "gives to task m_000000 of job 1"},
	}, out)
	require.Empty(t, g.Advice(4, nil))

	g.Tick(200_000, nil, nil)
	require.Empty(t, g.nodes, "it was not heard for two epochs")
}

// TestSilentNode checks that Global ignores a silent node after two epochs.
func TestSilentNode(t *testing.T) {
	g := NewGlobal(DefaultConfig(), 0)
	g.Hear(0, 7, &heartbeat.Shares{})
	g.Tick(40_000, nil, nil)
	require.True(t, g.Knows(40_000, 8), "it had no time yet")
	require.True(t, g.Knows(45_000, 7))
	require.False(t, g.Knows(45_000, 8))
	g.Tick(60_000, nil, nil)
	require.False(t, g.Knows(60_000, 7))
}

// TestMemoryThatIsNotLimited checks that Global does not move memory if memory is unlimited.
func TestMemoryThatIsNotLimited(t *testing.T) {
	l := NewLocal(DefaultConfig(), Vector{1000, 0})
	g := NewGlobal(DefaultConfig(), 0)
	for now := int64(5000); now <= 60_000; now += 5000 {
		var all []Sample
		for i := range int32(3) {
			all = append(all, Sample{Attempt: attempt(1, job.Map, i), Progress: now * int64(i+1) * 4, CPUMillis: now / 3,
				Memory: 990, Allocation: Vector{333, 1000}})
		}
		l.Observe(now, all)
		l.Hear(g.Advice(1, nil))
		g.Hear(now, 1, l.Report())
		for _, d := range g.Tick(now, nil, nil) {
			require.Equal(t, CPU, d.Resource, "%v", d)
		}
	}
	require.EqualValues(t, 990, l.Report().Tasks[0].Usage[Memory], "it is measured all the same")
}
