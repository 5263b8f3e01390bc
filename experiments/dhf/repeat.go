package dhf

import (
	"context"

	"github.com/howdah/howdah/experiments/lab"
)

// Times holds makespans in ms by policy and repetition.
type Times [][]float64

// Repeat simulates the same jobs n times under each policy. The task times differ between repetitions
// but not between policies.
func (c Cluster) Repeat(ctx context.Context, r *lab.Run, policies []lab.Policy, n int, work ...Work) (Times, error) {
	t := make(Times, len(policies))
	for p := range t {
		t[p] = make([]float64, n)
	}
	r.Executions += n * len(policies)
	err := lab.Parallel(ctx, r.Workers, n*len(policies), func(ctx context.Context, i int) error {
		p, seed := i%len(policies), r.Seed+uint64(i/len(policies))
		result, err := c.Run(ctx, policies[p], seed, Trace(seed, work...))
		if err == nil {
			t[p][i/len(policies)] = float64(result.Makespan)
		}
		return err
	})
	return t, err
}
