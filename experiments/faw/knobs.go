package faw

import (
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
)

// Knobs notes what the paper leaves open.
func Knobs(r *lab.Run, m Model) {
	r.Knob("disk of a node (MB/s)", m.Disk)
	if m.WAN > 0 {
		r.Knob("network between the physical clusters (MB/s)", m.WAN)
	}
	r.Knob("CPU time of tasks", "not published; WC, PR and TT are bound by it on core nodes, ST, AH and the last job of KM by disks")
	r.Knob("spread of task times", fmt.Sprintf("lognormal, sigma %g, as in public traces of real clusters", m.Sigma))
	r.Knob("tasks that share disks", "a wave takes at least what its bytes take on the disks of the nodes that serve or store them")
}

// PoolKnobs notes what the paper leaves open of a pool.
func PoolKnobs(r *lab.Run, p Pool) {
	Knobs(r, p.Model)
	r.Knob("T (ms)", p.Interval)
	r.Knob("inactive after (ms without a job)", max(p.Idle, p.Interval))
	r.Knob("time to start a node's daemons (ms)", StartTime)
	r.Knob("loading from external storage (MB/s)", LoadRate)
}
