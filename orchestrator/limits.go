package orchestrator

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/heartbeat"
)

// Grain is the unit of CPU weights, in thousandths of a core. A core is a cgroup weight of 100, and
// these weights are integers.
const Grain = 10

// Limits appends to out the limits that result from decisions. A decision changes one resource of
// an attempt. Limits combines consecutive decisions for the same attempt. known must return the
// attempt's current limits for both resources.
func Limits(decisions []Decision, out []heartbeat.Limit,
	known func(job.Attempt) (cpu, memory int32)) []heartbeat.Limit {
	for i := range decisions {
		d := &decisions[i]
		l := heartbeat.Limit{Attempt: d.Attempt}
		if k := len(out); k > 0 && out[k-1].Attempt == d.Attempt {
			l, out = out[k-1], out[:k-1]
			l.Why += "; "
		} else {
			l.CPU, l.Memory = known(d.Attempt)
		}
		if d.Resource == CPU {
			l.CPU = int32(max(Grain, (d.To+Grain/2)/Grain*Grain))
		} else {
			l.Memory = int32(d.To)
		}
		l.Why += d.Resource.String() + ": " + d.Reason
		out = append(out, l)
	}
	return out
}
