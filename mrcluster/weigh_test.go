package mrcluster

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// two returns a pool of ten nodes at the end of an interval. During the interval, MR-clusters a and
// b had five nodes each and the given numbers of waiting tasks.
func two(t *testing.T, threshold float64, a, b int64) *world {
	cfg := testConfig()
	cfg.Grow = Transient
	w := newWorld(t, cfg, 10)
	w.second()
	w.create(Spec{Name: "a", Core: 2})
	w.create(Spec{Name: "b", Core: 2})
	for range 30 {
		w.run("a", 1000-w.work["a"])
		w.run("b", 1000-w.work["b"])
		w.second()
	}
	require.Equal(t, 5, w.cluster("a").Held)
	require.Equal(t, 5, w.cluster("b").Held)
	w.m.cfg.Threshold = 1e9 // avoid the middle of an interval
	for range 2 {
		at := w.m.View().NextCycle
		for w.now < at {
			w.run("a", a-w.work["a"])
			w.run("b", b-w.work["b"])
			w.second()
		}
		w.m.cfg.Threshold = threshold
	}
	return w
}

// TestDiscrimination checks equations 1 to 4. With weights 0.8 and 0.2 and half of the nodes each,
// D is -0.3 T and 0.3 T. Var(D) is the mean of the squares.
func TestDiscrimination(t *testing.T) {
	w := two(t, 1e9, 800, 200)
	a, b := w.cluster("a"), w.cluster("b")
	require.InDelta(t, 0.8, a.Weight, 0.01)
	require.InDelta(t, 0.2, b.Weight, 0.01)
	seconds := float64(w.cfg.Interval) / 1000
	require.InDelta(t, -0.3*seconds, a.Discrimination, 0.15)
	require.InDelta(t, 0.3*seconds, b.Discrimination, 0.15)
	require.InDelta(t, 0, a.Discrimination+b.Discrimination, 1e-9, "all resources are in use: the sum is 0")
	require.InDelta(t, 0.09*seconds*seconds, w.m.View().Global, 0.9)
	require.Equal(t, 5, a.Target, "below the threshold nothing changes")
}

// TestSharesFollowWeights checks section 4.2.2: if the discrimination exceeds tau, the shares
// follow the weights.
func TestSharesFollowWeights(t *testing.T) {
	w := two(t, 5, 800, 200)
	require.Equal(t, 8, w.cluster("a").Target)
	require.Equal(t, 2, w.cluster("b").Target)
	w.seconds(3)
	require.Equal(t, 8, w.cluster("a").Held)
	require.Equal(t, 2, w.cluster("b").Held)
}

// TestNoWeights checks that no nodes move while all queues are empty, because there are no weights.
func TestNoWeights(t *testing.T) {
	w := two(t, 0, 0, 0)
	require.Equal(t, 5, w.cluster("a").Target)
	require.Equal(t, 5, w.cluster("b").Target)
}

// TestWildSamples checks that a mean ignores invalid values.
func TestWildSamples(t *testing.T) {
	var y mean
	for _, v := range []float64{-1, 1e300} {
		y.add(v)
	}
	require.Zero(t, y.n)
	y.add(3)
	require.Equal(t, mean{sum: 3, n: 1}, y)
}

// TestStaleSamples checks that the manager takes samples only from the current deployment of an
// MR-cluster that is active or being saved.
func TestStaleSamples(t *testing.T) {
	for name, x := range map[string]struct {
		state ClusterState
		in    Input
		taken bool
	}{
		"active":             {Active, Input{Cluster: "a", Deployment: 1, Sample: &Sample{JobsDone: 3}}, true},
		"saving":             {Saving, Input{Cluster: "a", Deployment: 1, Sample: &Sample{JobsDone: 3}}, true},
		"loading":            {Loading, Input{Cluster: "a", Deployment: 1, Sample: &Sample{JobsDone: 3}}, false},
		"another deployment": {Active, Input{Cluster: "a", Deployment: 2, Sample: &Sample{JobsDone: 3}}, false},
		"unknown":            {Active, Input{Cluster: "b", Deployment: 1, Sample: &Sample{JobsDone: 3}}, false},
		"empty":              {Active, Input{Cluster: "a", Deployment: 1}, false},
		"empty, another":     {Active, Input{Cluster: "a", Deployment: 2}, false},
	} {
		m, c := hand(t, Spec{Name: "a", Core: 1})
		c.state = x.state
		m.takeSample(&x.in)
		require.Equal(t, x.taken, c.view().Sample.JobsDone == 3, name)
	}
}

// TestStoredBytes checks that a node stores nothing if the latest sample does not list it, and that
// a sample says nothing about the nodes of others.
func TestStoredBytes(t *testing.T) {
	m, _ := hand(t, Spec{Name: "a", Core: 1}, &node{name: "n", kind: Core, state: Up},
		&node{name: "o", kind: Core, state: Up})
	m.nodes["p"] = &node{name: "p", stored: 5}
	for _, stored := range [][]Stored{{{"n", 3}, {"o", 4}, {"p", 1}, {"x", 1}}, {{"n", -1}}} {
		m.takeSample(&Input{Cluster: "a", Deployment: 1, Sample: &Sample{Stored: stored}})
		require.EqualValues(t, 3*(len(stored)/4), m.nodes["n"].stored)
		require.EqualValues(t, 4*(len(stored)/4), m.nodes["o"].stored)
		require.EqualValues(t, 5, m.nodes["p"].stored)
	}
}

// TestCycle checks when an interval changes the shares: if the discrimination in the window is
// above the threshold, not if it is equal. Without weights, an MR-cluster is entitled to nothing,
// so it has no discrimination.
func TestCycle(t *testing.T) {
	for _, x := range []struct {
		window       Window
		threshold    float64
		tasks        int64
		last, global float64
		changes      bool
	}{
		{LastInterval, 9, 1, -3, 9, false}, {LastInterval, 8.9, 1, -3, 9, true},
		{SinceRequest, 4, 1, -3, 4, false}, {SinceRequest, 3.9, 1, -3, 4, true},
		{LastInterval, 0, 0, 0, 0, false},
	} {
		m, c := hand(t, Spec{Name: "a", Core: 1}, &node{name: "n", kind: Core, state: Up})
		m.order = append(m.order, &node{state: Free})
		m.cfg.Window, m.cfg.Threshold, m.global = x.window, x.threshold, 100
		c.last, c.overall, c.fraction, c.elapsed = 7, 1, 7, 10
		m.weigh(c, &Sample{WaitingTasks: x.tasks})
		m.cycle()
		require.NoError(t, m.Err())
		require.Equal(t, []float64{x.last, 1 + x.last, x.global}, []float64{c.last, c.overall, m.global}, "%+v", x)
		require.Equal(t, x.changes, m.reconfigurations == 1, "%+v", x)
		require.Zero(t, c.fraction+c.elapsed, "a new interval begins")
	}
	m, c := hand(t, Spec{Name: "a", Core: 1})
	c.state = Defined
	m.cycle()
	require.Empty(t, m.out, "no MR-cluster was measured")
}

// TestUnknownWeights checks that MR-clusters without samples have equal weights, and that the
// weights of one policy are exactly its shares of the sum (equation 4).
func TestUnknownWeights(t *testing.T) {
	terms := []Term{{Weighting: tasks{}, Factor: 1}}
	a, b := &cluster{}, &cluster{}
	require.True(t, setWeights([]*cluster{a, b}, terms))
	require.Equal(t, []float64{0.5, 0.5}, []float64{a.weight, b.weight})

	m, c := hand(t, Spec{Name: "c", Core: 1})
	for i, x := range []*cluster{a, b, c} {
		m.weigh(x, &Sample{WaitingTasks: []int64{2, 3, 1}[i]})
	}
	require.True(t, setWeights([]*cluster{a, b, c}, terms))
	require.Equal(t, []float64{2. / 6, 3. / 6, 1. / 6}, []float64{a.weight, b.weight, c.weight}, "rounded once")
}

// fields is a mixture of two policies that each return one field of the sample.
type fields struct{}

func (fields) Weigh(*Sample) float64 { panic("a mixture counts by its terms") }

func (fields) Terms() []Term { return []Term{{tasks{}, 0.5}, {bytes{}, 0.5}} }

type bytes struct{}

func (bytes) Weigh(s *Sample) float64 { return float64(s.Written) }

// TestMixture checks equation 5. Each usage is normalized before the mix, so that bytes do not
// outweigh tasks. A usage that is 0 for all MR-clusters does not count.
func TestMixture(t *testing.T) {
	m, err := New(testConfig(), fields{})
	require.NoError(t, err)
	a, b := &cluster{}, &cluster{}
	m.weigh(a, &Sample{WaitingTasks: 3, Written: 1 << 40})
	m.weigh(b, &Sample{WaitingTasks: 1, Written: 3 << 40})
	require.True(t, setWeights([]*cluster{a, b}, m.terms))
	require.Equal(t, []float64{0.5, 0.5}, []float64{a.weight, b.weight})
	m.weigh(a, &Sample{WaitingTasks: 3})
	m.weigh(b, &Sample{WaitingTasks: 1})
	require.True(t, setWeights([]*cluster{a, b}, m.terms))
	require.Equal(t, []float64{0.75, 0.25}, []float64{a.weight, b.weight})
	m.weigh(a, &Sample{})
	m.weigh(b, &Sample{})
	require.False(t, setWeights([]*cluster{a, b}, m.terms))
	require.Zero(t, a.weight)
}

// nobody is a policy that returns 0 for every sample.
type nobody struct{}

func (nobody) Weigh(*Sample) float64 { return 0 }

// TestNothingForTheUnknown checks that an MR-cluster without samples gets no weight if the policy
// returns 0 for every sample.
func TestNothingForTheUnknown(t *testing.T) {
	require.False(t, setWeights([]*cluster{{}, {}}, []Term{{Weighting: nobody{}, Factor: 1}}))
}

// TestOverallDiscriminationOutlivesTheManager checks that facts and snapshots preserve the overall
// discrimination. The time since the last interval counts with the last weight, even while no
// manager is running.
func TestOverallDiscriminationOutlivesTheManager(t *testing.T) {
	for what, again := range map[string]func(*world){"facts": (*world).restart, "snapshot": (*world).compact} {
		w := two(t, 1e9, 800, 200)
		before, sum := w.cluster("a"), w.cluster("a").Overall+w.cluster("b").Overall
		require.Less(t, before.Overall, -1.0, what)
		again(w)
		require.InDelta(t, before.Overall, w.cluster("a").Overall, 1e-6, what)
		require.InDelta(t, before.Weight, w.cluster("a").Weight, 1e-9, what)
		w.seconds(4)
		w.now += 6000 // no manager runs
		again(w)
		require.InDelta(t, before.Overall-10*0.3, w.cluster("a").Overall, 0.3, what)
		require.InDelta(t, sum, w.cluster("a").Overall+w.cluster("b").Overall, 0.1, what)
	}
}

// TestOwedBeforeActive checks that an MR-cluster that is not active yet is entitled to its minimum
// share. If it waits in the queue, it lacks the whole share. While its nodes start, it lacks only
// the missing part.
func TestOwedBeforeActive(t *testing.T) {
	w := newWorld(t, testConfig(), 10)
	w.second()
	w.create(Spec{Name: "a", Core: 9})
	w.run("a", 1000)
	w.create(Spec{Name: "b", Core: 2})
	w.run("b", 1000)
	require.NotEqual(t, Active, w.cluster("a").State)
	w.step(Input{Kind: InTick})
	w.seconds(5)
	require.Equal(t, Active, w.cluster("a").State)
	require.InDelta(t, 0, w.cluster("a").Overall, 1e-9, "it had its nodes from the first second on")
	require.Equal(t, Queued, w.cluster("b").State)
	require.InDelta(t, -5*0.2, w.cluster("b").Overall, 1e-9, "0.2 of the pool for 5 s")
}

// TestOwedWhileDeploying checks that a deployed MR-cluster lacks its minimum share until another
// MR-cluster has released the nodes, although it is no longer queued.
func TestOwedWhileDeploying(t *testing.T) {
	w := newWorld(t, testConfig(), 10)
	w.second()
	w.create(Spec{Name: "a", Core: 2})
	w.run("a", 1000)
	w.seconds(10)
	require.Len(t, w.m.clusters["a"].nodes, 10)
	w.create(Spec{Name: "b", Core: 3})
	w.run("b", 1000)
	for _, x := range []struct {
		nodes   int
		overall float64
	}{{0, -0.3}, {3, -2 * 0.3}, {3, -2 * 0.3}} {
		w.second()
		require.Equal(t, Deploying, w.cluster("b").State)
		require.Len(t, w.m.clusters["b"].nodes, x.nodes)
		require.InDelta(t, x.overall, w.cluster("b").Overall, 1e-9)
	}
}

func TestIdle(t *testing.T) {
	require.True(t, (&Sample{Slots: 4, JobsDone: 1, TasksDone: 1, Bytes: 1}).Idle())
	for _, s := range []Sample{{Jobs: 1}, {WaitingTasks: 1}, {RunningTasks: 1}} {
		require.False(t, s.Idle(), "%+v", s)
	}
}

func TestSenselessMeasures(t *testing.T) {
	w := two(t, 1e9, 800, 200)
	for _, s := range []Share{{Cluster: "nobody"}, {Cluster: "a", Weight: 2}, {Cluster: "a", Weight: -1},
		{Cluster: "a", Overall: 1e200}, {Cluster: "a", Discrimination: -1e200}} {
		before := w.cluster("a")
		require.Error(t, w.m.Apply(&Fact{Kind: Measured, Time: w.now, Shares: []Share{s}}))
		require.Equal(t, before, w.cluster("a"))
	}
}

// TestAThresholdThatIsNeverReached checks that NeverMoves detects a threshold above the square of
// the interval. D_i of equation 2 cannot exceed the interval.
func TestAThresholdThatIsNeverReached(t *testing.T) {
	c := DefaultConfig()
	require.False(t, c.NeverMoves())
	c.Interval = 3000
	require.True(t, c.NeverMoves())
	c.Threshold = 9
	require.True(t, c.NeverMoves(), "an imbalance of a whole interval is not above the threshold either")
	c.Window = SinceRequest
	require.False(t, c.NeverMoves())
}

// empty is a mixture without terms.
type empty struct{ tasks }

func (empty) Terms() []Term { return nil }

func TestMixtureOfNothingIsOneTerm(t *testing.T) {
	require.Equal(t, []Term{{Weighting: empty{}, Factor: 1}}, termsOf(empty{}))
}

func TestSensibleShares(t *testing.T) {
	require.True(t, (&Share{Discrimination: maxDiscrimination / 2}).sensible())
	require.False(t, (&Share{Discrimination: maxDiscrimination}).sensible())
	require.False(t, (&Share{Overall: -maxDiscrimination}).sensible())
}

// TestLate checks the lateness of a job that was submitted at 1000.
func TestLate(t *testing.T) {
	for _, c := range []struct {
		now, deadline, finish int64
		want                  float64
	}{
		{1500, 0, 9000, -1},     // no deadline
		{1500, 3000, 3000, 0},   // on time
		{1500, 3000, 2000, -.5}, // half of the allowed time is left
		{1500, 3000, 5000, 1},
		{1500, 3000, 0, 0},     // unknown
		{4000, 3000, 0, .5},    // overdue
		{4000, 3000, 3500, .5}, // an old prediction
		{1500, 1000, 900_000, MaxLateness},
		{1000, 3000, 1000, -1},
	} {
		require.InDelta(t, c.want, Late(c.now, 1000, c.deadline, c.finish), 1e-12, "%+v", c)
	}
}
