package status

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestDeadlineText(t *testing.T) {
	now := time.UnixMilli(100_000)
	for _, c := range []struct {
		deadline, predicted, finish int64
		text                        string
		missed                      bool
	}{
		{deadline: 130_000, text: "in 30s"},
		{deadline: 130_000, predicted: 125_400, text: "slack 5s"},
		{deadline: 130_000, predicted: 192_000, text: "will be missed by 1m2s"},
		{deadline: 90_000, predicted: 110_000, text: "missed, 10s ago", missed: true},
		{deadline: 90_000, text: "missed, 10s ago", missed: true},
		{deadline: 90_000, finish: 80_000, text: "met with 10s to spare"},
		{deadline: 90_000, finish: 92_000, text: "missed by 2s", missed: true},
	} {
		j := &Job{DeadlineMs: c.deadline, PredictedFinishMs: c.predicted, FinishMs: c.finish}
		require.Equal(t, c.text, j.DeadlineText(now))
		require.Equal(t, c.missed, j.Missed(now))
	}
	_, known := (&Job{PredictedFinishMs: 5}).Slack()
	require.False(t, known, "without a deadline there is no slack")
	require.False(t, (&Job{}).Missed(now))
}
