package ra

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/generate"
)

// Only jobs that start or finish in the middle days count. Lateness covers the jobs that miss their
// deadlines, and distance covers the jobs that meet them.
func TestMetrics(t *testing.T) {
	day := int64(24 * hour)
	o := measure([]trace.JobResult{
		{Start: hour, Finish: 2 * hour, Deadline: 1},                    // first day
		{Start: hour, Finish: day + hour, Deadline: day},                // ends in the middle days, an hour late
		{Start: 2 * day, Finish: 2*day + 5, Deadline: 2*day + 5 + hour}, // an hour left
		{Start: 3 * day, Finish: 3 * day, Deadline: 3*day + 3*hour},
		{Start: 6*day - 1, Finish: 9 * day, Deadline: 6 * day}, // starts in the middle days
		{Start: 6 * day, Finish: 6 * day, Deadline: 1},
	}, 7)
	require.Equal(t, 4, o.Jobs)
	require.InDelta(t, 50, o.Missed, 1e-9)
	require.InDelta(t, (1+72.0)/2, o.Beyond, 1e-9)
	require.InDelta(t, 2, o.Distance, 1e-9)
	require.Equal(t, Outcome{}, measure(nil, 7))
}

func TestDifference(t *testing.T) {
	a := []Outcome{{Missed: 10}, {Missed: 50}, {Missed: 90}}
	b := []Outcome{{Missed: 11}, {Missed: 51.2}, {Missed: 91}}
	require.True(t, Difference(a, b, Missed).Below(0), "each workload is compared with itself")
	require.False(t, Of(a, Missed).Below(52))
}

func TestVerdict(t *testing.T) {
	var v Verdict
	v.Add("a", lab.Interval{Mean: -3, Half: 1})
	require.True(t, v.Less() && v.AtMost())
	v.Add("b", lab.Interval{Mean: 0.5, Half: 1})
	require.True(t, !v.Less() && v.AtMost())
	v.Add("c", lab.Interval{Mean: 2, Half: 1})
	require.False(t, v.AtMost())
	require.Equal(t, "1 cell below, 1 undecided, 1 above; largest 2.0±1.0 (c); above: c: 2.0±1.0", v.String())
}

// The same seed yields the same outcome with any number of workers. A policy without f(t) has a
// different outcome.
func TestSweep(t *testing.T) {
	w := Base(0.4, 8, 3)
	w.Workload.Days = 3
	cells := []Cell{FIFO.On(w), Reverse.On(w), Blind.On(w)}
	one, err := Sweep(context.Background(), &lab.Run{Quick: true, Seed: 5, Workers: 1}, 3, cells[:2])
	require.NoError(t, err)
	r := &lab.Run{Quick: true, Seed: 5, Workers: 3}
	three, err := Sweep(context.Background(), r, 3, cells)
	require.NoError(t, err)
	require.Equal(t, one, three[:2])
	require.NotEqual(t, three[1], three[2])
	require.Equal(t, 9, r.Executions)

	require.Equal(t, 4, Seeds(r, 4))
	require.Equal(t, 10, Seeds(&lab.Run{}, 4))
	cells[0].Policy = "nobody"
	_, err = Sweep(context.Background(), r, 3, cells)
	require.ErrorContains(t, err, "nobody")
}

func TestChanges(t *testing.T) {
	require.Empty(t, Changes(generate.Burstiness(0), 100, 7))
	least, most := int32(100), int32(0)
	for _, c := range Changes(generate.Burstiness(3), 100, 7) {
		least, most = min(least, c.Slots[0]), max(most, c.Slots[0])
	}
	require.Equal(t, [2]int32{10, 90}, [2]int32{least, most})
}
