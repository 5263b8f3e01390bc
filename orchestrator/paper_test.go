package orchestrator

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/heartbeat"
)

func attempt(j int32, typ job.TaskType, index int32) job.Attempt {
	return job.Attempt{Task: job.Task{Job: j, Type: typ, Index: index}}
}

// TestDetectorProfile checks the example of section III with CPU. Five of six maps use 60% of it,
// but the map on node 6 uses less than 25% and is therefore in deficit.
func TestDetectorProfile(t *testing.T) {
	c := DefaultConfig()
	var nodes []*node
	for i := range int32(6) {
		use := int64(600)
		if i == 5 {
			use = 240
		}
		nodes = append(nodes, &node{tracker: i + 1, report: heartbeat.Shares{Capacity: Vector{1000, 1000},
			Tasks: []heartbeat.TaskShare{
				{Attempt: attempt(1, job.Map, i), Usage: Vector{use, use}, Allocation: Vector{500, 1000}},
				{Attempt: attempt(2, job.Map, i), Usage: Vector{1000 - use, 100}, Allocation: Vector{500, 1000}},
			}}})
	}
	var p cluster
	p.look(nodes, nil)
	c.detect(&p)
	require.Equal(t, heartbeat.Deficit, nodes[5].tasks[0].verdict[CPU])
	require.Equal(t, heartbeat.Hog, nodes[5].tasks[1].verdict[CPU], "its neighbour")
	for _, n := range nodes[:5] {
		require.Equal(t, heartbeat.Balanced, n.tasks[0].verdict[CPU])
	}
}

// TestDetectorStraggler checks section III: progress decides if profiles differ for a good reason.
// A task that uses little but is ahead is not in deficit. A task with an ordinary profile that lags
// behind is a straggler if its node is contended.
func TestDetectorStraggler(t *testing.T) {
	c := DefaultConfig()
	n := &node{report: heartbeat.Shares{Capacity: Vector{1000, 1000}, Tasks: []heartbeat.TaskShare{
		{Attempt: attempt(1, job.Map, 0), Usage: Vector{200, 10}, Allocation: Vector{250, 250}, Left: 10_000},
		{Attempt: attempt(1, job.Map, 1), Usage: Vector{390, 10}, Allocation: Vector{250, 250}, Left: 90_000},
		{Attempt: attempt(1, job.Map, 2), Usage: Vector{390, 10}, Allocation: Vector{250, 250}, Left: 50_000},
	}}}
	var p cluster
	look := func() []heartbeat.Verdict {
		p.look([]*node{n}, nil)
		c.detect(&p)
		return []heartbeat.Verdict{n.tasks[0].verdict[CPU], n.tasks[1].verdict[CPU], n.tasks[2].verdict[CPU]}
	}
	require.Equal(t, []heartbeat.Verdict{heartbeat.Balanced, heartbeat.Deficit, heartbeat.Balanced}, look())
	n.report.Capacity[CPU] = 4000
	require.Equal(t, []heartbeat.Verdict{heartbeat.Balanced, heartbeat.Balanced, heartbeat.Balanced}, look(),
		"nobody contends: another cause")
}

// TestTimeLeft checks equation 1.
func TestTimeLeft(t *testing.T) {
	require.EqualValues(t, 30_000, Left(250_000, 10_000))
	require.EqualValues(t, 0, Left(0, 10_000), "not known")
	require.EqualValues(t, 1, Left(Million, 10_000))
}

// TestRegressionScalesByAlpha checks equation 2. A task that needs twice as long as the others gets
// twice its predicted usage, and a task that is ahead gets less.
func TestRegressionScalesByAlpha(t *testing.T) {
	c := DefaultConfig()
	h := &history{}
	for i := range int64(5) {
		h.add(&c, i*5000, i*1000, 100, Vector{4000, 4000}) // 200m throughout
	}
	a := &heartbeat.Advice{Target: 30_000, Mean: Vector{350, 100}}
	require.EqualValues(t, 400, regression(&c, CPU, h, a, 20_000, 60_000))
	require.EqualValues(t, 100, regression(&c, CPU, h, a, 20_000, 15_000))
	require.EqualValues(t, 350, uniform(&c, CPU, h, a, 20_000, 60_000), "the mean, whatever its progress")
}

// TestMemoryFollowsRecentWindows checks section III-B1: the memory model uses only recent windows
// if the whole history predicts worse.
func TestMemoryFollowsRecentWindows(t *testing.T) {
	var w []window
	for i := range 20 { // level for a long time, then rising by 50 per window
		w = append(w, window{at: int64(i) * 5000, usage: Vector{0, int64(100 + 50*max(0, i-14))}})
	}
	recent := recentLine(w, 345)
	require.InDelta(t, 350, recent.at(95_000), 1)
	require.InDelta(t, 450, recent.at(105_000), 1, "the rise goes on")
	var all line
	for _, x := range w {
		all.add(float64(x.at), float64(x.usage[Memory]))
	}
	require.Less(t, all.at(105_000), 320.0, "which the whole history would not show")
}

// TestCoordination checks section II-B and Figure 3(c) with three nodes and jobs A, B, and C of two
// maps each. A's maps contend with B's on the first node and with C's on the third, where C cannot
// give. More CPU for A on the first node would only hurt B.
func TestCoordination(t *testing.T) {
	a1, b1 := attempt(1, job.Map, 0), attempt(2, job.Map, 0)
	b2, c1 := attempt(2, job.Map, 1), attempt(3, job.Map, 0)
	a2, c2 := attempt(1, job.Map, 1), attempt(3, job.Map, 1)
	row := func(id job.Attempt, use, left, want int64) heartbeat.TaskShare {
		return heartbeat.TaskShare{Attempt: id, Usage: Vector{use, 10}, Allocation: Vector{500, 100}, Left: left, Answers: 1,
			Want: Vector{want, 100}}
	}
	run := func(coordinate bool) (first []Decision) {
		c := DefaultConfig()
		c.Coordinate = coordinate
		c.Deviation = 100_000
		g := NewGlobal(c, 0)
		for i, tasks := range [][]heartbeat.TaskShare{
			{row(a1, 400, 60_000, 600), row(b1, 600, 40_000, 450)},
			{row(b2, 450, 44_000, 500), row(c1, 550, 100_000, 550)},
			{row(a2, 400, 100_000, 900), row(c2, 600, 110_000, 600)},
		} {
			g.Hear(0, int32(i+1), &heartbeat.Shares{Capacity: Vector{1000, 1000}, Tasks: tasks})
		}
		g.Tick(20_000, nil, nil)
		for _, d := range g.Tick(30_000, nil, nil) {
			if d.Tracker == 1 {
				first = append(first, d)
			}
		}
		return first
	}
	require.NotEmpty(t, run(false), "local information only: B is slowed down for nothing")
	require.Empty(t, run(true))
}

// BenchmarkRound measures section IV-D: the detector and the balancer take a small fraction of an
// epoch.
func BenchmarkRound(b *testing.B) {
	c := DefaultConfig()
	g := NewGlobal(c, 0)
	for n := range int32(24) {
		r := heartbeat.Shares{Capacity: Vector{100_000, 100_000}}
		for i := range int32(100) {
			x := int64(n*7+i*13) % 100
			r.Tasks = append(r.Tasks, heartbeat.TaskShare{Attempt: attempt(1+i%6, job.Map, n*100+i),
				Usage: Vector{500 + 10*x, 300 + 5*x}, Allocation: Vector{1000, 700},
				Elapsed: 60_000, Left: 30_000 + 1000*x, Answers: 1, Want: Vector{700 + 5*x, 900}})
		}
		g.Hear(0, n+1, &r)
	}
	b.Run("detect", func(b *testing.B) {
		for b.Loop() {
			g.look(0, nil)
		}
	})
	var out []Decision
	b.Run("decide", func(b *testing.B) {
		for b.Loop() {
			g.round = 1
			out = g.balance(0, nil, out[:0])
		}
		b.ReportMetric(float64(len(out)), "decisions")
	})
}
