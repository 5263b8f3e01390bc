package simmr

import (
	"bytes"
	"context"

	"github.com/howdah/howdah/simulator"
	"github.com/howdah/howdah/simulator/trace"
)

// Workers is the paper's testbed as the simulator runs it: 64 TaskTrackers with one slot of each kind, and Hadoop 0.20.2's
// beats every 3 s.
var Workers = Cluster{Trackers: 64, Slots: [2]int32{1, 1}, Heartbeat: 3000}

// Execute stands in for an execution: it runs jobs on the cluster's machines with beats, and gives what an import of the
// journal finds. What a replay then misses is what beats, waits and the order of things add to the times of the tasks.
func (c Cluster) Execute(ctx context.Context, p Policy, seed uint64, src trace.Source) (*trace.Trace, error) {
	policy, err := p.New()
	if err != nil {
		return nil, err
	}
	var journal bytes.Buffer
	_, err = simulator.Run(ctx, simulator.Config{Trackers: c.Trackers, Slots: c.Slots, Heartbeat: c.Heartbeat, WaitForWork: c.WaitForWork,
		Seed: seed, Scheduler: p.Name, Policy: policy, Journal: &journal}, src)
	if err != nil {
		return nil, err
	}
	return FromJournal("execution", journal.Bytes())
}
