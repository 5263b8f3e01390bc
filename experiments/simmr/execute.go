package simmr

import (
	"bytes"
	"context"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/simulator"
	"github.com/howdah/howdah/simulator/trace"
)

// Workers is the simulated testbed of the paper: 64 TaskTrackers with one slot of each kind, and
// Hadoop 0.20.2's heartbeats every 3 s.
var Workers = Cluster{Trackers: 64, Slots: [2]int32{1, 1}, Heartbeat: 3000}

// Execute simulates an execution with the JobTracker's state machine and heartbeats, and returns
// the trace that it imports from the journal.
func (c Cluster) Execute(ctx context.Context, p lab.Policy, seed uint64, src trace.Source) (*trace.Trace, error) {
	policy, err := p.New()
	if err != nil {
		return nil, err
	}
	var journal bytes.Buffer
	_, err = simulator.Run(ctx, simulator.Config{Trackers: c.Trackers, Slots: c.Slots, Heartbeat: c.Heartbeat,
		WaitForWork: c.WaitForWork,
		Seed:        seed, Scheduler: p.Name, Policy: policy, Journal: &journal}, src)
	if err != nil {
		return nil, err
	}
	return FromJournal("execution", journal.Bytes())
}
