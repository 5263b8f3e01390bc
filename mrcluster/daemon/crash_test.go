package daemon

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/factlog"
	"github.com/howdah/howdah/mrcluster"
)

// story simulates two MR-clusters that compete for nodes. They are deployed, loaded, grown, shrunk,
// saved, released, and removed.
func story(w *world) {
	w.create(mrcluster.Spec{Name: "a", Core: 2, Grow: mrcluster.Transient, Load: []mrcluster.Copy{{From: "/x", To: "/in"}},
		Save: []mrcluster.Copy{{From: "/out", To: "/y"}}})
	w.create(mrcluster.Spec{Name: "b", Core: 2, Grow: mrcluster.TransientCore, HDFS: true})
	w.run("a", 150)
	w.eventually("a to grow", func() bool { return w.done("a") || w.status("a").Held > 3 })
	w.run("b", 120)
	w.eventually("the work to be done", func() bool { return w.done("a") && w.done("b") })
	w.eventually("both to be given up", func() bool {
		return w.status("a").State == mrcluster.Defined && w.status("b").State == mrcluster.Defined
	})
	w.run("a", 10)
	w.remove("a")
	w.remove("b")
	w.eventually("both to be forgotten", func() bool { return len(w.all().Clusters) == 0 })
	w.eventually("all nodes to be free", func() bool {
		return !slices.ContainsFunc(w.nodes, func(n *fakeNode) bool { return len(n.Runs()) > 0 }) && w.free() == len(w.nodes)
	})
	require.Contains(w.t, w.copied, "/x=/in")
	require.Contains(w.t, w.copied, "/out=/y")
}

// TestKilledInEachStep checks that a manager continues from its journal after it was killed before,
// during, or after the write of any fact.
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

// slow is a journal on a disk whose next write takes as long as the test says.
type slow struct {
	factlog.Writer
	next *atomic.Int64
}

func (l slow) Append(text []byte) error {
	time.Sleep(time.Duration(l.next.Swap(0)))
	return l.Writer.Append(text)
}

// TestSlowDiskLosesNoNodes checks that the manager does not count the duration of a write against
// the agents, which wait for its replies.
func TestSlowDiskLosesNoNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var next atomic.Int64
		w := newWorld(t, 4, func(m *Manager) { m.owner.log = slow{m.owner.log, &next} })
		defer w.end()
		next.Store(int64(20 * w.cfg.Machine.Expiry * int64(time.Millisecond)))
		w.create(mrcluster.Spec{Name: "a", Core: 2})
		require.Zero(t, next.Load())
		w.run("a", 10)
		for _, e := range w.all().Events {
			require.NotEqual(t, mrcluster.NodeLost, e.Fact)
		}
	})
}
