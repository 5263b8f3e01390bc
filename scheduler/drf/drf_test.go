package drf

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/policytest"
)

func setup(pairs ...string) scheduler.Setup {
	c := conf.New()
	for i := 0; i < len(pairs); i += 2 {
		c.Set(pairs[i], pairs[i+1], "site.xml")
	}
	return scheduler.Setup{Conf: c}
}

func build(t testing.TB, pairs ...string) *Policy {
	p, err := New(setup(pairs...))
	require.NoError(t, err)
	return p.(*Policy)
}

func options(t testing.TB, pairs ...string) policytest.Options {
	return policytest.Options{
		New: func() scheduler.Policy { return build(t, pairs...) },
		Job: func(r *rand.Rand, s *job.Spec) {
			s.Queue = []string{"a", "b"}[r.IntN(2)]
			s.MapMemory, s.ReduceMemory = []int32{256, 512, 1500}[r.IntN(3)], []int32{512, 1024, 2048}[r.IntN(3)]
			s.MapVCores, s.ReduceVCores = r.Int32N(3), 1+r.Int32N(2)
		},
		Tracker: func(r *rand.Rand, g *jobtracker.Register) { g.Memory, g.VCores = 4096, 2+r.Int32N(3) },
		Fits: func(v scheduler.View, j *scheduler.Job, k job.TaskType, tt *scheduler.Tracker) bool {
			p := v.(*jobtracker.Machine).Policy().(*Policy)
			for _, h := range p.holds {
				if h.tracker == tt.Handle {
					return false
				}
			}
			return demandOf(j.Spec, k).within(freeOf(tt)) && (k == job.Map || p.guard.Allows(v, j))
		},
		Starves: "priority decides within a group",
		Cases:   150,
	}
}

func TestConformance(t *testing.T) {
	for _, group := range []string{"user", "queue", "job"} {
		t.Run(group, func(t *testing.T) {
			o := options(t, conf.DRFShareBy.Name, group, conf.DRFWeights.Name, "u0=2, a = 0.5")
			if group == "job" {
				o.Patience, o.Starves = 10, ""
			}
			policytest.Run(t, o)
		})
	}
	t.Run("hold=false", func(t *testing.T) { policytest.Run(t, options(t, conf.DRFHold.Name, "false")) })
}

func TestNoGarbage(t *testing.T) { policytest.Cost(t, options(t)) }

func BenchmarkBeat(b *testing.B) {
	for _, group := range []string{"user", "job"} {
		b.Run(group, func(b *testing.B) { policytest.Bench(b, options(b, conf.DRFShareBy.Name, group)) })
	}
}

func TestBadSettings(t *testing.T) {
	for _, x := range [][2]string{{conf.DRFShareBy.Name, "pool"}, {conf.DRFWeights.Name, "a"}, {conf.DRFWeights.Name,
		"a=-1"}, {conf.DRFWeights.Name, "a=1,a=2"},
		{conf.DRFWeights.Name, "=1"}, {conf.DRFWeights.Name, "a=NaN"}, {conf.DRFHold.Name, "perhaps"},
		{"howdah.container.reduce.limit", "2"}} {
		_, err := New(setup(x[0], x[1]))
		require.True(t, failure.Is(err, failure.Config), "%v", x)
		require.ErrorContains(t, err, x[0])
		require.ErrorContains(t, err, "site.xml")
	}
}
