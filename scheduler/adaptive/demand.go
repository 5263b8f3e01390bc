package adaptive

import (
	"errors"
	"slices"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/suggest"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
)

// A Resource is a resource that tasks consume on a node (r in the paper).
type Resource uint8

// The resources. Slots count as a resource. A task takes as many slots as its width.
const (
	Slot   Resource = iota
	CPU             // thousandths of a core
	Memory          // MiB
	IO              // thousandths of the node's disk and network capacity
	resources
)

// A Demand is an amount of each resource. It is either what a task takes (Gamma in the paper), or
// what a node offers or still has free (Omega). In an Omega, the value unlimited stands for a
// resource that the node did not report. Any other negative value is a deficit.
type Demand [resources]int64

const unlimited = -1

// fits reports whether d fits into room.
func (d *Demand) fits(room *Demand) bool {
	for r, n := range d {
		if room[r] != unlimited && n > max(0, room[r]) {
			return false
		}
	}
	return true
}

// take subtracts n times d from room. A negative result is a deficit. No task that needs the
// resource fits until the deficit is gone.
func (room *Demand) take(d *Demand, n int64) {
	for r := range room {
		if room[r] != unlimited {
			room[r] -= n * d[r]
			if room[r] == unlimited { // keep a deficit distinct from unlimited
				room[r]--
			}
		}
	}
}

// demandPhases names the phases of a job's tasks in resource profiles.
var demandPhases = [...]string{"map", "shuffle", "reduce"}

// demandKeys lists the keys of a job's resource profile by phase and resource. Each key sets the
// demand of one task. CPU is in cores, memory in MiB, and I/O in percent of the node's capacity. An
// unset key means that the resource does not limit the task.
var demandKeys = [len(demandPhases)][resources]*conf.Float{
	{CPU: &conf.JobDemandMapCPU, Memory: &conf.JobDemandMapMemory, IO: &conf.JobDemandMapIO},
	{CPU: &conf.JobDemandShuffleCPU, Memory: &conf.JobDemandShuffleMemory, IO: &conf.JobDemandShuffleIO},
	{CPU: &conf.JobDemandReduceCPU, Memory: &conf.JobDemandReduceMemory, IO: &conf.JobDemandReduceIO},
}

// demandUnits holds the factors that convert the units of the keys to the units of a Demand.
var demandUnits = [resources]float64{CPU: 1000, Memory: 1, IO: 10}

// demands reads the demands of a job's maps and reduces from its profile. A reduce stays on its
// node for the shuffle and reduce phases, so the larger of the two demands counts. If a setting is
// invalid, demands returns an error and zero demands.
func demands(s *job.Spec) (d [2]Demand, err error) {
	for phase, keys := range demandKeys {
		k := job.Map
		if phase > 0 {
			k = job.Reduce
		}
		for r := CPU; r < resources; r++ {
			text, ok := s.Get(keys[r].Name)
			if !ok {
				continue
			}
			x, bad := keys[r].Parse(text)
			if bad != nil {
				return [2]Demand{}, failure.New(failure.Config, "read "+keys[r].Name+"="+text, "job "+s.Name, bad)
			}
			d[k][r] = max(d[k][r], int64(float64(x*demandUnits[r])+0.5))
		}
	}
	return d, nil
}

// Check rejects a job configuration with an unknown key under howdah.job.demand, or an invalid
// value for a known one. The error is of kind Config and names the key, the value, and the source.
func Check(c *conf.Config) error {
	var known []string
	for _, keys := range demandKeys {
		for r := CPU; r < resources; r++ {
			if _, err := keys[r].Get(c); err != nil {
				return err
			}
			known = append(known, keys[r].Name)
		}
	}
	for _, p := range c.Properties(true) {
		if !strings.HasPrefix(p.Name, "howdah.job.demand.") || slices.Contains(known, p.Name) {
			continue
		}
		err := c.Refuse(p.Name, errors.New("the demand does not exist"))
		if best := suggest.Nearest(p.Name, known); best != "" {
			return err.Fix("did you mean " + best + "?")
		}
		return err.Fix("use one of: " + strings.Join(known, " "))
	}
	return nil
}

// omega returns the resources that the tracker offers, before f(t) applies. It includes only slots
// of type k.
func omega(t *scheduler.Tracker, k job.TaskType) Demand {
	d := Demand{Slot: int64(t.Slots[k]), CPU: unlimited, Memory: unlimited, IO: 1000}
	if t.VCores > 0 {
		d[CPU] = int64(t.VCores) * 1000
	}
	if t.Memory > 0 {
		d[Memory] = int64(t.Memory)
	}
	return d
}
