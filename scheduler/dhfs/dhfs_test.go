package dhfs

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/headroom"
	"github.com/howdah/howdah/scheduler/policytest"
	"github.com/howdah/howdah/scheduler/pool"
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

// drawPool puts a random job into one of three pools.
func drawPool(r *rand.Rand, s *job.Spec) {
	policytest.Set(s, pool.KeyPool, []string{"a", "b", "c"}[r.IntN(3)])
}

func TestConformance(t *testing.T) {
	for _, c := range policies {
		for _, o := range []struct {
			name      string
			pairs     []string
			indexOnly bool
		}{
			{"plain", []string{pool.KeyLocalityDelay, "0"}, true},
			{"delays", []string{pool.KeyLocalityDelay, "5000"}, c.name == "fifo-dhfs"},
			{"half", []string{pool.KeyLocalityDelay, "0", KeyBorrowedMapSlots, "50", KeyBorrowedReduceSlots, "50", KeyPercentageOf, "unused"}, true},
			{"none", []string{pool.KeyLocalityDelay, "0", KeyBorrowedMapSlots, "0", KeyBorrowedReduceSlots, "0"}, true},
		} {
			t.Run(c.name+" "+o.name, func(t *testing.T) {
				options := policytest.Options{New: func() scheduler.Policy { return build1(t, c.new, o.pairs...) }, Job: drawPool,
					IndexOnly: o.indexOnly, Inherits: !o.indexOnly, Cases: 40, Rounds: 100, Check: checkLent, Patience: 20}
				if c.name == "fifo-dhfs" {
					options.Patience, options.Starves = 0, "a job of high priority comes before all others"
				}
				policytest.Run(t, options)
			})
		}
	}
}

// checkLent compares what is kept with what can be counted.
func checkLent(v scheduler.View, p scheduler.Policy) error {
	d := p.(*Policy)
	if len(d.x.Jobs()) != len(v.Jobs()) {
		return nil // another policy is in its place
	}
	fresh := lent{}
	fresh.reset(v)
	if d.lent != fresh {
		return fmt.Errorf("%v slots are lent by count, %v by keeping book", fresh, d.lent)
	}
	return nil
}

// Reduces in borrowed slots do not wait for ever for a map whose output is gone and that they leave no slot.
func TestReduceGivesItsMapSlotBack(t *testing.T) {
	for _, c := range policies {
		t.Run(c.name, func(t *testing.T) {
			h := policytest.NewHand(t, build1(t, c.new, headroom.PatienceKey, "5000", pool.KeyLocalityDelay, "0"))
			h.Submit(policytest.Job("a", 2, 4))
			lost := h.Join("lost", "h1", "/r", 2, 0)
			h.Beat(lost, h.Beat(lost)...)
			keeps := h.Join("keeps", "h2", "/r", 1, 1)
			h.Beat(keeps)
			h.Do(jobtracker.Input{Kind: jobtracker.InTrackerLeave, Tracker: lost})
			h.Beat(keeps)
			require.Equal(t, map[string]int{"a.rr": 1, "a.rm": 1}, sits(h))
			h.Wait(5000)
			h.Beat(keeps) // learns that it is to kill
			h.Beat(keeps)
			require.Equal(t, map[string]int{"a.rr": 1, "a.mm": 1}, sits(h))
		})
	}
}

func TestNoAllocation(t *testing.T) {
	for _, c := range policies {
		t.Run(c.name, func(t *testing.T) {
			policytest.Alloc(t, policytest.Options{New: func() scheduler.Policy { return build1(t, c.new) }, Job: drawPool})
		})
	}
}

func TestSettings(t *testing.T) {
	for _, c := range policies {
		for _, bad := range [][2]string{{KeyBorrowedMapSlots, "101"}, {KeyBorrowedReduceSlots, "-1"}, {KeyBorrowedMapSlots, "many"}, {KeyPercentageOf, "slots"},
			{KeyRelaxLocality, "x"}, {KeyPreemptBorrowed, "x"}} {
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

// BenchmarkPools is the same with as many pools as jobs.
func BenchmarkPools(b *testing.B) {
	for _, c := range policies {
		b.Run(c.name, func(b *testing.B) {
			policytest.Bench(b, policytest.Options{New: func() scheduler.Policy { return build1(b, c.new) }, Job: func(_ *rand.Rand, s *job.Spec) { s.User = s.Name }})
		})
	}
}
