package daemon

import (
	"context"

	"github.com/howdah/howdah/internal/trend"
)

// Trend returns how many nodes each MR-cluster has had since the manager started, with its target as
// the limit.
func (m *Manager) Trend() trend.Record { return m.trend.Record() }

// recordTrend samples the sizes of the MR-clusters.
func (m *Manager) recordTrend(ctx context.Context) error {
	return m.trend.Run(ctx, func(ctx context.Context) (map[string]trend.Value, error) {
		return ask(ctx, m.owner, func() (map[string]trend.Value, error) {
			out := map[string]trend.Value{}
			for _, c := range m.owner.m.View().Clusters {
				out[c.Spec.Name] = trend.Value{Used: float32(c.Held + c.Leaving), Limit: float32(c.Target)}
			}
			return out, nil
		})
	})
}
