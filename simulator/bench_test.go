package simulator_test

import (
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/fifo"
	"github.com/howdah/howdah/simulator"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/generate"
)

func newFIFO(tb testing.TB) scheduler.Policy {
	p, err := fifo.New(scheduler.Setup{Conf: conf.New()})
	require.NoError(tb, err)
	return p
}

// BenchmarkTestbed simulates the trace of SIM section IV-E with heartbeats: 1148 jobs on 64
// trackers, with heartbeats every 3 s for 152 hours.
func BenchmarkTestbed(b *testing.B) { benchmark(b, false) }

// BenchmarkTestbedEveryBeat simulates the same trace without skipping heartbeats.
func BenchmarkTestbedEveryBeat(b *testing.B) { benchmark(b, true) }

func benchmark(b *testing.B, every bool) {
	t, err := generate.Collect("testbed", generate.TestbedLike(1148, nil, 1))
	require.NoError(b, err)
	var r *trace.Result
	for b.Loop() {
		r = run(b, simulator.Config{Trackers: 64, Slots: [2]int32{1, 1}, Heartbeat: 3000, KeepIdleBeats: every,
			Journal: io.Discard}, t.Jobs...)
		require.Len(b, r.Jobs, 1148)
	}
	b.ReportMetric(float64(r.Events), "inputs")
	b.ReportMetric(float64(r.Makespan)/3600e3, "hours")
	b.Log(r.Kinds, r.Hash)
}

func run(tb testing.TB, c simulator.Config, jobs ...*trace.Job) *trace.Result {
	if c.Policy == nil {
		c.Policy = newFIFO(tb)
	}
	r, err := simulator.Run(context.Background(), c, (&trace.Trace{Jobs: jobs}).Source())
	require.NoError(tb, err)
	return r
}

func source(jobs []*trace.Job) trace.Source { return (&trace.Trace{Jobs: jobs}).Source() }
