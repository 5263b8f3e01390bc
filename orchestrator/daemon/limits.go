// Package daemon holds what drivers of MROrchestrator's machines share: the JobTracker's daemon and the simulator.
package daemon

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/orchestrator"
)

// Grain is what weights of CPU are multiples of, in thousandths of a core: the kernel knows no finer ones.
const Grain = 10

// Limits turns decisions, which are about one resource each, into limits of attempts; known tells the ones that an attempt has.
func Limits(decisions []orchestrator.Decision, out []jobtracker.Limit, known func(job.Attempt) (cpu, memory int32)) []jobtracker.Limit {
	for i := range decisions {
		d := &decisions[i]
		l := jobtracker.Limit{Attempt: d.Attempt}
		if k := len(out); k > 0 && out[k-1].Attempt == d.Attempt {
			l, out = out[k-1], out[:k-1]
			l.Why += "; "
		} else {
			l.CPU, l.Memory = known(d.Attempt)
		}
		if d.Resource == orchestrator.CPU {
			l.CPU = int32(max(Grain, (d.To+Grain/2)/Grain*Grain))
		} else {
			l.Memory = int32(d.To)
		}
		l.Why += d.Resource.String() + ": " + d.Reason
		out = append(out, l)
	}
	return out
}
