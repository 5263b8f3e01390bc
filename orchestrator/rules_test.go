package orchestrator

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/heartbeat"
)

// round returns round numbers: a deviation of 10%, stragglers at 120%, and so on.
func round() Config {
	c := DefaultConfig()
	c.Deviation, c.Straggle, c.Contended, c.Pressed = 100_000, 200_000, 800_000, 900_000
	c.Headroom, c.Floor, c.FloorMemory, c.MinChange = 100_000, 500_000, 64, 50_000
	c.MaxAlpha, c.Epoch, c.Window, c.History = Vector{2 * Million, 4 * Million}, 1000, 1, 4
	return c
}

// Section III, step 2: a task is short of CPU if it uses less than its peers or straggles, and hogs
// CPU if it uses more. Its node must be contended. A task that is ahead has no deficit, and one that
// is late hogs nothing.
func TestVerdicts(t *testing.T) {
	c := round()
	for _, x := range []struct {
		r                     Resource
		use, sum, left, meant int64 // meant is the target of the phase
		want                  heartbeat.Verdict
	}{
		{CPU, 450, 800, 1000, 1000, heartbeat.Balanced},
		{CPU, 449, 800, 1000, 1000, heartbeat.Deficit},
		{CPU, 449, 799, 1000, 1000, heartbeat.Balanced}, // not contended
		{CPU, 449, 800, 999, 1000, heartbeat.Balanced},  // ahead
		{CPU, 449, 800, 0, 1000, heartbeat.Deficit},     // unknown time
		{CPU, 500, 800, 1200, 1000, heartbeat.Balanced},
		{CPU, 500, 800, 1201, 1000, heartbeat.Deficit}, // straggles
		{CPU, 500, 800, 5000, 0, heartbeat.Balanced},   // unknown target
		{CPU, 550, 800, 1000, 1000, heartbeat.Balanced},
		{CPU, 551, 800, 1000, 1000, heartbeat.Hog},
		{CPU, 551, 800, 1001, 1000, heartbeat.Balanced}, // late
		{CPU, 551, 800, 0, 1000, heartbeat.Hog},
		{CPU, 551, 800, 5000, 0, heartbeat.Hog},
		{Memory, 100, 800, 1000, 1000, heartbeat.Balanced}, // unused memory slows down no other task
		{Memory, 550, 0, 1000, 1000, heartbeat.Balanced},
		{Memory, 551, 0, 1000, 1000, heartbeat.Hog},
		{Memory, 551, 0, 1001, 1000, heartbeat.Balanced},
	} {
		n := &node{sum: Vector{x.sum, x.sum}, report: heartbeat.Shares{Capacity: Vector{1000, 1000}}}
		task := &task{node: n, group: &group{mean: Vector{500, 500}, target: x.meant},
			TaskShare: heartbeat.TaskShare{Usage: Vector{x.use, x.use}, Left: x.left}}
		got, _ := c.judge(task, x.r)
		require.Equal(t, x.want, got, "%+v", x)
	}
}

// A task that uses at least 90% of its memory limit presses against it and is short of memory.
func TestPressed(t *testing.T) {
	c := round()
	for _, x := range []struct {
		use, have int64
		want      bool
	}{{90, 100, true}, {89, 100, false}, {0, 0, false}, {1, 0, true}} {
		p := &cluster{all: []task{{node: &node{}, group: &group{}, have: Vector{0, x.have},
			TaskShare: heartbeat.TaskShare{Usage: Vector{1, x.use}}}}}
		c.detect(p)
		require.Equal(t, x.want, p.all[0].pressed, "%+v", x)
		require.Equal(t, x.want, p.all[0].verdict[Memory] == heartbeat.Deficit, "%+v", x)
	}
}

// The target of a phase is the mean of the known times. While tasks wait for a slot, a time counts
// from the start of a task to its end.
func TestTimes(t *testing.T) {
	share := func(elapsed, left int64) *task {
		return &task{TaskShare: heartbeat.TaskShare{Elapsed: elapsed, Left: left, Usage: Vector{10, 10}}}
	}
	tasks := []*task{share(700, 500), share(900, 300), share(100, 0)}
	g := newGroup(tasks, nil)
	require.EqualValues(t, 400, g.target)
	require.EqualValues(t, 500, g.critical)
	require.Equal(t, Vector{10, 10}, g.mean)
	g = newGroup(tasks, func(int32, job.TaskType) bool { return true })
	require.EqualValues(t, 1200, g.target)
	require.Zero(t, timeOf(&tasks[2].TaskShare, true), "unknown")
	require.Zero(t, newGroup(tasks[2:], nil).target)
}

// A donor keeps what it needs, and at least a floor. With coordination, it gives only CPU that it
// uses, and keeps pace with the slowest task of its phase (Algorithm 1).
func TestGive(t *testing.T) {
	for _, x := range []struct {
		name            string
		r               Resource
		alone, waits    bool
		use, need, left int64
		answers, have   int64
		verdict         heartbeat.Verdict
		want            int64
	}{
		{name: "floor", use: 400, left: 500, have: 500, want: 440 - 250},
		{name: "pace", use: 480, left: 500, have: 500, want: 500 - 264},
		{name: "slowest", use: 480, left: 1000, have: 500, want: 500 - 528},
		{name: "unknown time", use: 480, have: 500, want: 500 - 528},
		{name: "others wait", use: 480, left: 1000, waits: true, have: 500, want: 500 - 250},
		{name: "deficit", use: 480, left: 500, have: 500, verdict: heartbeat.Deficit},
		{name: "alone", alone: true, need: 300, answers: 1, have: 500, want: 200},
		{name: "alone, floor", alone: true, need: 100, answers: 1, have: 500, want: 250},
		{name: "alone, no answer", alone: true, need: 100, have: 500},
		{name: "memory it will need", r: Memory, use: 100, need: 150, have: 300, want: 300 - 165},
		{name: "memory it uses", r: Memory, use: 200, need: 150, have: 300, want: 300 - 220},
		{name: "memory floor", r: Memory, use: 1, need: 1, have: 300, want: 300 - 64},
	} {
		c := round()
		c.Coordinate = !x.alone
		n := &node{report: heartbeat.Shares{Capacity: Vector{1000, 1000}}, tasks: make([]*task, 2)}
		d := &task{node: n, group: &group{critical: 1000, waits: x.waits}, have: Vector{x.have, x.have},
			TaskShare: heartbeat.TaskShare{Usage: Vector{x.use, x.use}, Want: Vector{x.need, x.need}, Left: x.left,
				Answers: x.answers}}
		d.verdict[x.r] = x.verdict
		require.Equal(t, x.want, c.give(d, x.r), x.name)
	}
}

// fill returns tasks of one phase with the given times left, each on a node of its own with a donor
// that can give spare CPU or memory. Each task wants 100 more.
func fill(spare []int64, left ...int64) *group {
	g := &group{critical: left[0]}
	for i, l := range left {
		n := &node{report: heartbeat.Shares{Capacity: Vector{1000, 1000}}}
		t := &task{node: n, group: g, have: Vector{500, 500}, TaskShare: heartbeat.TaskShare{
			Attempt: attempt(1, job.Map, int32(i)), Left: l, Answers: 1, Want: Vector{600, 600}}}
		t.verdict = [NumResources]heartbeat.Verdict{heartbeat.Deficit, heartbeat.Deficit}
		n.tasks = []*task{t, {node: n, group: &group{waits: true}, have: Vector{250 + spare[i], 64 + spare[i]},
			TaskShare: heartbeat.TaskShare{Usage: Vector{1000, 0}}}}
		n.report.Capacity[Memory] = 564 + spare[i]
		g.tasks = append(g.tasks, t)
	}
	return g
}

func gained(g *group, r Resource) (out []int64) {
	for _, t := range g.tasks {
		out = append(out, t.have[r]-500)
	}
	return out
}

// Section II-B: more CPU for a task does not help its job if a sibling that gets no more needs over
// 20% longer. Less than a quarter of a need is no help. Memory moves in any case.
func TestSiblingsOfAStuckTaskGetNoCPU(t *testing.T) {
	for _, x := range []struct {
		spare, left, cpu []int64
	}{
		{[]int64{0, 100}, []int64{1201, 1000}, []int64{0, 0}},
		{[]int64{0, 100}, []int64{1200, 1000}, []int64{0, 100}},
		{[]int64{24, 100}, []int64{2000, 1000}, []int64{24, 0}},
		{[]int64{25, 100}, []int64{2000, 1000}, []int64{25, 100}},
		{[]int64{0, 0, 100}, []int64{2000, 1700, 1500}, []int64{0, 0, 0}},
	} {
		c := round()
		g := fill(x.spare, x.left...)
		c.balanceGroup(g, CPU)
		require.Equal(t, x.cpu, gained(g, CPU), "%+v", x)
		g = fill(x.spare, x.left...)
		g.waits = true
		c.balanceGroup(g, CPU)
		require.Equal(t, make([]int64, len(x.spare)), gained(g, CPU), "other tasks end the phase")
		c.balanceGroup(g, Memory)
		require.Equal(t, x.spare, gained(g, Memory), "%+v", x)
		c.Coordinate = false
		g = fill(x.spare, x.left...)
		for _, task := range g.tasks {
			task.node.tasks[1].Answers, task.node.tasks[1].have[CPU] = 1, part(500, c.Floor)+x.spare[len(x.spare)-1]
		}
		c.balanceGroup(g, CPU)
		require.EqualValues(t, 100, gained(g, CPU)[len(x.spare)-1], "each node follows its own estimates")
	}
}

// A task gets no more without an answer, on a node that does not limit the resource, or if the
// change is too small. Without a deficit, it gets no more CPU.
func TestNothingToGain(t *testing.T) {
	for name, x := range map[string]struct {
		change      func(*task)
		cpu, memory int64
	}{
		"all is well": {func(*task) {}, 100, 100},
		"no answer":   {func(t *task) { t.Answers = 0 }, 0, 0},
		"balanced":    {func(t *task) { t.verdict = [NumResources]heartbeat.Verdict{} }, 0, 100},
		"unlimited":   {func(t *task) { t.node.report.Capacity = Vector{} }, 0, 0},
		"too small":   {func(t *task) { t.Want = Vector{525, 525} }, 0, 0},
		"enough":      {func(t *task) { t.Want = Vector{526, 526} }, 26, 26},
	} {
		c := round()
		g := fill([]int64{100}, 1000)
		x.change(g.tasks[0])
		c.balanceGroup(g, CPU)
		c.balanceGroup(g, Memory)
		require.Equal(t, Vector{500 + x.cpu, 500 + x.memory}, g.tasks[0].have, name)
	}
	full := &task{have: Vector{5, 5}, TaskShare: heartbeat.TaskShare{Want: Vector{9, 5}}}
	require.False(t, full.short(CPU))
	require.False(t, full.short(Memory))
}

// Memory comes first from the node's free memory, and then from the donor with the most. A task
// whose share does not change has no reason.
func TestFund(t *testing.T) {
	c := round()
	n := &node{report: heartbeat.Shares{Capacity: Vector{1000, 1300}}}
	g := &group{waits: true}
	for _, have := range []int64{300, 300, 500} {
		n.tasks = append(n.tasks, &task{node: n, group: g, have: Vector{0, have}})
	}
	require.EqualValues(t, 250, c.fund(n.tasks[0], Memory, 250))
	require.Equal(t, []int64{550, 300, 450}, []int64{n.tasks[0].have[Memory], n.tasks[1].have[Memory],
		n.tasks[2].have[Memory]})
	require.Equal(t, []reasonKind{grows, rest, gives}, []reasonKind{n.tasks[0].reason[Memory].kind,
		n.tasks[1].reason[Memory].kind, n.tasks[2].reason[Memory].kind})
	require.Zero(t, c.fund(n.tasks[0], CPU, 100))
	require.Equal(t, rest, n.tasks[0].reason[CPU].kind)
}

// Equation 2: the scaling factor is the time that a task needs relative to its peers, within
// 1/MaxAlpha..MaxAlpha.
func TestAlpha(t *testing.T) {
	c := round()
	for _, x := range [][3]int64{{1000, 1000, Million}, {700, 1000, 700_000}, {300, 1000, 500_000},
		{1500, 1000, 1_500_000},
		{3000, 1000, 2 * Million}, {0, 1000, Million}, {700, 0, Million}} {
		require.Equal(t, x[2], c.alpha(CPU, x[0], x[1]), "%v", x)
	}
}

// Section III-B1: the models predict the usage of the next epoch.
func TestRegression(t *testing.T) {
	c := round()
	h := new(history)
	for _, at := range []int64{1000, 2000, 3000} {
		h.cpu.add(float64(at), float64(at/10))
		h.windows = append(h.windows, window{at, Vector{0, 600 - at/10}})
	}
	for _, x := range []struct {
		r       Resource
		pressed bool
		left    int64
		want    int64
	}{
		{CPU, false, 1000, 400}, {CPU, false, 500, 200}, {Memory, false, 500, 200},
		{Memory, true, 500, 300}, {Memory, true, 2000, 600}, // what it uses at its limit, at least
	} {
		a := heartbeat.Advice{Target: 1000, Mean: Vector{1, 1}, Pressed: x.pressed}
		require.Equal(t, x.want, regression(&c, x.r, h, &a, 3000, x.left), "%+v", x)
	}
	require.Zero(t, regression(&c, Memory, new(history), &heartbeat.Advice{Pressed: true}, 3000, 0), "not yet measured")
	require.Zero(t, regression(&c, Memory, h, &heartbeat.Advice{Mean: Vector{1, 1}}, 30_000, 0), "no less than nothing")
	require.Zero(t, regression(&c, CPU, &history{cpu: line{n: 1, y: -5}}, &heartbeat.Advice{}, 0, 0))
}

// The memory model uses the longest recent history that predicts the last window at least as well
// as the mean of the tasks does, or to within 1%.
func TestRecentLine(t *testing.T) {
	for _, x := range []struct {
		usage      []int64
		mean, want float64
	}{
		{nil, 5, 0}, {[]int64{7}, 100, 7}, {[]int64{100, 200}, 200, 300},
		{[]int64{900, 100, 210, 290, 400}, 360, 495},
		{[]int64{900, 100, 210, 290, 400}, 380, 510}, // the mean is better than three windows
		{[]int64{100, 200, 303}, 303, 404},           // within 1%
		{[]int64{100, 200, 304}, 304, 408},
		{[]int64{100, 200, 310}, 320, 1240. / 3}, // the mean is as good as two windows
	} {
		var w []window
		for i, u := range x.usage {
			w = append(w, window{at: int64(i), usage: Vector{0, u}})
		}
		require.InDelta(t, x.want, recentLine(w, x.mean).at(float64(len(w))), 1e-9, "%+v", x)
	}
}

func TestLine(t *testing.T) {
	var l line
	require.Zero(t, l.at(9))
	l.add(5, 10)
	l.add(5, 20)
	require.EqualValues(t, 15, l.at(9), "level")
	l.add(6, 16)
	require.InDelta(t, 17, l.at(7), 1e-9)

	var dense line
	dense.add(1_000_000, 0)
	dense.add(1_000_001, 2)
	require.EqualValues(t, 1, dense.at(2_000_000), "the points are too close together for a slope")
}

// The profiler clips values and ignores samples whose clock or counter went back.
func TestProfiler(t *testing.T) {
	for name, x := range map[string]struct {
		samples [][3]int64 // time, CPU time, memory
		want    []Vector
	}{
		"rates": {[][3]int64{{0, 0, 0}, {1000, 500, 7}, {3000, 700, 9}}, []Vector{{500, 7}, {100, 9}}},
		"idle":  {[][3]int64{{0, 50, 0}, {1000, 50, 7}}, []Vector{{0, 7}}},
		"clipped": {[][3]int64{{0, -5, 0}, {1000, 500, -7}, {2000, 90_000, 90_000}},
			[]Vector{{500, 0}, {2000, 4000}}},
		"counter restarts": {[][3]int64{{1000, 500, 0}, {2000, 100, 5}, {3000, 600, 6}}, []Vector{{500, 6}}},
		"clock stops":      {[][3]int64{{1000, 500, 0}, {1000, 100, 5}, {2000, 600, 6}}, []Vector{{100, 6}}},
		"clock went back":  {[][3]int64{{1000, 500, 0}, {500, 600, 5}, {2000, 600, 6}}, []Vector{{100, 6}}},
		"last four": {[][3]int64{{0, 0, 0}, {1, 0, 1}, {2, 0, 2}, {3, 0, 3}, {4, 0, 4}, {5, 0, 5}, {6, 0, 6}},
			[]Vector{{0, 3}, {0, 4}, {0, 5}, {0, 6}}},
	} {
		c, h := round(), new(history)
		for _, s := range x.samples {
			h.add(&c, s[0], s[1], s[2], Vector{2000, 4000})
		}
		var got []Vector
		for _, w := range h.windows {
			got = append(got, w.usage)
		}
		require.Equal(t, x.want, got, name)
	}
	c, h := round(), new(history)
	c.Window = 2
	for i, cpu := range []int64{0, 100, 400, 600, 1000} {
		h.add(&c, int64(i)*1000, cpu, 10*int64(i), Vector{2000, 0})
	}
	require.Equal(t, []window{{2000, Vector{200, 15}}, {4000, Vector{300, 35}}}, h.windows)
	require.Equal(t, Vector{250, 25}, h.recent(1999))
	require.Equal(t, Vector{300, 35}, h.recent(2000))
	require.Equal(t, Vector{300, 35}, h.recent(9000), "the last window, if all are older")
	require.Zero(t, new(history).recent(0))
}

// Equation 1 applies once a hundredth of the work is done.
func TestTimeLeftNeedsProgress(t *testing.T) {
	require.EqualValues(t, 99_000, Left(10_000, 1000))
	require.Zero(t, Left(9_999, 1000))
	require.Zero(t, Left(500_000, 0))
	require.EqualValues(t, 1, Left(2*Million, 1000), "it has not ended")
}

// A change of up to 5% is not worth sending, nor is one without a reason. Only CPU is converted to a
// weight.
func TestChanges(t *testing.T) {
	g := NewGlobal(round(), 0)
	for more, want := range map[int64]int{50: 0, -50: 0, 51: 1, -51: 1} {
		x := &task{node: &node{}, had: Vector{0, 1000}, have: Vector{0, 1000 + more},
			TaskShare: heartbeat.TaskShare{Allocation: Vector{500, 1000}}}
		require.Empty(t, g.changes(x, nil))
		x.reason[Memory].kind = gives
		require.Len(t, g.changes(x, nil), want, "%d", more)
	}
	x := &task{node: &node{weights: 500}, have: Vector{200, 200},
		TaskShare: heartbeat.TaskShare{Allocation: Vector{500, 500}}}
	x.reason[CPU].kind, x.reason[Memory].kind = gives, gives
	for capacity, cpu := range map[int64]int64{2000: 550, 0: 700} {
		x.node.report.Capacity[CPU] = capacity
		d := g.changes(x, nil)
		require.Equal(t, []int64{cpu, 700}, []int64{d[0].To, d[1].To}, "only CPU is a weight, unless its capacity is unknown")
	}
	require.Equal(t, "straggles: needs 7 s, its peers 5 s", reason{kind: straggles, a: 7999, b: 5000}.text(CPU))
	require.EqualValues(t, Million, share(5, 0))
}

// Global knows nodes from their reports and forgets those that leave.
func TestKnownNodes(t *testing.T) {
	g := NewGlobal(round(), 100)
	require.True(t, g.Knows(100+2*1000, 1))
	require.False(t, g.Knows(101+2*1000, 1), "it had time to report")
	for n := range int32(3) {
		g.Hear(2000, n, &heartbeat.Shares{})
	}
	g.Gone(1)
	g.Gone(9)
	for n, known := range []bool{true, false, true} {
		require.Equal(t, known, g.Knows(5000, int32(n)), "%d", n)
	}
}

// Each node gets the advice of an epoch once, from its start to its middle. A late round does not
// make the next one start at once.
func TestUnadvised(t *testing.T) {
	g := NewGlobal(round(), 0)
	g.Hear(5000, 1, &heartbeat.Shares{})
	require.False(t, g.Unadvised(1), "no epoch yet")
	g.Tick(5000, nil, nil)
	require.Greater(t, g.NextDeadline(), int64(5000))
	require.True(t, g.Unadvised(1))
	require.False(t, g.Unadvised(2))
	g.Advice(1, nil)
	require.False(t, g.Unadvised(1))
	g = NewGlobal(round(), 0)
	g.Hear(1000, 1, &heartbeat.Shares{})
	g.Tick(1000, nil, nil)
	g.Tick(1500, nil, nil)
	require.False(t, g.Unadvised(1), "decided")
}

// An answer to the advice of an earlier epoch does not count.
func TestStaleAnswers(t *testing.T) {
	task := heartbeat.TaskShare{Attempt: attempt(1, job.Map, 0), Usage: Vector{100, 200}, Allocation: Vector{500, 300},
		Want: Vector{100, 450}, Answers: 1}
	g := NewGlobal(DefaultConfig(), 0)
	for epoch, want := range []int{1, 0} {
		now := int64(epoch+1) * 20_000
		g.Hear(now, 1, &heartbeat.Shares{Capacity: Vector{1000, 600}, Tasks: []heartbeat.TaskShare{task}})
		require.Empty(t, g.Tick(now, nil, nil))
		require.Len(t, g.Tick(now+10_000, nil, nil), want)
	}
}

// Without coordination, a node does not know which tasks of a phase wait elsewhere.
func TestWaitingTasksAreUnknownAlone(t *testing.T) {
	for _, coordinate := range []bool{true, false} {
		c := round()
		c.Coordinate = coordinate
		g := NewGlobal(c, 0)
		for now := int64(1000); now <= 3000; now += 1000 { // each round starts afresh
			g.Hear(now, 1, &heartbeat.Shares{Tasks: []heartbeat.TaskShare{{Attempt: attempt(1, job.Map, 0)}}})
			g.Tick(now, func(int32, job.TaskType) bool { return true }, nil)
			a := g.Advice(1, nil)
			require.Len(t, a, 1)
			require.Equal(t, coordinate, a[0].Whole)
			require.Len(t, g.picture.groups, 1)
			require.Len(t, g.picture.ranked, 1)
			require.Zero(t, g.picture.all[0].have, "no weight is nothing")
		}
	}
}

// Estimates are at least the floor, but never exceed the capacity of the node.
func TestWantWithinBounds(t *testing.T) {
	c := round()
	c.Estimator = "uniform"
	l := NewLocal(c, Vector{2000, 4000})
	a := attempt(1, job.Map, 0)
	samples := []Sample{{Attempt: a, Allocation: Vector{500, 100}}}
	l.Observe(0, samples)
	l.Hear([]heartbeat.Advice{{Attempt: a, Epoch: 7, Mean: Vector{0, 10}}})
	require.Zero(t, l.Report().Tasks[0].Answers, "not yet measured")
	l.Observe(1000, samples)
	require.Equal(t, Vector{1, 64}, l.Report().Tasks[0].Want)
	l.Resize(Vector{1000, 50})
	l.Hear([]heartbeat.Advice{{Attempt: a, Epoch: 8, Mean: Vector{1500, 10}}})
	require.Equal(t, Vector{1000, 50}, l.Report().Tasks[0].Want)
	require.Equal(t, Vector{1000, 50}, l.Report().Capacity)
}
