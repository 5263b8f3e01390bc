package generate

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/scheduler/adaptive"
	"github.com/howdah/howdah/simulator/trace/dist"
)

// TestSharedClusterHasTheRatesOfTableI checks that about 15 jobs of 62 tasks each arrive per hour
// at load 1 and without a transactional workload (RA Table I). With half of the nodes, load 0.2
// must mean 1.5 jobs per hour.
func TestSharedClusterHasTheRatesOfTableI(t *testing.T) {
	full := collect(t, Shared{Seed: 1}.Source())
	require.InEpsilon(t, 15*7*24, len(full), 0.06)
	tasks := 0
	for _, j := range full {
		tasks += len(j.Maps)
	}
	require.InEpsilon(t, 62, float64(tasks)/float64(len(full)), 0.02)
	few := collect(t, Shared{Seed: 1, Load: 0.2, F: Burstiness(3)}.Source())
	require.InDelta(t, 1.5*7*24, len(few), 50)
}

// TestSharedClusterDeadlines checks that deadlines are 1.5 to 8 times the duration of the job alone
// on the cluster, in waves of 100 tasks.
func TestSharedClusterDeadlines(t *testing.T) {
	lowest, highest := 99.0, 0.0
	for _, j := range collect(t, Shared{Seed: 2, Tasks: dist.LogNormalOf(62, 300)}.Source()) {
		alone := math.Ceil(float64(len(j.Maps))/100) * 387e3
		f := float64(j.Deadline-j.Submit) / alone
		lowest, highest = min(lowest, f), max(highest, f)
	}
	require.InDelta(t, 1.5, lowest, 0.05)
	require.InDelta(t, 8, highest, 0.05)
}

func TestSharedClusterIsDecidedByItsSeed(t *testing.T) {
	a, b := collect(t, Shared{Seed: 3, Spread: 0.2}.Source()), collect(t, Shared{Seed: 3, Spread: 0.2}.Source())
	require.Equal(t, a, b)
	require.NotEqual(t, a[0].Maps[0].Time, a[0].Maps[1].Time)
	require.NotEqual(t, a[0].Submit, collect(t, Shared{Seed: 4}.Source())[0].Submit)
}

// TestAvailability checks that f(t) has its minimum at hour 18, that levels differ only in
// amplitude, and that the schedulers can parse it.
func TestAvailability(t *testing.T) {
	for level := 1; level <= 3; level++ {
		f := Burstiness(level)
		lowest, sum := 2.0, 0.0
		for h := range int64(24) {
			lowest = min(lowest, f.At(h*hour))
			sum += f.At(h*hour) / 24
		}
		require.InDelta(t, f.At(leastHour*hour), lowest, 1e-9)
		require.InDelta(t, 0.5, sum, 1e-9)
		require.InDelta(t, 0.5-0.4*float64(level)/3, lowest, 1e-9)
		require.InDelta(t, f.At(5*hour), f.At(29*hour), 1e-9)
		_, err := adaptive.ParseCurves("f(t)", []byte(f.Points()))
		require.NoError(t, err)
	}
	require.Equal(t, 1.0, Burstiness(0).At(12345))
	steep := Availability{Mean: 0.5, Amplitude: 0.4, Ramp: 4}
	for h, want := range map[float64]float64{-10: 0.1, 0: 0.5, 2: 0.9, 10: 0.9, 11: 0.7, 12: 0.5, 14: 0.1, 18: 0.1,
		22: 0.1, 23: 0.3, 24: 0.5, 26: 0.9, 37: 0.3} {
		require.InDelta(t, want, steep.At(int64(h*hour)), 1e-9, "hour %g", h)
	}
	require.Equal(t, 1.0, Burstiness(0).Average())
	require.Equal(t, 0.5, Burstiness(2).Average())
}
