package lab

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/simulator/trace"
)

// A late job counts with its relative lateness. Other jobs count as zero (SimMR §V-A).
func TestExceeded(t *testing.T) {
	sum, late := Exceeded(&trace.Result{Jobs: []trace.JobResult{
		{Submit: 1000, Deadline: 3000, Finish: 4000}, // 1000 ms late, with a deadline 2000 ms after submission
		{Submit: 1000, Deadline: 3000, Finish: 3000},
		{Submit: 1000, Finish: 9000},
		{Submit: 0, Deadline: 100, Finish: 400}, // 300 ms late, with a deadline 100 ms after submission
	}})
	require.InDelta(t, 3.5, sum, 1e-12)
	require.InDelta(t, 0.5, late, 1e-12)
}
