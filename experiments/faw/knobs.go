package faw

import (
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
)

// Knobs records choices about the model that the paper leaves open.
func Knobs(r *lab.Run, m Model) {
	r.Knob("disk speed of a node (MB/s)", m.Disk)
	if m.WAN > 0 {
		r.Knob("network bandwidth between the physical clusters (MB/s)", m.WAN)
	}
	r.Knob("CPU time of tasks", "not published. On core nodes, the CPU limits WC, PR, and TT, while disks limit ST, AH, "+
		"and KM's last job")
	r.Knob("spread of task times", fmt.Sprintf("lognormal with sigma %g, as in public traces of real clusters", m.Sigma))
	r.Knob("disk contention", "a wave takes at least as long as the nodes' disks need to serve or store "+
		"its data")
}

// PoolKnobs records choices about a pool that the paper leaves open.
func PoolKnobs(r *lab.Run, p Pool) {
	Knobs(r, p.Model)
	r.Knob("T (ms)", p.Interval)
	r.Knob("idle time before an MR-cluster counts as inactive (ms)", max(p.Idle, p.Interval))
	r.Knob("time to start a node's daemons (ms)", StartTime)
	r.Knob("loading rate from external storage (MB/s)", LoadRate)
}
