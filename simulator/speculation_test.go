package simulator_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/speculation"
	"github.com/howdah/howdah/simulator"
)

// TestSpeculationAroundASlowNode checks that a tracker at a tenth of the normal speed delays a job
// unless second attempts of its tasks start elsewhere.
func TestSpeculationAroundASlowNode(t *testing.T) {
	for name, rule := range speculators(t) {
		c := simulator.Config{Trackers: 8, Slots: [2]int32{2, 1}, Heartbeat: 3000, WaitForWork: true,
			Plan: plan(t, "speed 1 0.1")}
		without := took(t, c, maps(40, 120_000))
		c.Speculator = rule()
		with := took(t, c, maps(40, 120_000))
		t.Logf("%s: %d ms instead of %d", name, with, without)
		require.Less(t, with, without, name)
	}
}

// speculators returns constructors of all policies for speculative execution.
func speculators(t *testing.T) map[string]func() scheduler.Policy {
	all := map[string]func() scheduler.Policy{}
	for _, name := range speculation.Names() {
		if name != speculation.None {
			all[name] = func() scheduler.Policy {
				p, err := speculation.New(name, scheduler.Setup{Conf: conf.New()})
				require.NoError(t, err)
				return p
			}
		}
	}
	return all
}
