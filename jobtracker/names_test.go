package jobtracker

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

// TestNamesAreLimited registers trackers under ever new names. Each leaves before the next comes, so
// the limit of live trackers does not apply.
func TestNamesAreLimited(t *testing.T) {
	r := newRig(t, func(c *Config) { c.MaxTrackers = 2 })
	for i := range maxNames {
		r.m.who(fmt.Sprint("old", i))
	}
	o := r.tryRegister("new", "h", 1)
	require.NotNil(t, o.Err)
	require.Equal(t, failure.Limit, o.Err.Kind)
	require.Contains(t, o.Err.Error(), "restart the JobTracker")
	require.Nil(t, r.tryRegister("old7", "h", 1).Err, "known trackers can return")
}
