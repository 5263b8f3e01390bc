package simulator_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/speculation"
	"github.com/howdah/howdah/simulator"
)

// A tracker at a tenth of its speed holds a job up unless what runs there is started once more elsewhere.
func TestSpeculationAroundASlowNode(t *testing.T) {
	for name, rule := range speculators(t) {
		c := simulator.Config{Trackers: 8, Slots: [2]int32{2, 1}, Heartbeat: 3000, WaitForWork: true, Plan: plan(t, "speed 1 0.1")}
		without := took(t, c, maps(40, 120_000))
		c.Speculator = rule()
		with := took(t, c, maps(40, 120_000))
		t.Logf("%s: %d ms instead of %d", name, with, without)
		require.Less(t, with, without, name)
	}
}

// speculators gives every rule of speculative execution, made anew each time.
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
