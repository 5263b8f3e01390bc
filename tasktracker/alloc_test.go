package tasktracker

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
)

// TestBeatsAllocateNothing checks that heartbeats and children's progress messages allocate no
// memory.
func TestBeatsAllocateNothing(t *testing.T) {
	d := started(20)
	answer := desired(0, 20)
	p := &Progress{Phase: job.PhaseMap, Builtin: []BuiltinValue{{job.MapInputRecords, 1}}, Alive: true}
	beat := func() {
		d.now += 1000
		for c := range int32(20) {
			d.step(Input{Kind: InProgress, Child: c + 1, Progress: p})
		}
		d.step(Input{})
		answer.Seq = d.m.seq
		d.step(Input{Kind: InDesired, Desired: answer})
	}
	beat()
	require.Zero(t, testing.AllocsPerRun(100, beat))
}
