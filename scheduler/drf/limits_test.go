package drf

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
)

// A user reserves one tracker at most. Each request for work renews the reservation. It ends if the
// tracker leaves or has not requested work for a minute, or if the user has no more jobs.
func TestHoldsEnd(t *testing.T) {
	p := build(t)
	b := newBench(t, p)
	seq := b.submit("A", 3, 3)
	x, y := b.tracker(4, 4), b.tracker(4, 4)
	b.beat(x, false)
	b.beat(y, false)
	require.Len(t, p.holds, 1)
	require.Equal(t, x, p.holds[0].tracker)
	since := p.holds[0].at
	b.Wait(1000)
	b.beat(x, false)
	require.Equal(t, since+1000, p.holds[0].at)
	p.releaseStale(since + 1000 + stale)
	require.Len(t, p.holds, 1)
	p.releaseStale(since + 1001 + stale)
	require.Empty(t, p.holds)
	b.beat(x, false)
	require.Len(t, p.holds, 1)
	b.Do(jobtracker.Input{Kind: jobtracker.InTrackerLeave, Tracker: y})
	require.Len(t, p.holds, 1)
	b.Do(jobtracker.Input{Kind: jobtracker.InTrackerLeave, Tracker: x})
	require.Empty(t, p.holds)
	z := b.tracker(4, 4)
	b.beat(z, false)
	require.Len(t, p.holds, 1)
	b.Do(jobtracker.Input{Kind: jobtracker.InKillJob, Job: seq})
	require.Empty(t, p.holds)
}

// A policy takes over only reservations of users with running jobs, on trackers that still exist.
func TestInheritsNoHoldsOfTheGone(t *testing.T) {
	old := build(t)
	b := newBench(t, old)
	seq := b.submit("A", 3, 3)
	x := b.tracker(4, 4)
	b.beat(x, false)
	take := func() *Policy {
		p := build(t)
		p.Reset(b)
		p.Inherit(b, old)
		return p
	}
	require.Len(t, take().holds, 1)
	b.Do(jobtracker.Input{Kind: jobtracker.InSetPolicy, Policy: build(t)}) // old learns no more
	b.Do(jobtracker.Input{Kind: jobtracker.InTrackerLeave, Tracker: x})
	require.Empty(t, take().holds, "the tracker is gone")
	old.holds[0].tracker = b.tracker(4, 4)
	require.Len(t, take().holds, 1)
	b.Do(jobtracker.Input{Kind: jobtracker.InKillJob, Job: seq})
	require.Empty(t, take().holds, "the user has no jobs")
}

// Groups are sorted by name and follow the entries that the caller already has. They count pending
// and running tasks as demand.
func TestGroups(t *testing.T) {
	p := build(t, conf.DRFWeights.Name, "A = 2")
	b := newBench(t, p)
	y, x := b.submit("B", 1, 1), b.submit("A", 1, 1)
	b.submit("A", 1, 1)
	b.beat(b.tracker(6, 6), false)
	require.Equal(t, []scheduler.Group{{Name: "first"},
		{Name: "A", Jobs: 2, Weight: 2, Max: [2]int32{-1, -1}, Demand: [2]int32{200, 0}, Running: [2]int32{4, 0}},
		{Name: "B", Jobs: 1, Weight: 1, Max: [2]int32{-1, -1}, Demand: [2]int32{100, 0}, Running: [2]int32{2, 0}},
	}, p.Groups(b, []scheduler.Group{{Name: "first"}}))
	require.Equal(t, "A", p.GroupOf(b, x))
	b.Do(jobtracker.Input{Kind: jobtracker.InKillJob, Job: y})
	require.Equal(t, "B", p.GroupOf(b, y), "a job that has ended")
	require.Empty(t, p.GroupOf(b, 99))
}

// Weights from 0.000001 to 1000000 are legal.
func TestRangeOfWeights(t *testing.T) {
	for text, want := range map[string]float64{"a=0.000001": 1e-6, "a=1000000": 1e6, "a=0.0000009": 0, "a=1000001": 0} {
		s, err := read(setup(conf.DRFWeights.Name, text).Conf)
		if want == 0 {
			require.ErrorContains(t, err, "want name=weight", text)
			continue
		}
		require.NoError(t, err, text)
		require.InDelta(t, want, s.weight("a"), 1e-12)
		require.InDelta(t, 1, s.weight("b"), 1e-12)
	}
}

// The dominant share is the larger share. A resource that the cluster lacks does not count.
func TestDominantShare(t *testing.T) {
	d := demand{4, 1}
	require.InDelta(t, 0.5, d.dominant(demand{8, 4}), 1e-12)
	require.InDelta(t, 0.25, d.dominant(demand{100, 4}), 1e-12)
	require.InDelta(t, 0.5, d.dominant(demand{8, 0}), 1e-12)
	require.InDelta(t, 0.25, d.dominant(demand{0, 4}), 1e-12)
	require.Zero(t, demand{}.dominant(demand{}))
	require.Equal(t, demand{6, 3}, demandOf(&job.Spec{MapMemory: 2, MapVCores: 1}, job.Map).times(3))
}
