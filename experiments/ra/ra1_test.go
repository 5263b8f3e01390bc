package ra

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/scheduler/adaptive"
)

// Schedulers can read the capacity file, in which f(t) is rounded to fifths.
func TestPoints(t *testing.T) {
	origin := time.UnixMilli(1_000_000)
	_, err := adaptive.ParseCurves("capacity.txt", []byte(scale(300).points(origin)))
	require.NoError(t, err)
	require.Contains(t, scale(300).points(origin), "period 288000ms")
	require.Contains(t, scale(300).points(origin), "origin 1000000")
}

// observed derives the ends of jobs, the missed deadlines, and the shares of slot time from attempts.
func TestObserved(t *testing.T) {
	at := func(h float64) int64 { return int64(h * ra1Hour / 300) }
	o := scale(300).observed([]*lab.Job{
		{Finish: at(6), Deadline: at(6.5), Attempts: []lab.Attempt{{Start: at(0), Finish: at(3)},
			{Start: at(3), Finish: at(6)}}},
		{Finish: at(16), Deadline: at(15), Attempts: []lab.Attempt{{Start: at(3), Finish: at(16)}}},
		{Finish: at(20), Deadline: at(23), Attempts: []lab.Attempt{{Start: at(10), Finish: at(20)}}},
	}, 0)
	require.Equal(t, 1, o.missed)
	require.InDelta(t, 16, o.finish[1], 0.01)
	require.InDelta(t, 0, o.share[2], 0.01)
	require.InDelta(t, 0.8, o.share[0], 0.01)
	require.Len(t, o.slots[0], len(o.hours))
}
