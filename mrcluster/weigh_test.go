package mrcluster

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// two gives a pool of ten nodes on which a and b have five each and so many waiting tasks, after a whole interval.
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
	w.m.cfg.Threshold = 1e9 // not in the middle of an interval
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

// Equations 1 to 4: with weights 0.8 and 0.2 and half of the nodes each, D is -0.3 T and 0.3 T, and Var(D) the mean square.
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

// Section 4.2.2: above tau the shares follow the weights.
func TestSharesFollowWeights(t *testing.T) {
	w := two(t, 5, 800, 200)
	require.Equal(t, 8, w.cluster("a").Target)
	require.Equal(t, 2, w.cluster("b").Target)
	w.seconds(3)
	require.Equal(t, 8, w.cluster("a").Held)
	require.Equal(t, 2, w.cluster("b").Held)
}

// With nobody's queue holding anything there are no weights, and nothing moves.
func TestNoWeights(t *testing.T) {
	w := two(t, 0, 0, 0)
	require.Equal(t, 5, w.cluster("a").Target)
	require.Equal(t, 5, w.cluster("b").Target)
}

// Samples that make no sense count for nothing.
func TestWildSamples(t *testing.T) {
	var y mean
	for _, v := range []float64{-1, 1e301} {
		y.add(v)
	}
	require.Zero(t, y.n)
	y.add(3)
	require.Equal(t, mean{sum: 3, n: 1}, y)
}

// fields weighs by fields of the sample, as a mixture of two policies.
type fields struct{}

func (fields) Weigh(*Sample) float64 { panic("a mixture counts by its terms") }

func (fields) Terms() []Term { return []Term{{tasks{}, 0.5}, {bytes{}, 0.5}} }

type bytes struct{}

func (bytes) Weigh(s *Sample) float64 { return float64(s.Written) }

// Equation 5: each usage is normalised before they are mixed, so that bytes do not drown tasks. What everybody has none of counts
// for nothing.
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

// nobody is a policy that gives nothing.
type nobody struct{}

func (nobody) Weigh(*Sample) float64 { return 0 }

// Of an MR-cluster that has not been sampled yet it is known all the same that such a policy gives it nothing.
func TestNothingForTheUnknown(t *testing.T) {
	require.False(t, setWeights([]*cluster{{}, {}}, []Term{{Weighting: nobody{}, Factor: 1}}))
}

// The overall discrimination outlives the manager, through the facts and through a snapshot; the time since the last interval, and that
// without a manager, counts with the last weight.
func TestOverallDiscriminationOutlivesTheManager(t *testing.T) {
	for what, again := range map[string]func(*world){"facts": (*world).restart, "snapshot": (*world).compact} {
		w := two(t, 1e9, 800, 200)
		before, sum := w.cluster("a"), w.cluster("a").Overall+w.cluster("b").Overall
		require.Less(t, before.Overall, -1.0, what)
		again(w)
		require.InDelta(t, before.Overall, w.cluster("a").Overall, 1e-6, what)
		require.InDelta(t, before.Weight, w.cluster("a").Weight, 1e-9, what)
		w.seconds(4)
		w.now += 6000 // nobody manages
		again(w)
		require.InDelta(t, before.Overall-10*0.3, w.cluster("a").Overall, 0.3, what)
		require.InDelta(t, sum, w.cluster("a").Overall+w.cluster("b").Overall, 0.1, what)
	}
}

func TestSenselessMeasures(t *testing.T) {
	w := two(t, 1e9, 800, 200)
	for _, s := range []Share{{Cluster: "nobody"}, {Cluster: "a", Weight: 2}, {Cluster: "a", Weight: -1}, {Cluster: "a", Overall: 1e200}, {Cluster: "a", Discrimination: -1e200}} {
		before := w.cluster("a")
		require.Error(t, w.m.Apply(&Fact{Kind: Measured, Time: w.now, Shares: []Share{s}}))
		require.Equal(t, before, w.cluster("a"))
	}
}

// Equation 2 is bounded by the interval: a threshold above its square is never reached.
func TestAThresholdThatIsNeverReached(t *testing.T) {
	c := DefaultConfig()
	require.False(t, c.NeverMoves())
	c.Interval = 3000
	require.True(t, c.NeverMoves())
	c.Window = SinceRequest
	require.False(t, c.NeverMoves())
}
