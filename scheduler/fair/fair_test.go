package fair

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
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

func TestConformance(t *testing.T) {
	for _, c := range []struct {
		name, file string
		pairs      []string
		indexOnly  bool
	}{
		{name: "plain", pairs: []string{pool.KeyLocalityDelay, "0"}, indexOnly: true},
		{name: "delays"},
		{name: "one at a time", pairs: []string{pool.KeyAssignMultiple, "false", pool.KeyLocalityDelay, "0"}, indexOnly: true},
		{name: "weights", file: `<pool name="u"><minMaps>2</minMaps><schedulingMode>fifo</schedulingMode></pool>`, pairs: []string{pool.KeySizeBasedWeight, "true", pool.KeyLocalityDelay, "0"}, indexOnly: true},
		{name: "preemption", file: `<pool name="u"><minMaps>2</minMaps></pool><defaultMinSharePreemptionTimeout>1</defaultMinSharePreemptionTimeout><fairSharePreemptionTimeout>1</fairSharePreemptionTimeout>`,
			pairs: []string{pool.KeyPreemption, "true", pool.KeyPreemptionInterval, "20", pool.KeyUpdateInterval, "10", pool.KeyPoolProperty, "mapreduce.job.name"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			policytest.Run(t, policytest.Options{New: func() scheduler.Policy { return build(t, c.file, c.pairs...) }, Rounds: 150, IndexOnly: c.indexOnly})
		})
	}
}

func BenchmarkBeat(b *testing.B) {
	policytest.Bench(b, policytest.Options{New: func() scheduler.Policy { return build(b, "") }, Rounds: 150})
}
