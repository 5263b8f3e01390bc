package daemon

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/jobtracker"
)

// TestSlotUse checks that a sample contains the cluster's slots and those of each pool.
func TestSlotUse(t *testing.T) {
	c, _ := fairCluster(t)
	c.start()
	names, err := look(c.ctx(), c.owner, func(m *jobtracker.Machine) (names []string, _ error) {
		for name := range slotUse(m) {
			names = append(names, name)
		}
		return names, nil
	})
	require.NoError(t, err)
	require.Subset(t, names, []string{"map slots", "reduce slots", "pool etl, map slots", "pool etl, reduce slots"})
}
