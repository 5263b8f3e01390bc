package dhfs

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

var policies = []struct {
	name string
	new  scheduler.New
}{{"pi-dhfs", NewPoolIndependent}, {"pd-dhfs", NewPoolDependent}, {"fifo-dhfs", NewFIFO}}

func setup(pairs ...string) scheduler.Setup {
	s := scheduler.Setup{Conf: conf.New()}
	for i := 0; i < len(pairs); i += 2 {
		s.Conf.Set(pairs[i], pairs[i+1], "test")
	}
	return s
}

func build1(t testing.TB, f scheduler.New, pairs ...string) *Policy {
	p, err := f(setup(pairs...))
	require.NoError(t, err)
	return p.(*Policy)
}

// drawPool assigns a random job to one of three pools.
func drawPool(r *rand.Rand, s *job.Spec) {
	policytest.Set(s, conf.FairSchedulerPool.Name, []string{"a", "b", "c"}[r.IntN(3)])
}

func TestConformance(t *testing.T) {
	for _, c := range policies {
		for _, o := range []struct {
			name  string
			pairs []string
		}{
			{"plain", []string{conf.FairSchedulerLocalityDelay.Name, "0"}},
			{"delays", []string{conf.FairSchedulerLocalityDelay.Name, "5000"}},
			{"half", []string{conf.FairSchedulerLocalityDelay.Name, "0", conf.DHFSPercentageOfBorrowedMapSlots.Name, "50",
				conf.DHFSPercentageOfBorrowedReduceSlots.Name,
				"50",
				conf.DHFSPercentageOf.Name, "unused"}},
			{"none", []string{conf.FairSchedulerLocalityDelay.Name, "0", conf.DHFSPercentageOfBorrowedMapSlots.Name, "0",
				conf.DHFSPercentageOfBorrowedReduceSlots.Name,
				"0"}},
		} {
			t.Run(c.name+" "+o.name, func(t *testing.T) {
				options := policytest.Options{New: func() scheduler.Policy { return build1(t, c.new, o.pairs...) }, Job: drawPool,
					Cases: 40, Rounds: 100, Patience: 20}
				if c.name == "fifo-dhfs" {
					options.Patience, options.Starves = 0, "a job of high priority comes before all others"
				}
				policytest.Run(t, options)
			})
		}
	}
}

// If a map's output is lost, reduces in borrowed slots would wait for that map. If they occupy all
// map slots, the policy preempts one.
func TestReduceGivesItsMapSlotBack(t *testing.T) {
	for _, c := range policies {
		t.Run(c.name, func(t *testing.T) {
			h := policytest.NewHand(t, build1(t, c.new, conf.MapPatienceMS.Name, "5000",
				conf.FairSchedulerLocalityDelay.Name, "0"))
			h.Submit(policytest.Job("a", 2, 4))
			lost := h.Join("lost", "h1", "/r", 2, 0)
			h.Beat(lost, h.Beat(lost)...)
			keeps := h.Join("keeps", "h2", "/r", 1, 1)
			h.Beat(keeps)
			h.Do(jobtracker.Input{Kind: jobtracker.InTrackerLeave, Tracker: lost})
			h.Beat(keeps)
			require.Equal(t, map[string]int{"a.rr": 1, "a.rm": 1}, sits(h))
			h.Wait(5000)
			h.Beat(keeps) // receives the order to kill
			h.Beat(keeps)
			require.Equal(t, map[string]int{"a.rr": 1, "a.mm": 1}, sits(h))
		})
	}
}

func TestNoAllocation(t *testing.T) {
	for _, c := range policies {
		t.Run(c.name, func(t *testing.T) {
			policytest.Cost(t, policytest.Options{New: func() scheduler.Policy { return build1(t, c.new) }, Job: drawPool})
		})
	}
}

func TestSettings(t *testing.T) {
	for _, c := range policies {
		for _, bad := range [][2]string{{conf.DHFSPercentageOfBorrowedMapSlots.Name, "101"},
			{conf.DHFSPercentageOfBorrowedReduceSlots.Name, "-1"},
			{conf.DHFSPercentageOfBorrowedMapSlots.Name, "many"}, {conf.DHFSPercentageOf.Name, "slots"},
			{conf.DHFSRelaxLocality.Name, "x"}, {conf.DHFSPreemptBorrowed.Name, "x"}} {
			_, err := c.new(setup(bad[0], bad[1]))
			require.True(t, failure.Is(err, failure.Config), "%s: %v: %v", c.name, bad, err)
			require.ErrorContains(t, err, bad[0])
		}
	}
	require.Equal(t, 30.0, build1(t, NewFIFO, "percentageOfBorrowedMapSlots", "30").opt.percent[0], "the paper's name")
}

func BenchmarkBeat(b *testing.B) {
	for _, c := range policies {
		b.Run(c.name, func(b *testing.B) {
			policytest.Bench(b, policytest.Options{New: func() scheduler.Policy { return build1(b, c.new) }})
		})
	}
}

// BenchmarkPools runs the same benchmark with one pool per job.
func BenchmarkPools(b *testing.B) {
	for _, c := range policies {
		b.Run(c.name, func(b *testing.B) {
			policytest.Bench(b, policytest.Options{New: func() scheduler.Policy { return build1(b, c.new) },
				Job: func(_ *rand.Rand, s *job.Spec) { s.User = s.Name }})
		})
	}
}
