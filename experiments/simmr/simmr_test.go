package simmr

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/generate"
)

// A repetition has the same result no matter which other repetitions run at the same time.
func TestSweepDependsOnlyOnSeed(t *testing.T) {
	jobs := generate.Testbed(1)[:4]
	run := func(workers int) *Outcome {
		s := &Sweep{Means: []float64{1, 100}, Factors: []float64{1, 3},
			Policies: []lab.Policy{{Name: "maxedf"}, {Name: "minedf"}}, Slots: Testbed, Repeat: 3, Seed: 5, Workers: workers,
			Jobs: func(seed uint64, mean float64) (*trace.Trace, error) {
				return generate.Arrive(jobs, generate.Poisson(mean*1000), seed), nil
			},
			Alone: func(ctx context.Context, j *trace.Job) (int64, error) { return lab.Alone(ctx, j, Testbed) }}
		o, err := s.Run(t.Context())
		require.NoError(t, err)
		return o
	}
	require.Equal(t, run(1).Cells, run(4).Cells)
}
