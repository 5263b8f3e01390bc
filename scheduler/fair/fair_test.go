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
)

// setup returns a policy's setup from an allocation file and pairs of keys and values.
func setup(file string, pairs ...string) scheduler.Setup {
	s := scheduler.Setup{Conf: conf.New()}
	for i := 0; i < len(pairs); i += 2 {
		s.Conf.Set(pairs[i], pairs[i+1], "test")
	}
	if file != "" {
		s.Files = []scheduler.File{{Key: conf.FairSchedulerAllocationFile.Name, Path: "fair-scheduler.xml",
			Data: []byte("<allocations>" + file + "</allocations>")}}
	}
	return s
}

func build(t testing.TB, file string, pairs ...string) *Policy {
	p, err := New(setup(file, pairs...))
	require.NoError(t, err)
	return p.(*Policy)
}

// drawPool assigns a job at random to one of two users and to one of three pools.
func drawPool(r *rand.Rand, s *job.Spec) {
	s.User = []string{"ann", "bob"}[r.IntN(2)]
	policytest.Set(s, conf.FairSchedulerPool.Name, []string{"a", "b", "c"}[r.IntN(3)])
}

func TestConformance(t *testing.T) {
	for _, c := range []struct {
		name, file string
		pairs      []string
	}{
		{name: "plain", pairs: []string{conf.FairSchedulerLocalityDelay.Name, "0"}},
		{name: "delays", pairs: []string{conf.FairSchedulerLocalityDelay.Name, "5000"}},
		{name: "one at a time", pairs: []string{conf.FairSchedulerAssignMultiple.Name, "false",
			conf.FairSchedulerLocalityDelay.Name, "0"}},
		{name: "weights", file: `<pool name="a"><minMaps>2</minMaps><schedulingMode>fifo</schedulingMode></pool><pool ` +
			`name="b"><weight>3</weight></pool>`,
			pairs: []string{conf.FairSchedulerSizeBasedWeight.Name, "true", conf.FairSchedulerLocalityDelay.Name, "0"}},
		{name: "preemption", file: `<pool name="a"><minMaps>2</minMaps></pool><defaultMinSharePreemptionTimeout>1</` +
			`defaultMinSharePreemptionTimeout><fairSharePreemptionTimeout>1</fairSharePreemptionTimeout>`,
			pairs: []string{conf.FairSchedulerPreemption.Name, "true"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := policytest.Options{New: func() scheduler.Policy { return build(t, c.file, c.pairs...) }, Job: drawPool,
				Cases: 80}
			if c.name == "delays" {
				o.Rounds = 100 // after each rack-local map, the job waits again
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

// Pool and user limits make jobs wait even though slots are free. All jobs still end.
func TestConformanceWithLimits(t *testing.T) {
	file := `<pool name="a"><maxMaps>1</maxMaps><maxReduces>1</maxReduces></pool><pool name="b"><maxRunningJobs>1</` +
		`maxRunningJobs></pool><user name="bob"><maxRunningJobs>2</maxRunningJobs></user>`
	policytest.Run(t, policytest.Options{New: func() scheduler.Policy {
		return build(t, file, conf.FairSchedulerLocalityDelay.Name,
			"0")
	}, Job: drawPool,
		Idles: "limits of pools and users", Starves: "a pool of one running job", Cases: 80,
		Machine: func(*jobtracker.Config) {}}) // no wide tasks: they never fit a pool with a maximum of one slot
}

func TestNoAllocation(t *testing.T) {
	policytest.Cost(t, policytest.Options{New: func() scheduler.Policy { return build(t, "") }, Job: drawPool})
}

func BenchmarkBeat(b *testing.B) {
	policytest.Bench(b, policytest.Options{New: func() scheduler.Policy { return build(b, "") }, Rounds: 150})
}
