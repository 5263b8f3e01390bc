package daemon

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/heartbeat"
)

// TestColumns checks that an attempt has the same index in all columns. It also checks that missing
// values at the end of a column count as zeros.
func TestColumns(t *testing.T) {
	a, b := job.Attempt{Task: job.Task{Job: 1, Type: job.Reduce, Index: 2}, N: 3}, job.Attempt{Task: job.Task{Job: 4}}
	s := toShares(&heartbeat.Shares{Capacity: heartbeat.Vector{1, 2}, Tasks: []heartbeat.TaskShare{{Attempt: a},
		{Attempt: b, Usage: heartbeat.Vector{3, 4}, Allocation: heartbeat.Vector{5, 6}, Elapsed: 7, Left: 8, Answers: 9,
			Want: heartbeat.Vector{10, 11}}}})
	require.Equal(t, []int64{1, 2}, []int64{s.Cpu, s.Memory})
	for i, column := range [][]int64{s.CpuUsed, s.MemoryUsed, s.CpuHeld, s.MemoryHeld, s.Elapsed, s.Left, s.Answers,
		s.CpuWanted, s.MemoryWanted} {
		require.Equal(t, []int64{0, int64(3 + i)}, column)
	}
	require.Nil(t, toShares(nil))
	require.Empty(t, fromAdvice(nil))
	require.Equal(t, []heartbeat.Advice{{Attempt: a, Epoch: 7, Verdict: [2]heartbeat.Verdict{heartbeat.Hog},
		Mean: heartbeat.Vector{8}}, {Attempt: b, Epoch: 7, Pressed: true}},
		fromAdvice(&tracker.Advice{Epoch: 7, Attempt: s.Attempt, CpuVerdict: []uint32{2}, CpuMean: []int64{8, -1},
			Pressed: []bool{false, true}}))
	require.Empty(t, fromLimits(nil))
	require.Equal(t, []heartbeat.Limit{{Attempt: a, CPU: 5}, {Attempt: b, Memory: 6}},
		fromLimits(&tracker.Limits{Attempt: s.Attempt, Cpu: []int32{5}, Memory: []int32{0, 6}}))
}

func FuzzDesiredShares(f *testing.F) {
	seed, _ := proto.Marshal(&tracker.Desired{Limits: &tracker.Limits{Attempt: &tracker.Attempts{Job: []int32{1, 0, 2},
		Type: []uint32{1, 9}}, Cpu: []int32{-1}}, Advice: &tracker.Advice{Attempt: &tracker.Attempts{Job: []int32{1}}}})
	f.Add(seed)
	f.Fuzz(func(t *testing.T, b []byte) {
		d := &tracker.Desired{}
		if proto.Unmarshal(b, d) != nil {
			return
		}
		for _, o := range fromLimits(d.Limits) {
			if o.Attempt.Job <= 0 || o.Attempt.Index < 0 || o.Attempt.N < 0 || o.Attempt.Type > job.Cleanup {
				t.Fatal(o.Attempt)
			}
		}
		for _, a := range fromAdvice(d.Advice) {
			if a.Attempt.Job <= 0 || a.Mean[0] < 0 || a.Mean[1] < 0 || a.Target < 0 {
				t.Fatal(a)
			}
		}
	})
}
