package simulator_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/scheduler/speculation"
	"github.com/howdah/howdah/simulator"
	"github.com/howdah/howdah/simulator/trace"
)

// randomCluster draws a random configuration without a policy.
func randomCluster(r *rand.Rand) simulator.Config {
	c := simulator.Config{Trackers: between(r, 1, 6), Slots: [2]int32{int32(between(r, 1, 3)), int32(between(r, 1, 3))},
		Heartbeat: int64(between(r, 100, 3000)), WaitForWork: r.IntN(2) == 0, Mumak: r.IntN(4) == 0, Seed: r.Uint64(),
		Memory: 4096, VCores: 4}
	if r.IntN(2) == 0 {
		for i := range 4 {
			c.Nodes = append(c.Nodes, trace.Node{Host: []string{"h0", "h1", "h2", "h3"}[i], Rack: []string{"/a", "/b"}[i%2]})
		}
	}
	return c
}

// policies returns constructors of every policy in the catalog that runs with default settings.
func policies(t *testing.T) map[string]func() scheduler.Policy {
	all := map[string]func() scheduler.Policy{}
	for _, name := range catalog.Builtin().Names() {
		if _, _, err := catalog.Builtin().Make(name, scheduler.Setup{Conf: conf.New()}); err != nil {
			t.Logf("%s: %v", name, err)
			continue
		}
		all[name] = func() scheduler.Policy {
			p, _, err := catalog.Builtin().Make(name, scheduler.Setup{Conf: conf.New()})
			require.NoError(t, err)
			return p
		}
	}
	return all
}

// TestIdleBeatsChangeNothing checks that skipping idle heartbeats produces a byte-identical
// journal.
func TestIdleBeatsChangeNothing(t *testing.T) {
	make, rules := policies(t), speculators(t)
	names := catalog.Builtin().Names()
	left := int64(0)
	eachSeed(t, *tracesFlag/4, func(t *testing.T, r *rand.Rand) {
		jobs := shape{jobs: between(r, 1, 5), failures: r.IntN(2) == 0, hosts: r.IntN(3)}.draw(r)
		if r.IntN(3) == 0 {
			jobs[len(jobs)-1].Submit += 3 * 3600 * 1000 // longer than the interval after which a silent tracker expires
		}
		c := randomCluster(r)
		c.Scheduler = names[r.IntN(len(names))]
		if make[c.Scheduler] == nil {
			return
		}
		if r.IntN(3) == 0 {
			c.Plan = randomPlan(t, r)
		}
		rule := rules[append(speculation.Names(), "")[r.IntN(len(rules)+2)]]
		speculator := func() scheduler.Policy {
			if rule == nil {
				return nil
			}
			return rule()
		}
		var with, without bytes.Buffer
		c.Policy, c.Speculator, c.Journal, c.KeepIdleBeats = make[c.Scheduler](), speculator(), &with, true
		a, errA := simulator.Run(t.Context(), c, source(jobs))
		c.Policy, c.Speculator, c.Journal, c.KeepIdleBeats = make[c.Scheduler](), speculator(), &without, false
		b, errB := simulator.Run(t.Context(), c, source(jobs))
		if errA != nil { // waiting reduces hold every slot; see TestRunThatCannotEnd
			require.ErrorContains(t, errA, "cannot end")
			require.EqualError(t, errB, errA.Error())
			return
		}
		require.NoError(t, errB)
		requireSameJournal(t, with.Bytes(), without.Bytes(), c.Scheduler)
		require.Equal(t, a.Hash, b.Hash, c.Scheduler)
		require.Equal(t, a.Jobs, b.Jobs)
		left += b.Kinds[len(b.Kinds)-1].N
	})
	require.Positive(t, left, "no beat was ever left out")
}
