package asleep

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/waits"
	"github.com/howdah/howdah/simulator/trace"
)

// TestSettings checks that the sleep application reads the trace's times, scaled by the speed
// factor.
func TestSettings(t *testing.T) {
	j := &trace.Job{Maps: []trace.Map{{Time: 1000}, {Time: 30_005}}, Reduces: []trace.Reduce{{Shuffle: 400, Time: 2000}}}
	require.Equal(t, []string{"-m", "2", "-r", "1"}, Arguments(j))
	plan := func(o Options) waits.Plan {
		c := conf.New()
		for _, p := range o.Settings(j) {
			c.Set(p.Name, p.Value, p.Source)
		}
		require.Equal(t, o.InTracker, c.Get(conf.SleepInTracker.Name) == "true")
		p, err := waits.Read(c)
		require.NoError(t, err)
		return p
	}
	p := plan(Options{Speed: 10, InTracker: true})
	require.Equal(t, 100*time.Millisecond, p.Map.Of(0))
	require.Equal(t, 3001*time.Millisecond, p.Map.Of(1))
	require.Equal(t, 40*time.Millisecond, p.Shuffle.Of(0))
	require.Equal(t, 200*time.Millisecond, p.Reduce.Of(0))

	p = plan(Options{Speed: 0.5})
	require.Equal(t, 2*time.Second, p.Map.Of(0))
	require.Zero(t, p.Shuffle.Of(0))
	require.Equal(t, 4800*time.Millisecond, p.Reduce.Of(0))
}
