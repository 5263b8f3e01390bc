package ngm

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/policytest"
)

func build(t testing.TB, pairs ...string) scheduler.Policy {
	c := conf.New()
	for i := 0; i < len(pairs); i += 2 {
		c.Set(pairs[i], pairs[i+1], "test")
	}
	p, err := New(scheduler.Setup{Conf: c})
	require.NoError(t, err)
	return p
}

func options(t testing.TB, pairs ...string) policytest.Options {
	return policytest.Options{
		New: func() scheduler.Policy { return build(t, pairs...) },
		Job: func(r *rand.Rand, s *job.Spec) {
			s.Queue = []string{"default", "other"}[r.IntN(2)]
			s.MapMemory, s.ReduceMemory = []int32{256, 512, 1500}[r.IntN(3)], []int32{512, 1024, 2048}[r.IntN(3)]
		},
		Tracker: func(_ *rand.Rand, g *jobtracker.Register) { g.Memory, g.VCores = 4096, 4 },
		Idles:   "limits of users and reservations keep memory free",
		Starves: "a queue is first in, first out: the wait is as long as the work ahead",
	}
}

func TestConformance(t *testing.T) {
	policytest.Run(t, options(t))
	t.Run("two queues", func(t *testing.T) { policytest.Run(t, options(t, "mapred.queue.names", "default,other")) })
}

func TestNoGarbage(t *testing.T) { policytest.Cost(t, options(t)) }

func BenchmarkBeat(b *testing.B) { policytest.Bench(b, options(b)) }
