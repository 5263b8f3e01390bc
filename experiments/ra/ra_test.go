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

// Differences are paired by seed, so variation between workloads cancels.
func TestCells(t *testing.T) {
	missed := func(list ...float64) (o []Outcome) {
		for _, x := range list {
			o = append(o, Outcome{Missed: x})
		}
		return o
	}
	var c Cells
	c.Add("a", missed(10, 50, 90), missed(11, 51.2, 91), Missed)
	require.True(t, c.Most().Below(0))
	require.False(t, Of(missed(10, 50, 90), Missed).Below(52))
	c.Add("b", missed(1, 2, 3), missed(0, 3, 2), Missed)
	c.Add("c", missed(5, 5, 5), missed(3, 3, 2.9), Missed)
	require.Equal(t, "1 cell below, 1 undecided, 1 above; largest 2.0±0.1 (c); above: c: 2.0±0.1", c.String())
	require.InDelta(t, 3.2, c.Most().High(), 0.1, "undecided")
	require.InDelta(t, (-1.067+0.333+2.033)/3, c.Mean().Mean, 0.001)
	require.Equal(t, 3, c.Mean().N)
	c = Cells{}
	c.Add("a", missed(-5, -5), missed(0, 0), Missed)
	c.Add("b", missed(2, 2), missed(0, 0), Missed)
	require.Equal(t, [2]float64{2, -5}, [2]float64{c.Most().Mean, c.Farthest().Mean})
}

// The same seed yields the same outcome with any number of workers. A policy without f(t) has a
// different outcome.
func TestSweep(t *testing.T) {
	w := Base(0.4, 8, 3)
	w.Workload.Days = 3
	require.Equal(t, 6, w.Stretch(2*Short).Workload.Days)
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
