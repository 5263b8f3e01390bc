package generate

import (
	"fmt"
	"math/rand/v2"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/dist"
)

// Application is a job template with the task durations of each phase, in ms (SIM section III-A).
type Application struct {
	Name    string
	Map     dist.Dist
	First   dist.Dist // part of the first wave's shuffle that does not overlap with maps
	Typical dist.Dist // shuffle of reduces in later waves
	Reduce  dist.Dist // reduce phase, after the sort
}

// Job draws a job of the application. wave is the number of reduce slots in the cluster on which
// the job was, or could have been, recorded. The reduces with an index below wave get first
// shuffles, and all others get typical shuffles.
func (a *Application) Job(maps, reduces, wave int, r *rand.Rand) *trace.Job {
	j := &trace.Job{Name: a.Name, User: "generated", Queue: "default", Priority: job.Normal, State: job.Succeeded,
		Maps: make([]trace.Map, maps), Reduces: make([]trace.Reduce, reduces)}
	for i := range j.Maps {
		j.Maps[i].Time = millis(a.Map, r)
	}
	for i := range j.Reduces {
		shuffle := a.Typical
		if i < wave {
			shuffle = a.First
		}
		j.Reduces[i] = trace.Reduce{First: i < wave, Shuffle: millis(shuffle, r), Time: millis(a.Reduce, r)}
	}
	return j
}

// name returns the ID of the i-th job of a generated workload.
func name(i int) string { return fmt.Sprintf("job_generated_%07d", i+1) }
