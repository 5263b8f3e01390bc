package adaptive

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

func TestDemandsOfConfigurationsAreChecked(t *testing.T) {
	for _, x := range []struct{ key, value, want string }{
		{"howdah.job.demand.map.cpu", "2.5", ""},
		{"howdah.job.demand.reduce.io", "100", ""},
		{"howdah.job.demand.map.io", "101", "want a number from 0 to 100"},
		{"howdah.job.demand.shuffle.memory", "-1", "want a number from 0 to"},
		{"howdah.job.demand.map.cpus", "1", "did you mean howdah.job.demand.map.cpu?"},
		{"howdah.job.demand.of.something.else", "3", "use one of: howdah.job.demand.map.cpu "},
	} {
		c := conf.New()
		c.Set(x.key, x.value, "job.xml:7")
		err := Check(c)
		if x.want == "" {
			require.NoError(t, err)
			continue
		}
		require.True(t, failure.Is(err, failure.Config), "%v: %v", x, err)
		require.ErrorContains(t, err, "read "+x.key+"="+x.value+" (job.xml:7): ")
		require.ErrorContains(t, err, x.want)
	}
}

func TestWantsNothingWithoutPendingTasks(t *testing.T) {
	require.False(t, (&descriptor{}).wants(0))
	require.True(t, (&descriptor{pend: [2]int32{1, 0}}).wants(0))
}

// Each variant has its own default rule for late jobs.
func TestLateByVariant(t *testing.T) {
	for variant, want := range map[string]string{NOMS10: LateTop, Middleware11: LateDemote} {
		c := conf.New()
		c.Set(conf.AdaptiveVariant.Name, variant, "test")
		o, err := readOptions(c)
		require.NoError(t, err)
		require.Equal(t, want, o.late, variant)
	}
}
