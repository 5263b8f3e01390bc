package simmr

import (
	"bytes"
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/simulator/tasklevel"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/generate"
)

// sim1 reproduces figures 1 to 3 of SimMR. It runs a job with two slot allocations; the smaller one
// results in more waves of tasks.
var sim1 = &lab.Experiment{
	ID: "SIM-1", Paper: Paper, BibTeX: BibTeX, Sim: sim1Sim, Real: sim1Real,
}

// size is a job's number of tasks and its two allocations, in slots of each kind.
type size struct {
	maps, reduces int
	slots         [2]int32
}

var sim1Paper = size{200, 256, [2]int32{128, 64}}

func sim1Sim(ctx context.Context, r *lab.Run) error {
	r.Knob("workers", "64 with 2 + 2 slots each, as in section II (section IV uses 1 + 1)")
	r.Knob("durations", "assumed (simulator/trace/generate), because the paper's traces were never published")
	var runs [2]*execution
	for i, slots := range sim1Paper.slots {
		journal, err := sim1Simulate(ctx, r.Seed, slots)
		if err != nil {
			return err
		}
		if runs[i], err = read(journal, 1); err != nil {
			return err
		}
		r.Executions++
	}
	sim1Report(r, sim1Paper, runs)
	return nil
}

// sim1Simulate runs WordCount under FIFO with at most the given number of slots of each kind, and
// returns the journal.
func sim1Simulate(ctx context.Context, seed uint64, slots int32) ([]byte, error) {
	app := generate.TestbedApplications()[0]
	j := app.Job(sim1Paper.maps, sim1Paper.reduces, int(sim1Paper.slots[0]), generate.Stream(seed, "sim1", 0))
	limit := fmt.Sprint(slots)
	j.Conf = []job.Property{{Name: "mapreduce.job.running.map.limit", Value: limit},
		{Name: "mapreduce.job.running.reduce.limit", Value: limit}}
	policy, err := lab.Policy{Name: "fifo"}.New()
	if err != nil {
		return nil, err
	}
	var journal bytes.Buffer
	_, err = tasklevel.Run(ctx, tasklevel.Config{Slots: [2]int32{sim1Paper.slots[0], sim1Paper.slots[0]}, Trackers: 64,
		Scheduler: "fifo", Policy: policy, Seed: seed, Journal: &journal},
		(&trace.Trace{Jobs: []*trace.Job{j}}).Source())
	return journal.Bytes(), err
}
