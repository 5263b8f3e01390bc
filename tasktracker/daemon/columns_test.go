package daemon

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/orchestrator"
)

// What an attempt has stands at one place of all columns; columns that end early go on with zeros.
func TestColumns(t *testing.T) {
	a, b := job.Attempt{Task: job.Task{Job: 1, Type: job.Reduce, Index: 2}, N: 3}, job.Attempt{Task: job.Task{Job: 4}}
	s := toShares(&orchestrator.Report{Capacity: orchestrator.Vector{1, 2}, Tasks: []orchestrator.TaskReport{{Attempt: a},
		{Attempt: b, Usage: orchestrator.Vector{3, 4}, Allocation: orchestrator.Vector{5, 6}, Elapsed: 7, Left: 8, Answers: 9, Want: orchestrator.Vector{10, 11}}}})
	require.Equal(t, []int64{1, 2}, []int64{s.Cpu, s.Memory})
	for i, column := range [][]int64{s.CpuUsed, s.MemoryUsed, s.CpuHeld, s.MemoryHeld, s.Elapsed, s.Left, s.Answers, s.CpuWanted, s.MemoryWanted} {
		require.Equal(t, []int64{0, int64(3 + i)}, column)
	}
	require.Empty(t, fromAdvice(nil))
	require.Equal(t, []orchestrator.Advice{{Attempt: a, Epoch: 7, Verdict: [2]orchestrator.Verdict{orchestrator.Hog}, Mean: orchestrator.Vector{8}}, {Attempt: b, Epoch: 7, Pressed: true}},
		fromAdvice(&tracker.Advice{Epoch: 7, Attempt: s.Attempt, CpuVerdict: []uint32{2}, CpuMean: []int64{8, -1}, Pressed: []bool{false, true}}))
	require.Empty(t, fromLimits(nil))
	require.Equal(t, []ordered{{a, share{5, 0}}, {b, share{0, 6}}}, fromLimits(&tracker.Limits{Attempt: s.Attempt, Cpu: []int32{5}, Memory: []int32{0, 6}}))
}

func FuzzDesiredShares(f *testing.F) {
	seed, _ := proto.Marshal(&tracker.Desired{Limits: &tracker.Limits{Attempt: &tracker.Attempts{Job: []int32{1, 0, 2}, Type: []uint32{1, 9}}, Cpu: []int32{-1}},
		Advice: &tracker.Advice{Attempt: &tracker.Attempts{Job: []int32{1}}}})
	f.Add(seed)
	f.Fuzz(func(t *testing.T, b []byte) {
		d := &tracker.Desired{}
		if proto.Unmarshal(b, d) != nil {
			return
		}
		for _, o := range fromLimits(d.Limits) {
			if o.attempt.Job <= 0 || o.attempt.Index < 0 || o.attempt.N < 0 || o.attempt.Type > job.Cleanup {
				t.Fatal(o.attempt)
			}
		}
		for _, a := range fromAdvice(d.Advice) {
			if a.Attempt.Job <= 0 || a.Mean[0] < 0 || a.Mean[1] < 0 || a.Target < 0 {
				t.Fatal(a)
			}
		}
	})
}
