package edf

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/estimate"
)

// SIM section V-A: "the MaxEDF scheduler aims to allocate the maximum available number of map (or
// reduce) slots for each job".
func TestMaxEDFGivesAll(t *testing.T) {
	b := newBench(t, buildWith(t, NewMaxEDF))
	tt := b.tracker(6, 3)
	first := b.submit(20, 10, 1e6, "map=1,reduce=1")
	b.submit(20, 10, 2e6, "map=1,reduce=1")
	require.Equal(t, map[int32][2]int32{first: {6, 3}}, b.beat(tt))
}

// SIM section V-A, equation 1: MinEDF chooses the fewest slots on the hyperbola A*NM/SM + B*NR/SR +
// C = D. With a = b = 3000 s and D = 200 s, the Lagrange point is 30 + 30 slots even though 64 + 64
// are free.
func TestMinEDFGivesTheMinimum(t *testing.T) {
	b := newBench(t, buildWith(t, NewMinEDF, conf.EDFBound.Name, "low"))
	tt := b.tracker(64, 64)
	seq := b.submit(100, 100, 200_000, "map=30000,reduce=30000")
	require.Equal(t, [2]int32{30, 30}, b.beat(tt)[seq])
}

// SIM section III-C: "this policy calculates the minimum number of map and reduce slots [...] when
// the job arrives". A job that gets its slots late does not get more of them.
func TestMinEDFSizesAtArrival(t *testing.T) {
	b := newBench(t, buildWith(t, NewMinEDF, conf.EDFBound.Name, "low"))
	seq := b.submit(100, 100, 200_000, "map=30000,reduce=30000")
	b.now += 150_000
	require.Equal(t, [2]int32{30, 30}, b.beat(b.tracker(64, 64))[seq])
}

// SIM section III-C: running tasks "are always less than the wanted number of slots". Spare slots
// stay idle until the next job arrives.
func TestMinEDFLeavesSpareSlotsToTheNextJob(t *testing.T) {
	b := newBench(t, buildWith(t, NewMinEDF, conf.EDFBound.Name, "low"))
	tt := b.tracker(64, 64)
	first := b.submit(100, 100, 200_000, "map=30000,reduce=30000")
	b.beat(tt)
	second := b.submit(100, 100, 200_000, "map=30000,reduce=30000")
	require.Equal(t, map[int32][2]int32{first: {30, 30}, second: {30, 30}}, b.beat(tt))
}

// ARIA: MinEDF-WC assigns spare slots in EDF order and takes them back as their tasks end.
func TestMinEDFWCHandsOnAndTakesBack(t *testing.T) {
	b := newBench(t, buildWith(t, NewMinEDFWC, conf.EDFBound.Name, "low"))
	tt := b.tracker(10, 0)
	first := b.submit(40, 0, 100_000, "map=10000") // needs 4
	require.Equal(t, map[int32][2]int32{first: {10, 0}}, b.beat(tt), "all spare slots")
	second := b.submit(50, 0, 100_100, "map=10000") // needs 5
	require.Equal(t, map[int32][2]int32{first: {10, 0}}, b.beat(tt), "nothing is preempted")
	got := b.beat(tt, b.running(tt)[:5]...)
	require.Equal(t, map[int32][2]int32{first: {5, 0}, second: {5, 0}}, got, "the first has more than it needs still")
	got = b.beat(tt, b.running(tt)...)
	require.Equal(t, map[int32][2]int32{first: {5, 0}, second: {5, 0}}, got,
		"4 and 5 are needed, one is spare: the earliest deadline has it")
}

// SIM section V-B: with df = 1, the deadline is the time that the job takes with all slots. Then
// "the performance of MinEDF and MaxEDF policies coincide [...] because the maximum amount of
// map/reduce slots that job can utilize should be allocated under both policies".
func TestDeadlineFactorOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		profile := estimate.Profile{}
		for _, f := range []*estimate.Phase{&profile.Map, &profile.First, &profile.Typical, &profile.Reduce} {
			f.Avg = float64(rapid.IntRange(1, 1000).Draw(t, "average"))
			f.Max = f.Avg + float64(rapid.IntRange(0, 1000).Draw(t, "spread"))
		}
		bound := estimate.Bound(rapid.IntRange(0, 2).Draw(t, "bound"))
		slots := [2]int32{rapid.Int32Range(1, 8).Draw(t, "map slots"), rapid.Int32Range(1, 8).Draw(t, "reduce slots")}
		var specs [][2]int32
		for range rapid.IntRange(1, 4).Draw(t, "jobs") {
			specs = append(specs, [2]int32{rapid.Int32Range(1, 12).Draw(t, "maps"), rapid.Int32Range(0, 12).Draw(t, "reduces")})
		}
		run := func(f scheduler.New) (log []string) {
			b := newBench(t, buildWith(t, f, conf.EDFBound.Name, bound.String()))
			tt := b.tracker(slots[0], slots[1])
			for _, tasks := range specs {
				b.submit(tasks[job.Map], tasks[job.Reduce], int64(profile.Makespan(bound, tasks, slots)), profile.String())
			}
			for range 30 {
				b.now += 100
				log = append(log, fmt.Sprint(b.beat(tt, b.running(tt)...)))
			}
			return log
		}
		require.Equal(t, run(NewMaxEDF), run(NewMinEDF))
	})
}
