// Package sim1 repeats figures 1 to 3 of SimMR: one job with two allocations of slots runs in more or fewer waves, and its phases
// take as long.
package sim1

import (
	"bytes"
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/simmr"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/simulator/tasklevel"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/generate"
)

// Experiment is SIM-1.
var Experiment = &lab.Experiment{
	ID: "SIM-1", Paper: simmr.Paper, Item: "Figures 1, 2 and 3", BibTeX: simmr.BibTeX,
	Claim:    "WordCount with 200 maps and 256 reduces runs in 2 + 2 waves on 128 + 128 slots and in 4 + 4 on 64 + 64; the first shuffle overlaps with the maps; the durations of the phases are alike",
	Relation: "waves = ceil(N/S); the shuffle of the first wave is longer than that of later ones; map, typical shuffle and reduce have the same distribution in both runs (Kolmogorov-Smirnov, 5%)",
	Sim:      sim,
	Real:     real,
}

// size is a job and its two allocations, of so many slots of each kind.
type size struct {
	maps, reduces int
	slots         [2]int32
}

var paper = size{200, 256, [2]int32{128, 64}}

func sim(ctx context.Context, r *lab.Run) error {
	r.Knob("workers", "64 with 2 + 2 slots (section II; section IV has 1 + 1)")
	r.Knob("durations", "assumed: the paper's traces were never published (simulator/trace/generate)")
	var runs [2]*execution
	for i, slots := range paper.slots {
		journal, err := simulate(ctx, r.Seed, slots)
		if err != nil {
			return err
		}
		if runs[i], err = read(journal, 1); err != nil {
			return err
		}
		r.Executions++
	}
	report(r, paper, runs)
	return nil
}

// simulate runs WordCount under FIFO with a requested number of slots.
func simulate(ctx context.Context, seed uint64, slots int32) ([]byte, error) {
	app := generate.TestbedApplications()[0]
	j := app.Job(paper.maps, paper.reduces, int(paper.slots[0]), generate.Stream(seed, "sim1", 0))
	limit := fmt.Sprint(slots)
	j.Conf = []job.Property{{Name: "mapreduce.job.running.map.limit", Value: limit}, {Name: "mapreduce.job.running.reduce.limit", Value: limit}}
	policy, err := simmr.Policy{Name: "fifo"}.New()
	if err != nil {
		return nil, err
	}
	var journal bytes.Buffer
	_, err = tasklevel.Run(ctx, tasklevel.Config{Slots: [2]int32{paper.slots[0], paper.slots[0]}, Trackers: 64, Scheduler: "fifo", Policy: policy, Seed: seed, Journal: &journal},
		(&trace.Trace{Jobs: []*trace.Job{j}}).Source())
	return journal.Bytes(), err
}
