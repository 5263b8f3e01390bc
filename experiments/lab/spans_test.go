package lab

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
)

// No two attempts overlap in a row of the Gantt chart. An attempt that starts when another ends does
// not count as an additional slot.
func TestPlotsOfSpans(t *testing.T) {
	spans := []SlotSpan{
		{Job: 1, Type: job.Map, Pool: "a", Tracker: 1, Start: 0, End: 5000},
		{Job: 2, Type: job.Map, Pool: "b", Tracker: 1, Start: 1000, End: 6000},
		{Job: 1, Type: job.Map, Pool: "a", Tracker: 1, Start: 5000, End: 7000},
		{Job: 1, Type: job.Reduce, Pool: "a", Tracker: 1, Start: 2000, End: 9000},
		{Job: 2, Type: job.Map, Pool: "b", Tracker: 2, Start: 0, End: 1000},
	}
	p := SlotsPlot(spans, func(s *SlotSpan) string { return s.Pool })
	require.Len(t, p.Series, 3)
	require.Equal(t, []float64{0, 0, 7}, p.Series[0].X)
	require.Equal(t, []float64{0, 1, 0}, p.Series[0].Y)
	g := GanttPlot(spans)
	require.Equal(t, []float64{0, 0, 2}, g.Series[0].Y)
	require.Equal(t, []float64{1, 3}, g.Series[1].Y)
}

// For any number of jobs, the legend names all lines: the biggest jobs, and the other jobs
// together.
func TestSlotsOfManyJobs(t *testing.T) {
	var spans []SlotSpan
	for i := range int64(20) {
		spans = append(spans, SlotSpan{Job: int32(i + 1), Type: job.Map, Start: 0, End: 100 * (i + 1)},
			SlotSpan{Job: int32(i + 1), Type: job.Reduce, Start: 0, End: 10})
	}
	p := SlotsPlot(spans, func(s *SlotSpan) string { return fmt.Sprint("job ", s.Job) })
	require.Len(t, p.Series, 12)
	require.Equal(t, "15 others, maps", p.Series[0].Name)
	require.Equal(t, 15.0, p.Series[0].Y[1])
	require.Equal(t, []any{1, false, 1, true}, []any{p.Series[0].Color, p.Series[0].Dashed, p.Series[1].Color,
		p.Series[1].Dashed})
	require.Equal(t, "job 16, maps", p.Series[2].Name)
	require.Len(t, SlotsPlot(spans[:12], func(s *SlotSpan) string { return fmt.Sprint("job ", s.Job) }).Series, 12,
		"six jobs need no others")
}
