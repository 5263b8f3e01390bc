package faw

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/simulator/fawkes"
)

// TestTaskTimesByComposition checks that, on core nodes only, maps take as long as in the trace.
// Other nodes never make a task faster, and transient-core nodes are never slower than transient
// nodes.
func TestTaskTimesByComposition(t *testing.T) {
	m := DAS4().With(Apps...)
	for _, a := range Apps {
		for i, s := range a.Stages {
			j := m.Job("j", a.stage(i), s, s.Input, 0)
			of := func(c fawkes.Composition) (times [3]int64) {
				_, times[0] = m.Task(c, j, job.Map, 0, j.Maps[0].Time)
				if len(j.Reduces) > 0 {
					times[1], times[2] = m.Task(c, j, job.Reduce, j.Reduces[0].Shuffle, j.Reduces[0].Time)
				}
				return times
			}
			core, tr, tc := of(Core(20)), of(fawkes.Composition{Core: 10, Transient: 10}),
				of(fawkes.Composition{Core: 10, TransientCore: 10})
			require.Equal(t, j.Maps[0].Time, core[0], j.Name)
			for k := range core {
				require.LessOrEqual(t, core[k], tc[k], j.Name)
				require.LessOrEqual(t, tc[k], tr[k], j.Name)
			}
		}
	}
}

// TestSortByHand checks times computed by hand. The 6 maps of a node read 128 MB each from disks of
// 150 MB/s and write the same amount. If half of the nodes are core nodes, the maps of two nodes
// read from one disk.
func TestSortByHand(t *testing.T) {
	m := DAS4()
	require.InDelta(t, 6*128*2/150.0, m.mapTime(ST.Stages[0], Core(1)), 1e-9)
	require.InDelta(t, 6*128*3/150.0, m.mapTime(ST.Stages[0], fawkes.Composition{Core: 1, Transient: 1}), 1e-9)
	_, rest := m.reduceTime(ST.Stages[0], 1024, Core(1))
	require.InDelta(t, 2*1024*3/150.0, rest, 1e-9, "three replicas")
}

// TestMove checks the speed at which nodes move their data. If at most half of the nodes leave, each
// uses half of its disk's speed. If more leave, the remaining nodes are the bottleneck.
func TestMove(t *testing.T) {
	m := DAS4()
	require.Equal(t, int64(75<<20), m.Move(1, 9))
	require.Equal(t, int64(75<<20), m.Move(5, 5))
	require.Equal(t, int64(75<<20/4), m.Move(8, 2))
}

// TestWorkloadsHaveTheJobsOfTable2 checks the numbers of jobs in table 2 and a statement in section
// 7.3: the MR-cluster with the highest load has about 3 times (WKLD-D) or 8 times (WKLD-E) as many
// tasks as the one with the lowest load. In WKLD-D, c-2 has the highest load.
func TestWorkloadsHaveTheJobsOfTable2(t *testing.T) {
	m := DAS4().With(WC, ST, BTWorld.App("BT"))
	d, e := WKLDD(m, 1, 1, Bursts), WKLDE(m, 1, 1, m.NewReferences())
	for i, w := range d {
		require.Len(t, w.Jobs, []int{165, 188, 555}[i])
	}
	for i, w := range e {
		require.Len(t, w.Jobs, []int{359, len(BTWorld), 559}[i])
		for k := range w.Jobs {
			require.True(t, k == 0 || w.Jobs[k-1].Submit <= w.Jobs[k].Submit, "in order")
		}
	}
	require.InDelta(t, 3, float64(Tasks(d[1]))/float64(Tasks(d[0])), 0.5)
	require.Greater(t, Tasks(d[1]), Tasks(d[2]))
	require.InDelta(t, 8, float64(Tasks(e[0]))/float64(Tasks(e[1])), 0.5)
}
