package estimate

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var wordcount = Profile{Map: Phase{100, 200}, First: Phase{30, 40}, Typical: Phase{50, 80}, Reduce: Phase{20, 25}}

// The bounds as printed in SIM section V-A, evaluated by hand: 200 maps, 256 reduces, 128 + 128 slots.
func TestBoundsByHand(t *testing.T) {
	tasks, slots := [2]int32{200, 256}, [2]int32{128, 128}
	low := 200*100./128 + 30 + (256./128-1)*50 + 256*20./128
	up := 199*100./128 + 200 + 40 + (255./128-1)*50 + 80 + 255*20./128 + 25
	require.InDelta(t, low, wordcount.Makespan(Low, tasks, slots), 1e-9)
	require.InDelta(t, up, wordcount.Makespan(Up, tasks, slots), 1e-9)
	require.InDelta(t, (low+up)/2, wordcount.Makespan(Average, tasks, slots), 1e-9)
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
	require.True(t, math.IsInf(wordcount.Makespan(Low, [2]int32{4, 2}, [2]int32{2, 0}), 1))
}

// Lagrange's point in the symmetric case: a = b = 3000 and D - c = 200 want 30 + 30 slots.
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
	require.Equal(t, [2]int32{3, 2}, wordcount.MinSlots(Average, [2]int32{3, 2}, 1, limit), "but no more than there are tasks")
}

func drawPhase(t *rapid.T, name string) Phase {
	avg := float64(rapid.IntRange(0, 1000).Draw(t, name))
	return Phase{avg, avg + float64(rapid.IntRange(0, 500).Draw(t, name+" spread"))}
}

func drawProfile(t *rapid.T) Profile {
	return Profile{drawPhase(t, "map"), drawPhase(t, "first"), drawPhase(t, "typical"), drawPhase(t, "reduce")}
}

// Against all allocations there are: MinSlots meets the goal if any does, and no other takes two slots less.
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

// The bounds hold for what they bound: tasks that are given, longest last or first, to the slot that is free first.
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
