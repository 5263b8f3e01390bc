package adaptive

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/suggest"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
)

// Resource is what tasks take of a node: r of the paper.
type Resource uint8

// The resources. A slot is one too: a task takes as many as it is wide.
const (
	Slot   Resource = iota
	CPU             // thousandths of a core
	Memory          // MiB
	IO              // thousandths of what a node's disks and network can do
	resources
)

// Demand is Gamma: how much of each resource a task takes. As Omega it is what a node has; there, less than 0 stands for a
// resource that the node told nothing of and that limits nothing.
type Demand [resources]int64

const unlimited = -1

// fits reports whether d can be taken from room.
func (d *Demand) fits(room *Demand) bool {
	for r, n := range d {
		if room[r] != unlimited && n > max(0, room[r]) {
			return false
		}
	}
	return true
}

// take takes n times d from room; what is taken may exceed what is there, then nothing fits until it is given back.
func (room *Demand) take(d *Demand, n int64) {
	for r := range room {
		if room[r] != unlimited {
			room[r] -= n * d[r]
			if room[r] == unlimited { // a real deficit must not look like a missing limit
				room[r]--
			}
		}
	}
}

// Phases of a job's tasks, as profiles name them.
var demandPhases = [...]string{"map", "shuffle", "reduce"}

// Keys of a job's resource profile: what one task takes in each phase. cpu in cores, memory in MiB, io in percent of what a
// node can do. Unset = not limited by this resource.
var demandKeys = [len(demandPhases)][resources]string{
	{CPU: "howdah.job.demand.map.cpu", Memory: "howdah.job.demand.map.memory", IO: "howdah.job.demand.map.io"},
	{CPU: "howdah.job.demand.shuffle.cpu", Memory: "howdah.job.demand.shuffle.memory", IO: "howdah.job.demand.shuffle.io"},
	{CPU: "howdah.job.demand.reduce.cpu", Memory: "howdah.job.demand.reduce.memory", IO: "howdah.job.demand.reduce.io"},
}

// limits of the values and what one unit of them is here.
var demandUnits = [resources]struct {
	max, unit float64
	want      string
}{
	CPU:    {1024, 1000, "a number of cores from 0 to 1024"},
	Memory: {1 << 24, 1, "MiB from 0 to 16777216"},
	IO:     {100, 10, "a percentage from 0 to 100"},
}

// demands reads a job's profile: what a map takes, and what a reduce takes. A reduce keeps its node through shuffle and reduce
// phase and cannot be moved between them, so it is placed by the larger of both.
func demands(s *job.Spec) (d [2]Demand, err error) {
	for phase, keys := range demandKeys {
		k := job.Map
		if phase > 0 {
			k = job.Reduce
		}
		for r := CPU; r < resources; r++ {
			text, ok := s.Get(keys[r])
			if !ok {
				continue
			}
			u := demandUnits[r]
			x, bad := strconv.ParseFloat(text, 64)
			if bad != nil || !(x >= 0 && x <= u.max) {
				return d, failure.New(failure.Config, "read "+keys[r]+"="+text, "job "+s.Name, errors.New("want "+u.want))
			}
			d[k][r] = max(d[k][r], int64(float64(x*u.unit)+0.5))
		}
	}
	return d, nil
}

// Check refuses what a job's configuration says of demands that cannot be used: an unknown key below howdah.job.demand, or a
// number out of range. The error is of kind Config and names key, value and source.
func Check(c *conf.Config) error {
	var known []string
	for _, keys := range demandKeys {
		for r := CPU; r < resources; r++ {
			if _, err := c.Float(keys[r], 0, 0, demandUnits[r].max); err != nil {
				return err
			}
			known = append(known, keys[r])
		}
	}
	for _, p := range c.Properties(true) {
		if !strings.HasPrefix(p.Name, "howdah.job.demand.") || slices.Contains(known, p.Name) {
			continue
		}
		err := c.Refuse(p.Name, errors.New("there is no such demand"))
		if best := suggest.Nearest(p.Name, known); best != "" {
			return err.Fix("did you mean " + best + "?")
		}
		return err.Fix("there are: " + strings.Join(known, " "))
	}
	return nil
}

// omega is what a tracker has for slots of a kind, before f(t).
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
