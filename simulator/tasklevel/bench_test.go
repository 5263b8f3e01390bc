package tasklevel_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/fifo"
	"github.com/howdah/howdah/simulator/tasklevel"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/dist"
	"github.com/howdah/howdah/simulator/trace/generate"
)

func newFIFO(tb testing.TB) scheduler.Policy {
	p, err := fifo.New(scheduler.Setup{Conf: conf.New()})
	require.NoError(tb, err)
	return p
}

// BenchmarkTestbed replays the trace of SIM section IV-E: 1148 jobs on 64 nodes.
func BenchmarkTestbed(b *testing.B) { benchmark(b, 1) }

// BenchmarkTestbedOfNodes replays the same trace with separate slots for each node. The engine then
// calls the policy once per node.
func BenchmarkTestbedOfNodes(b *testing.B) { benchmark(b, 64) }

// BenchmarkBacklog replays 20,000 jobs that arrive within 20 s, so nearly all of them queue.
func BenchmarkBacklog(b *testing.B) {
	task := dist.Uniform{Low: 5000, High: 60_000}
	measure(b, 100, [2]int32{200, 200}, generate.Custom{Jobs: 20_000, Maps: dist.Uniform{Low: 1, High: 20},
		Reduces: dist.Uniform{Low: 0, High: 4}, Arrivals: generate.Poisson(1), Seed: 1,
		Tasks: generate.Application{Map: task, First: task, Typical: task, Reduce: task}}.Source())
}

func benchmark(b *testing.B, trackers int) {
	measure(b, trackers, [2]int32{64, 64}, generate.TestbedLike(1148, nil, 1))
}

func measure(b *testing.B, trackers int, slots [2]int32, src trace.Source) {
	t, err := generate.Collect("benchmark", src)
	require.NoError(b, err)
	b.ReportAllocs()
	events := int64(0)
	for b.Loop() {
		r, err := tasklevel.Run(context.Background(), tasklevel.Config{Slots: slots, Trackers: trackers,
			Policy: newFIFO(b)}, t.Source())
		require.NoError(b, err)
		require.Len(b, r.Jobs, len(t.Jobs))
		events += r.Events
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(float64(events)/float64(b.N), "events")
}

func run(tb testing.TB, c tasklevel.Config, jobs ...*trace.Job) *trace.Result {
	if c.Policy == nil {
		c.Policy = newFIFO(tb)
	}
	r, err := tasklevel.Run(context.Background(), c, (&trace.Trace{Jobs: jobs}).Source())
	require.NoError(tb, err)
	return r
}
