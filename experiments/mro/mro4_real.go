package mro

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
)

// mro4Real runs the testbed's jobs on its nodes as they are, and on nodes with as much CPU but only two
// tasks each, as many as the paper's nodes have virtual machines.
func mro4Real(ctx context.Context, r *lab.Run) error {
	const pairs = 5
	virtual := Bed
	virtual.Slots = [2]int32{1, 1}
	Bed.Knobs(r)
	r.Knob("virtualized cluster", fmt.Sprintf("the same nodes with %d+%d slots; a control group stands for a virtual "+
		"machine, so an idle one lends CPU and memory, and a task's share of the CPU is a weight, not a cap",
		virtual.Slots[0], virtual.Slots[1]))
	modes := []Mode{base, realRuns[2]}
	var out [2][][]*Outcome
	for range pairs { // changes on the machine over time affect both clusters alike
		for i, b := range []*Testbed{&Bed, &virtual} {
			once, err := b.interleaved(ctx, r, modes, 1)
			if err != nil {
				return err
			}
			if out[i] == nil {
				out[i] = make([][]*Outcome, len(modes))
			}
			for k := range modes {
				out[i][k] = append(out[i][k], once[k]...)
			}
		}
	}
	var gain [2][]float64
	for i, name := range []string{"native", "virtual"} {
		Bed.show(r, name+"-", modes, out[i])
		gain[i] = gains(out[i][0], out[i][1])
	}
	r.Compare("virtual-regression", lab.IntervalOf(gain[1]), "the mean over the jobs")
	r.Compare("native-virtual", lab.Difference(gain[0], gain[1]), "REGRESSION")
	return nil
}
