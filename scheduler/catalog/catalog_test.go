package catalog

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/fifo"
)

func TestNames(t *testing.T) {
	for _, name := range []string{"", "fifo", "FIFO", "org.apache.hadoop.mapred.JobQueueTaskScheduler"} {
		p, _, err := Builtin().Make(name, scheduler.Setup{Conf: conf.New()})
		require.NoError(t, err)
		require.IsType(t, &fifo.Policy{}, p)
	}
	require.Contains(t, Builtin().Names(), Default)
}

func TestUnknownNames(t *testing.T) {
	_, _, err := Builtin().Make("fifu", scheduler.Setup{Conf: conf.New()})
	require.True(t, failure.Is(err, failure.Config))
	require.ErrorContains(t, err, "did you mean fifo?")
	_, _, err = Builtin().Make("org.example.MyOwn", scheduler.Setup{Conf: conf.New()})
	require.ErrorContains(t, err, "use one of: fifo")
	require.NotContains(t, err.Error(), "did you mean")
	_, _, err = Builtin().Make("fzz", scheduler.Setup{Conf: conf.New()})
	require.NotContains(t, err.Error(), "did you mean", "three letters of four are too many")
}

func TestSettingsOfThePolicyAreChecked(t *testing.T) {
	c := conf.New()
	c.Set(conf.FifoAssignMultiple.Name, "perhaps", "test")
	_, _, err := Builtin().Make("fifo", scheduler.Setup{Conf: c})
	require.Error(t, err)
}
