package orchestrator

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/heartbeat"
)

func TestLimits(t *testing.T) {
	a, b := job.Attempt{N: 1}, job.Attempt{N: 2}
	got := Limits([]Decision{
		{Attempt: a, Resource: CPU, To: 504, Reason: "x"},
		{Attempt: a, Resource: Memory, To: 300, Reason: "y"},
		{Attempt: b, Resource: CPU, To: 3, Reason: "z"},
	}, nil, func(id job.Attempt) (int32, int32) { return 7, int32(id.N) })
	require.Equal(t, []heartbeat.Limit{
		{Attempt: a, CPU: 500, Memory: 300, Why: "cpu: x; memory: y"},
		{Attempt: b, CPU: 10, Memory: 2, Why: "cpu: z"},
	}, got)
}
