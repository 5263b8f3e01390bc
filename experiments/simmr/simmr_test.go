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
func TestSweepHangsOnTheSeedAlone(t *testing.T) {
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

// The input of a replay does not include when or where tasks ran. The original trace does not
// change.
func TestReplaysAreBlind(t *testing.T) {
	from := &trace.Trace{Jobs: []*trace.Job{{Submit: 5, Finish: 90,
		Maps:    []trace.Map{{Time: 7, Start: 6, Host: "h", Hosts: []string{"g"}}},
		Reduces: []trace.Reduce{{First: true, Shuffle: 1, Time: 2, Start: 8, Host: "h"}}}}}
	got := stripped(from).Jobs[0]
	require.Equal(t, &trace.Job{Submit: 5, Maps: []trace.Map{{Time: 7}},
		Reduces: []trace.Reduce{{First: true, Shuffle: 1, Time: 2}}}, got)
	require.EqualValues(t, 6, from.Jobs[0].Maps[0].Start)
	require.EqualValues(t, 90, from.Jobs[0].Finish)
}
