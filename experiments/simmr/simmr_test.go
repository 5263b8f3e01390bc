package simmr

import (
	"context"
	"errors"
	"math"
	"os"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/generate"
)

// SIM section V-A: jobs that are late count with their relative lateness, others with nothing.
func TestExceeded(t *testing.T) {
	sum, late := Exceeded(&trace.Result{Jobs: []trace.JobResult{
		{Submit: 1000, Deadline: 3000, Finish: 4000}, // 1000 late of 2000
		{Submit: 1000, Deadline: 3000, Finish: 3000},
		{Submit: 1000, Finish: 9000},
		{Submit: 0, Deadline: 100, Finish: 400}, // 300 of 100
	}})
	require.InDelta(t, 3.5, sum, 1e-12)
	require.InDelta(t, 0.5, late, 1e-12)
}

func TestIntervals(t *testing.T) {
	i := MeanOf([]float64{1, 2, 3, 4, 5})
	require.InDelta(t, 3, i.Mean, 1e-12)
	require.InDelta(t, 2.776*math.Sqrt(2.5/5), i.Half, 1e-3) // t of 4 degrees of freedom
	require.True(t, math.IsInf(MeanOf([]float64{1}).Half, 1))
	d := Difference([]float64{3, 5, 8}, []float64{1, 3, 6})
	require.Equal(t, Interval{2, 0}, d)
	r := Ratio([]float64{2, 4, 6}, []float64{1, 2, 3})
	require.InDelta(t, 2, r.Mean, 1e-12)
	require.InDelta(t, 0, r.Half, 1e-12)
}

func TestParallel(t *testing.T) {
	var sum atomic.Int64
	require.NoError(t, Parallel(t.Context(), 3, 100, func(_ context.Context, i int) error {
		sum.Add(int64(i))
		return nil
	}))
	require.EqualValues(t, 4950, sum.Load())
	require.ErrorIs(t, Parallel(t.Context(), 3, 100, func(_ context.Context, i int) error {
		if i == 7 {
			return os.ErrInvalid
		}
		return nil
	}), os.ErrInvalid)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	require.True(t, errors.Is(Parallel(gone, 3, 100, func(context.Context, int) error { return nil }), context.Canceled))
}

// One repetition is the same whatever runs beside it.
func TestSweepHangsOnTheSeedAlone(t *testing.T) {
	jobs := generate.Testbed(1)[:4]
	run := func(workers int) *Outcome {
		s := &Sweep{Means: []float64{1, 100}, Factors: []float64{1, 3}, Policies: []Policy{{Name: "maxedf"}, {Name: "minedf"}}, Slots: Testbed, Repeat: 3, Seed: 5, Workers: workers,
			Jobs: func(seed uint64, mean float64) (*trace.Trace, error) {
				return generate.Arrive(jobs, generate.Poisson(mean*1000), seed), nil
			},
			Alone: func(ctx context.Context, j *trace.Job) (int64, error) { return Alone(ctx, j, Testbed) }}
		o, err := s.Run(t.Context())
		require.NoError(t, err)
		return o
	}
	require.Equal(t, run(1).Cells, run(4).Cells)
}

// What the replay is given shows neither when nor where tasks ran, and the original stays as it was.
func TestReplaysAreBlind(t *testing.T) {
	from := &trace.Trace{Jobs: []*trace.Job{{Submit: 5, Finish: 90, Maps: []trace.Map{{Time: 7, Start: 6, Host: "h", Hosts: []string{"g"}}}, Reduces: []trace.Reduce{{First: true, Shuffle: 1, Time: 2, Start: 8, Host: "h"}}}}}
	got := stripped(from).Jobs[0]
	require.Equal(t, &trace.Job{Submit: 5, Maps: []trace.Map{{Time: 7}}, Reduces: []trace.Reduce{{First: true, Shuffle: 1, Time: 2}}}, got)
	require.EqualValues(t, 6, from.Jobs[0].Maps[0].Start)
	require.EqualValues(t, 90, from.Jobs[0].Finish)
}
