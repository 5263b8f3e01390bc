package fair

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/policytest"
	"github.com/howdah/howdah/scheduler/pool"
)

// setup gives a policy's setup from pairs of key and value and an allocation file.
func setup(file string, pairs ...string) scheduler.Setup {
	s := scheduler.Setup{Conf: conf.New()}
	for i := 0; i < len(pairs); i += 2 {
		s.Conf.Set(pairs[i], pairs[i+1], "test")
	}
	if file != "" {
		s.Files = []scheduler.File{{Key: pool.KeyFile, Path: "fair-scheduler.xml", Data: []byte("<allocations>" + file + "</allocations>")}}
	}
	return s
}

func build(t testing.TB, file string, pairs ...string) *Policy {
	p, err := New(setup(file, pairs...))
	require.NoError(t, err)
	return p.(*Policy)
}

// drawPool puts a random job into one of three pools of two users.
func drawPool(r *rand.Rand, s *job.Spec) {
	s.User = []string{"ann", "bob"}[r.IntN(2)]
	policytest.Set(s, pool.KeyPool, []string{"a", "b", "c"}[r.IntN(3)])
}

func TestConformance(t *testing.T) {
	for _, c := range []struct {
		name, file          string
		pairs               []string
		indexOnly, inherits bool
	}{
		{name: "plain", pairs: []string{pool.KeyLocalityDelay, "0"}, indexOnly: true},
		{name: "delays", pairs: []string{pool.KeyLocalityDelay, "5000"}, inherits: true},
		{name: "one at a time", pairs: []string{pool.KeyAssignMultiple, "false", pool.KeyLocalityDelay, "0"}, indexOnly: true},
		{name: "weights", file: `<pool name="a"><minMaps>2</minMaps><schedulingMode>fifo</schedulingMode></pool><pool name="b"><weight>3</weight></pool>`,
			pairs: []string{pool.KeySizeBasedWeight, "true", pool.KeyLocalityDelay, "0"}, indexOnly: true},
		{name: "preemption", file: `<pool name="a"><minMaps>2</minMaps></pool><defaultMinSharePreemptionTimeout>1</defaultMinSharePreemptionTimeout><fairSharePreemptionTimeout>1</fairSharePreemptionTimeout>`,
			pairs: []string{pool.KeyPreemption, "true"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := policytest.Options{New: func() scheduler.Policy { return build(t, c.file, c.pairs...) }, Job: drawPool, IndexOnly: c.indexOnly, Inherits: c.inherits, Cases: 80}
			if c.inherits {
				o.Rounds = 100 // a job waits again after each map that started in the rack
			}
			switch c.name {
			case "one at a time":
				o.Starves = "a cluster of four trackers has four slots a beat, fewer than jobs"
			case "weights":
				o.Starves = "pool a is first in, first out"
			default:
				o.Patience = 20
			}
			policytest.Run(t, o)
		})
	}
}

// Limits of pools and users keep jobs waiting beside free slots; they end all the same.
func TestConformanceWithLimits(t *testing.T) {
	file := `<pool name="a"><maxMaps>1</maxMaps><maxReduces>1</maxReduces></pool><pool name="b"><maxRunningJobs>1</maxRunningJobs></pool><user name="bob"><maxRunningJobs>2</maxRunningJobs></user>`
	policytest.Run(t, policytest.Options{New: func() scheduler.Policy { return build(t, file, pool.KeyLocalityDelay, "0") }, Job: drawPool,
		Idles: "limits of pools and users", Starves: "a pool of one running job", IndexOnly: true, Cases: 80,
		Machine: func(*jobtracker.Config) {}}) // no wide tasks: one of two slots never fits a pool that may have one
}

func TestNoAllocation(t *testing.T) {
	policytest.Alloc(t, policytest.Options{New: func() scheduler.Policy { return build(t, "") }, Job: drawPool})
}

func BenchmarkBeat(b *testing.B) {
	policytest.Bench(b, policytest.Options{New: func() scheduler.Policy { return build(b, "") }, Rounds: 150})
}
