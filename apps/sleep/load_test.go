package sleep

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

// TestLoads checks that each kind of load lasts until the given time, unless the task is killed.
func TestLoads(t *testing.T) {
	t.Chdir(t.TempDir())
	killed, kill := context.WithCancel(t.Context())
	kill()
	for _, name := range []string{"", "sleep", "cpu", "io"} {
		c := conf.New()
		c.Set(conf.SleepLoad.Name, name, "test")
		l, err := loadOf(c)
		require.NoError(t, err)
		until := time.Now().Add(20 * time.Millisecond)
		require.NoError(t, l(t.Context(), until), name)
		require.False(t, time.Now().Before(until), name)
		require.ErrorIs(t, l(killed, time.Now().Add(time.Hour)), context.Canceled, name)
	}
	c := conf.New()
	c.Set(conf.SleepLoad.Name, "disk", "test")
	_, err := loadOf(c)
	require.Equal(t, failure.Config, failure.KindOf(err))
}
