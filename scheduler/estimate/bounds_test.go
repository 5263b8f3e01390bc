package estimate

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

var wordcount = Profile{Map: Phase{100, 200}, First: Phase{30, 40}, Typical: Phase{50, 80}, Reduce: Phase{20, 25}}

// The bounds of SIM section V-A, computed by hand for 200 maps, 256 reduces, and 128 + 128 slots.
func TestBoundsByHand(t *testing.T) {
	tasks, slots := [2]int32{200, 256}, [2]int32{128, 128}
	low := 200*100./128 + 30 + (256./128-1)*50 + 256*20./128
	up := 199*100./128 + 200 + 40 + (255./128-1)*50 + 80 + 255*20./128 + 25
	require.InDelta(t, low, wordcount.Makespan(Low, tasks, slots), 1e-9)
	require.InDelta(t, up, wordcount.Makespan(Up, tasks, slots), 1e-9)
	require.InDelta(t, (low+up)/2, wordcount.Makespan(Average, tasks, slots), 1e-9)
}

// A profile covers a job if it contains a phase of each task type that the job has.
func TestCovers(t *testing.T) {
	known := Phase{1, 2}
	for p, want := range map[Profile][4]bool{ // no tasks, maps, reduces, both
		{}:                           {true, false, false, false},
		{Map: known}:                 {true, true, false, false},
		{Reduce: known}:              {true, false, true, false},
		{First: known}:               {true, false, true, false},
		{Typical: known}:             {true, false, true, false},
		{Map: known, Typical: known}: {true, true, true, true},
	} {
		for i, tasks := range [][2]int32{{0, 0}, {3, 0}, {0, 3}, {3, 3}} {
			require.Equal(t, want[i], p.Covers(tasks), "%+v %v", p, tasks)
		}
	}
}

func TestOneWaveHasNoTypicalShuffle(t *testing.T) {
	tasks := [2]int32{4, 2}
	require.InDelta(t, 200+30+20, wordcount.Makespan(Low, tasks, [2]int32{2, 2}), 1e-9)
	require.InDelta(t, 200+30+20, wordcount.Makespan(Low, tasks, [2]int32{2, 9}), 1e-9, "more slots than tasks")
	require.InDelta(t, 150+200+40+10+25, wordcount.Makespan(Up, tasks, [2]int32{2, 2}), 1e-9)
}

func TestPhasesWithoutTasks(t *testing.T) {
	require.InDelta(t, 200, wordcount.Makespan(Low, [2]int32{4, 0}, [2]int32{2, 0}), 1e-9)
	require.InDelta(t, 50, wordcount.Makespan(Low, [2]int32{0, 2}, [2]int32{0, 2}), 1e-9)
	require.Zero(t, wordcount.Makespan(Up, [2]int32{}, [2]int32{}))
	for _, p := range []Profile{wordcount, {}} {
		for _, b := range []Bound{Low, Up} {
			require.True(t, math.IsInf(p.Makespan(b, [2]int32{1, 1}, [2]int32{1, 0}), 1))
			require.True(t, math.IsInf(p.Makespan(b, [2]int32{1, 1}, [2]int32{0, 1}), 1))
		}
	}
}

// Typical shuffles are so long that all reduces must run in one wave: 10*10/SM + 10 + 10 = 70.
func TestMinSlotsForOneWaveOfReduces(t *testing.T) {
	p := Profile{Map: Phase{10, 10}, First: Phase{10, 10}, Typical: Phase{1000, 1000}, Reduce: Phase{10, 10}}
	tasks := [2]int32{10, 10}
	require.Equal(t, [2]int32{2, 10}, p.MinSlots(Low, tasks, 70, [2]int32{64, 64}))
	require.Equal(t, [2]int32{10, 9}, p.MinSlots(Low, tasks, 70, [2]int32{64, 9}), "impossible")
}

// One wave of reduces needs 2 + 10 slots, and two waves need 3 + 7: 100/3 + 500/7 + 10 - 40 <= 80.
func TestMinSlotsTakesTheSmallerSum(t *testing.T) {
	p := Profile{Map: Phase{10, 10}, First: Phase{10, 10}, Typical: Phase{40, 40}, Reduce: Phase{10, 10}}
	tasks := [2]int32{10, 10}
	require.Equal(t, [2]int32{3, 7}, p.MinSlots(Low, tasks, 80, [2]int32{64, 64}))
}

// In the symmetric case a = b = 3000 and D - c = 200, the Lagrange point is 30 + 30 slots.
func TestLagrangePoint(t *testing.T) {
	p := Profile{Map: Phase{30, 30}, Reduce: Phase{30, 30}}
	require.Equal(t, [2]int32{30, 30}, p.MinSlots(Low, [2]int32{100, 100}, 200, [2]int32{64, 64}))
}

func TestClampedSideMovesTheOther(t *testing.T) {
	p := Profile{Map: Phase{30, 30}, Reduce: Phase{30, 30}}
	got := p.MinSlots(Low, [2]int32{100, 100}, 200, [2]int32{20, 64})
	require.Equal(t, [2]int32{20, 60}, got, "3000/20 + 3000/60 = 200")
	require.Equal(t, [2]int32{60, 20}, p.MinSlots(Low, [2]int32{100, 100}, 200, [2]int32{64, 20}))
}

func TestImpossibleGoalWantsAll(t *testing.T) {
	tasks, limit := [2]int32{100, 100}, [2]int32{64, 32}
	for _, within := range []float64{-5, 0, 1, wordcount.Makespan(Average, tasks, limit)} {
		require.Equal(t, limit, wordcount.MinSlots(Average, tasks, within, limit), "%g", within)
	}
	require.Equal(t, [2]int32{3, 2}, wordcount.MinSlots(Average, [2]int32{3, 2}, 1, limit),
		"but no more than there are tasks")
}

func drawPhase(t *rapid.T, name string) Phase {
	avg := float64(rapid.IntRange(0, 1000).Draw(t, name))
	return Phase{avg, avg + float64(rapid.IntRange(0, 500).Draw(t, name+" spread"))}
}

func drawProfile(t *rapid.T) Profile {
	return Profile{drawPhase(t, "map"), drawPhase(t, "first"), drawPhase(t, "typical"), drawPhase(t, "reduce")}
}

// The test tries all possible allocations. MinSlots must meet the goal if any allocation does, and
// no allocation that meets the goal may use two slots fewer.
func TestMinSlotsAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProfile(t)
		tasks := [2]int32{rapid.Int32Range(0, 60).Draw(t, "maps"), rapid.Int32Range(0, 60).Draw(t, "reduces")}
		limit := [2]int32{rapid.Int32Range(1, 40).Draw(t, "map slots"), rapid.Int32Range(1, 40).Draw(t, "reduce slots")}
		b := Bound(rapid.IntRange(0, 2).Draw(t, "bound"))
		within := p.Makespan(b, tasks, limit) * rapid.Float64Range(0.9, 8).Draw(t, "factor")

		got := p.MinSlots(b, tasks, within, limit)
		least := int32(math.MaxInt32)
		for m := min(1, tasks[0]); m <= min(limit[0], tasks[0]); m++ {
			for r := min(1, tasks[1]); r <= min(limit[1], tasks[1]); r++ {
				if p.Makespan(b, tasks, [2]int32{m, r}) <= within*(1+slack) {
					least = min(least, m+r)
				}
			}
		}
		if least == math.MaxInt32 {
			require.Equal(t, [2]int32{min(limit[0], tasks[0]), min(limit[1], tasks[1])}, got)
			return
		}
		require.LessOrEqual(t, p.Makespan(b, tasks, got), within*(1+2*slack), "%v", got)
		require.LessOrEqual(t, got[0]+got[1], least+1, "%v", got)
	})
}

// The bounds hold for greedy schedules, which assign each task to the first free slot, in any order
// of the tasks.
func TestBoundsHoldForGreedyAssignment(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		durations := rapid.SliceOfN(rapid.IntRange(1, 1000), 1, 50).Draw(t, "durations")
		slots := make([]int, rapid.IntRange(1, 20).Draw(t, "slots"))
		var m Measure
		for _, d := range durations {
			first := 0
			for i := range slots {
				if slots[i] < slots[first] {
					first = i
				}
			}
			slots[first] += d
			m.Map(0, int64(d))
		}
		end := 0
		for _, x := range slots {
			end = max(end, x)
		}
		p, tasks, n := m.Profile(), [2]int32{int32(len(durations)), 0}, [2]int32{int32(len(slots)), 0}
		require.LessOrEqual(t, p.Makespan(Low, tasks, n), float64(end)+1e-6)
		require.GreaterOrEqual(t, p.Makespan(Up, tasks, n), float64(end)-1e-6)
	})
}

func TestBoundNames(t *testing.T) {
	for b := Average; b <= Up; b++ {
		got, ok := ParseBound(b.String())
		require.True(t, ok)
		require.Equal(t, b, got)
	}
	_, ok := ParseBound("best")
	require.False(t, ok)
}

// A map that ended at the same time as the reduce counts. A map that ended later ran again.
func TestEndBefore(t *testing.T) {
	maps := []*scheduler.Attempt{{State: job.AttemptSucceeded, Finish: 5}, {State: job.AttemptSucceeded, Finish: 9}}
	require.EqualValues(t, 5, endBefore(maps, 5, 9))
}

func TestOtherSideOfTheHyperbola(t *testing.T) {
	require.EqualValues(t, 1, form{}.other(10, 20, 15, 4, 100), "10/1 + 20/4 = 15")
	require.EqualValues(t, 1, form{}.other(0, 20, 15, 4, 100), "a phase that takes no time needs one slot")
	require.EqualValues(t, 0, form{}.other(0, 20, 15, 4, 0))
	require.EqualValues(t, 1, form{}.other(10, 0, 15, 0, 100), "a phase without tasks takes no time")
}
