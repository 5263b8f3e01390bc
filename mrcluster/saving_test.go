package mrcluster

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// saving returns a world with an MR-cluster that is being saved. The MR-cluster has completed its
// job and has transient-core nodes with data. result determines how the save ends.
func saving(t *testing.T, result func(*Input)) *world {
	w := pool(t, 6)
	w.copied = func(in *Input) {
		if in.Kind == InSaved && result != nil {
			result(in)
		}
	}
	w.create(Spec{Name: "a", Core: 2, HDFS: true, Grow: TransientCore, Load: []Copy{{"x", "in"}},
		Save: []Copy{{"out", "y"}}})
	w.run("a", 300)
	for range 500 {
		if w.cluster("a").State == Saving {
			return w
		}
		w.second()
	}
	require.Fail(t, "it is never saved", "%+v", w.cluster("a"))
	return nil
}

func (w *world) told(kind FactKind) (out []Fact) {
	for _, f := range w.journal {
		if f.Kind == kind {
			out = append(out, f)
		}
	}
	return out
}

// TestSavingDrainsNothing checks that no node drains during a save, because the whole deployment is
// about to end.
func TestSavingDrainsNothing(t *testing.T) {
	w := saving(t, nil)
	require.Equal(t, 6, w.cluster("a").Held)
	w.seconds(10)
	require.Empty(t, w.told(NodeDraining))
	require.Equal(t, Defined, w.cluster("a").State)
}

// TestSavingMakesRoom checks that an MR-cluster that is being saved still releases nodes for the
// minimum shares of others.
func TestSavingMakesRoom(t *testing.T) {
	w := saving(t, func(in *Input) { in.Err = "no" })
	w.create(Spec{Name: "b", Core: 3})
	w.run("b", 10)
	for range 60 {
		w.second()
	}
	require.Equal(t, 3, w.cluster("b").Cores)
	require.Equal(t, 2, w.cluster("a").Cores)
}

// TestWhyOutputCannotBeSaved checks that the manager keeps output that it cannot save. The journal
// and the state record the reason, the nodes outside the core are released, and the interval
// between retries grows. After a successful save, the MR-cluster ends.
func TestWhyOutputCannotBeSaved(t *testing.T) {
	broken := true
	w := saving(t, func(in *Input) {
		if broken {
			in.Err = "disk full"
		}
	})
	w.seconds(60)
	require.Equal(t, Saving, w.cluster("a").State)
	require.Equal(t, 2, w.cluster("a").Held, "the core holds it all")
	require.Contains(t, w.cluster("a").LastError, "disk full")
	failed := w.told(ClusterUnsaved)
	require.Contains(t, failed[0].Reason, "disk full")
	w.restart()
	require.Contains(t, w.cluster("a").LastError, "disk full", "also after a restart")
	w.compact()
	require.Contains(t, w.cluster("a").LastError, "disk full")
	w.seconds(1000)
	require.Less(t, len(w.told(ClusterUnsaved)), 20, "they would be 200")
	broken = false
	w.seconds(150)
	require.Equal(t, Defined, w.cluster("a").State)
	require.Empty(t, w.cluster("a").LastError)
}

// TestUnsavedOutputIsDiscarded checks that a discard ends an MR-cluster with unsaved output.
func TestUnsavedOutputIsDiscarded(t *testing.T) {
	w := saving(t, func(in *Input) { in.Err = "disk full" })
	w.step(Input{Kind: InRemove, Cluster: "a"})
	w.seconds(100)
	require.Equal(t, Saving, w.cluster("a").State, "nothing is lost")
	w.step(Input{Kind: InRemove, Cluster: "a", Discard: true})
	_, ok := w.m.Cluster("a")
	require.False(t, ok)
}

// TestNothingToSave checks that the manager reports output that was never written, and that the
// deployment ends.
func TestNothingToSave(t *testing.T) {
	w := saving(t, func(in *Input) { in.Err, in.Missing = "no such file: out", true })
	w.seconds(10)
	require.Equal(t, Defined, w.cluster("a").State)
	require.Contains(t, w.cluster("a").LastError, "no such file: out")
	ended := w.told(ClusterEnded)
	require.Contains(t, ended[len(ended)-1].Reason, "no such file: out")
}

// TestNothingToLoad checks that missing input ends the deployment, because another deployment would
// not find it either.
func TestNothingToLoad(t *testing.T) {
	w := pool(t, 3)
	w.copied = func(in *Input) { in.Err, in.Missing = "no such file: x", true }
	w.create(Spec{Name: "a", Core: 2, Load: []Copy{{"x", "in"}}})
	w.run("a", 10)
	w.seconds(30)
	require.Equal(t, Defined, w.cluster("a").State)
	require.Contains(t, w.cluster("a").LastError, "no such file: x")
	require.Len(t, w.told(ClusterAdmitted), 1, "one attempt")
}
