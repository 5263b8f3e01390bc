package daemon

import (
	"context"

	"github.com/howdah/howdah/internal/trend"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/jobtracker"
)

// Trend returns how many slots the cluster and each pool have used since the JobTracker started. The
// names of the series are "map slots" and "reduce slots" and, with "pool " and the pool's name before
// them, those of the pools.
func (d *Daemon) Trend() trend.Record { return d.trend.Record() }

// recordTrend samples the use of slots.
func (d *Daemon) recordTrend(ctx context.Context) error {
	return d.trend.Run(ctx, func(ctx context.Context) (map[string]trend.Value, error) {
		return look(ctx, d.owner, func(m *jobtracker.Machine) (map[string]trend.Value, error) { return slotUse(m), nil })
	})
}

// slotUse returns the slots in use, with the total as the limit, and for each pool its slots, with its
// share as the limit.
func slotUse(m *jobtracker.Machine) map[string]trend.Value {
	c, out := m.Cluster(), map[string]trend.Value{}
	for _, k := range []job.TaskType{job.Map, job.Reduce} {
		out[slotNames[k]] = trend.Value{Used: float32(c.Used[k]), Limit: float32(c.Slots[k])}
	}
	for _, g := range groups(m) {
		for _, k := range []job.TaskType{job.Map, job.Reduce} {
			name := "pool " + g.Name + ", " + slotNames[k]
			if g.Memory {
				name = "pool " + g.Name + ", MiB"
			}
			out[name] = trend.Value{Used: float32(g.Running[k]), Limit: float32(g.Fair[k]),
				Borrowed: float32(max(g.Borrowed[k], g.Running[k]-g.Fair[k], 0))}
			if g.Memory {
				break // maps and reduces together
			}
		}
	}
	return out
}

var slotNames = [2]string{"map slots", "reduce slots"}
