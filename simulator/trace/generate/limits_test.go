package generate

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/dist"
)

// TestTooLargeDraws checks that a source ends with an error if it draws a value that is too large
// for a trace. It must not truncate the value.
func TestTooLargeDraws(t *testing.T) {
	one := dist.Constant(1)
	for want, change := range map[string]func(*Custom){
		"maps of a job: 1e+300 exceeds the limit of a trace, 5000000": func(
			c *Custom) {
			c.Maps = dist.Constant(1e300)
		},
		"reduces of a job": func(c *Custom) { c.Reduces = dist.LogNormal{Mu: 700, Sigma: 1} },
		"ms of a map":      func(c *Custom) { c.Tasks.Map = dist.Constant(1e13) },
		"ms of a shuffle":  func(c *Custom) { c.Tasks.Typical = dist.Constant(1e13) },
		"ms of a reduce":   func(c *Custom) { c.Tasks.Reduce = dist.LogNormal{Mu: 800, Sigma: 1} },
		"submission in ms": func(c *Custom) { c.Arrivals = Gaps{dist.Constant(1e300)} },
	} {
		c := Custom{Jobs: 3, Maps: one, Reduces: one, Tasks: Application{Map: one, First: one, Typical: one, Reduce: one},
			Arrivals: Poisson(1)}
		_, err := Collect("", c.Source())
		require.NoError(t, err)
		change(&c)
		_, err = Collect("", c.Source())
		require.ErrorContains(t, err, want)
		require.Equal(t, failure.Usage, failure.KindOf(err))
	}
	_, err := Collect("", Facebook{Map: dist.Constant(1e13)}.Source())
	require.ErrorContains(t, err, "ms of a map")
	far := Gaps{dist.Constant(1e16)}
	_, err = Collect("", TestbedLike(1, far, 1))
	require.ErrorContains(t, err, "submission")
	_, err = Collect("", Like([]*trace.Job{{}}, 1, far, 1))
	require.ErrorContains(t, err, "submission")
}

func TestTooLargeScales(t *testing.T) {
	jobs := []*trace.Job{{Submit: 0}, {Submit: 1e10, Deadline: 2e10, Maps: make([]trace.Map, 100),
		Reduces: []trace.Reduce{{Time: 1e9}}}}
	for want, k := range map[string]Scaling{"maps of a job, scaled": {Tasks: 1e6}, "ms of a reduce, scaled": {Time: 1e4},
		"submission": {Gap: 1e6}} {
		_, err := Collect("", Scale((&trace.Trace{Jobs: jobs}).Source(), k))
		require.ErrorContains(t, err, want)
	}
	jobs[1].Reduces = nil
	_, err := Collect("", Scale((&trace.Trace{Jobs: jobs}).Source(), Scaling{Time: 1e6}))
	require.ErrorContains(t, err, "deadline")
}
