package daemon

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/mrcluster"
)

// story is the life of two MR-clusters that want the same nodes: deployed, loaded, grown, shrunk, saved, given up, removed.
func story(w *world) {
	w.create(mrcluster.Spec{Name: "a", Core: 2, Grow: mrcluster.Transient, Load: []mrcluster.Copy{{From: "/x", To: "/in"}}, Save: []mrcluster.Copy{{From: "/out", To: "/y"}}})
	w.create(mrcluster.Spec{Name: "b", Core: 2, Grow: mrcluster.TransientCore, HDFS: true})
	w.run("a", 150)
	w.eventually("a to grow", func() bool { return w.done("a") || w.status("a").Held > 3 })
	w.run("b", 120)
	w.eventually("the work to be done", func() bool { return w.done("a") && w.done("b") })
	w.eventually("both to be given up", func() bool { return w.status("a").State == "defined" && w.status("b").State == "defined" })
	w.run("a", 10)
	w.remove("a")
	w.remove("b")
	w.eventually("both to be forgotten", func() bool { return len(w.all().Cluster) == 0 })
	w.eventually("all nodes to be free", func() bool {
		return !slices.ContainsFunc(w.nodes, func(n *fakeNode) bool { return len(n.Runs()) > 0 }) && w.free() == len(w.nodes)
	})
	require.Contains(w.t, w.copied, "/x=/in")
	require.Contains(w.t, w.copied, "/out=/y")
}

// A manager that is killed at any fact goes on from its journal.
func TestKilledInEachStep(t *testing.T) {
	count := 0
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 6, func(m *Manager) {
			hear := m.owner.fact
			m.owner.fact = func(f *mrcluster.Fact) { count++; hear(f) }
		})
		defer w.end()
		story(w)
		require.Equal(t, 1, w.startsSoFar())
	})
	require.Greater(t, count, 50)
	for fact := 1; fact <= count; fact++ {
		for _, how := range []string{"before", "torn", "after"} {
			t.Run(fmt.Sprintf("%s-%d", how, fact), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					left := fact
					w := newWorld(t, 6, func(m *Manager) { m.owner.log = &crashing{m.owner.log, &left, how} })
					defer w.end()
					story(w)
				})
			})
		}
	}
}
