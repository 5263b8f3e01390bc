package daemon

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/heartbeat"
)

// An attempt has the same index in all columns.
func TestColumns(t *testing.T) {
	a, b := job.Attempt{Task: job.Task{Job: 1, Type: job.Reduce, Index: 2}, N: 3}, job.Attempt{Task: job.Task{Job: 4}}
	require.Nil(t, toLimits(nil))
	l := toLimits([]heartbeat.Limit{{Attempt: a, CPU: 5}, {Attempt: b, Memory: 6, Why: "not told"}})
	require.Equal(t, []int32{5, 0}, l.Cpu)
	require.Equal(t, []int32{0, 6}, l.Memory)
	require.Nil(t, toAdvice(nil))
	advice := toAdvice([]heartbeat.Advice{{Attempt: a, Epoch: 7},
		{Attempt: b, Epoch: 7, Verdict: [2]heartbeat.Verdict{heartbeat.Hog, heartbeat.Deficit},
			Mean: heartbeat.Vector{8, 9}, Target: 10, Whole: true, Pressed: true}})
	require.EqualValues(t, 7, advice.Epoch)
	require.Equal(t, []uint32{0, 2}, advice.CpuVerdict)
	require.Equal(t, []uint32{0, 1}, advice.MemoryVerdict)
	require.Equal(t, []int64{0, 8}, advice.CpuMean)
	require.Equal(t, []int64{0, 9}, advice.MemoryMean)
	require.Equal(t, []int64{0, 10}, advice.Target)
	require.Equal(t, []bool{false, true}, advice.Whole)
	require.Equal(t, []bool{false, true}, advice.Pressed)
	for _, column := range []*tracker.Attempts{l.Attempt, advice.Attempt} {
		for i, want := range []job.Attempt{a, b} {
			got, ok := column.At(i)
			require.True(t, ok)
			require.Equal(t, want, got)
		}
	}
	u := fromUnheld([]*tracker.Unheld{{}, {Attempt: toAttempt(a), Cpu: 1, Memory: 2, CpuHeld: 3, MemoryHeld: 4, Why: "x"}})
	require.Equal(t, []heartbeat.Unheld{{Attempt: a, CPU: 1, Memory: 2, HeldCPU: 3, HeldMemory: 4, Why: "x"}}, u)
}

// Whatever a tracker sends, the manager receives valid attempts and numbers that do not overflow.
func FuzzShares(f *testing.F) {
	seed, _ := proto.Marshal(&tracker.Shares{Cpu: 1, Attempt: &tracker.Attempts{Job: []int32{1, 0, 2},
		Type: []uint32{1, 9}}, CpuUsed: []int64{-1, 1 << 62}, Left: []int64{3}})
	f.Add(seed)
	f.Fuzz(func(t *testing.T, b []byte) {
		s := &tracker.Shares{}
		if proto.Unmarshal(b, s) != nil {
			return
		}
		for _, x := range fromShares(s).Tasks {
			if x.Attempt.Job <= 0 || x.Attempt.Index < 0 || x.Attempt.N < 0 || x.Attempt.Type > job.Cleanup {
				t.Fatal(x.Attempt)
			}
			for _, n := range []int64{x.Usage[0], x.Usage[1], x.Allocation[0], x.Allocation[1], x.Want[0], x.Want[1],
				x.Elapsed, x.Left} {
				if n < 0 || n >= 1<<31 {
					t.Fatal(n)
				}
			}
		}
	})
}
