package fair

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/policytest"
	"github.com/howdah/howdah/scheduler/pool"
)

func buildDeficit(t testing.TB, file string, pairs ...string) *Deficit {
	p, err := NewDeficit(setup(file, pairs...))
	require.NoError(t, err)
	return p.(*Deficit)
}

func TestDeficitConformance(t *testing.T) {
	for _, multiple := range []string{"true", "false"} {
		t.Run("multiple="+multiple, func(t *testing.T) {
			policytest.Run(t, policytest.Options{Job: drawPool, Cases: 80, Rounds: 40, Starves: "one task a beat: the deficits of heavier jobs grow faster than they are served", New: func() scheduler.Policy {
				return buildDeficit(t, `<pool name="a"><minMaps>2</minMaps><weight>2</weight></pool>`, pool.KeyAssignMultiple, multiple, pool.KeySizeBasedWeight, "true")
			}})
		})
	}
}

func TestDeficitNoAllocation(t *testing.T) {
	policytest.Alloc(t, policytest.Options{New: func() scheduler.Policy { return buildDeficit(t, "") }, Job: drawPool})
}

func BenchmarkDeficitBeat(b *testing.B) {
	policytest.Bench(b, policytest.Options{New: func() scheduler.Policy { return buildDeficit(b, "") }, Rounds: 60})
}
