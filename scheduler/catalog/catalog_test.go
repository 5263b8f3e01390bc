package catalog

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/fifo"
	"github.com/howdah/howdah/scheduler/policytest"
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

// If the configuration contains the unknown name, the error says where. Other unknown names do not
// blame the configuration.
func TestUnknownNamesHaveASource(t *testing.T) {
	c := conf.New()
	c.Set(conf.JobTrackerTaskScheduler.Name, "fifu", "mapred-site.xml:7")
	_, err := Builtin().FindIn(c)
	require.True(t, failure.Is(err, failure.Config), "%v", err)
	require.ErrorContains(t, err, "mapred-site.xml:7")
	require.ErrorContains(t, err, "did you mean fifo?")
	_, _, err = Builtin().Make("fare", scheduler.Setup{Conf: c})
	require.ErrorContains(t, err, "fare")
	require.NotContains(t, err.Error(), "mapred-site.xml:7")
	c.Set(conf.JobTrackerTaskScheduler.Name, "drf", "mapred-site.xml:7")
	e, err := Builtin().FindIn(c)
	require.NoError(t, err)
	require.Equal(t, "drf", e.Name)
}

// A table contains each name once, in upper or lower case.
func TestWithATakenName(t *testing.T) {
	_, err := Builtin().With(Entry{Name: "FIFO", New: fifo.New})
	require.True(t, failure.Is(err, failure.Config), "%v", err)
}

func TestSettingsOfThePolicyAreChecked(t *testing.T) {
	c := conf.New()
	c.Set(conf.FifoAssignMultiple.Name, "perhaps", "test")
	_, _, err := Builtin().Make("fifo", scheduler.Setup{Conf: c})
	require.Error(t, err)
}

// The work of a heartbeat hardly grows with the number of waiting jobs.
func TestGrowth(t *testing.T) {
	surveys := map[string]string{"fair-deficit": "as in Hadoop 0.20.2, all shares change when a job arrives or ends"}
	for _, e := range Builtin() {
		t.Run(e.Name, func(t *testing.T) {
			policytest.Growth(t, policytest.Options{
				New: func() scheduler.Policy {
					p, _, err := Builtin().Open(e.Name, conf.New())
					require.NoError(t, err)
					return p
				},
				Surveys: surveys[e.Name],
				Job:     func(r *rand.Rand, s *job.Spec) { s.Deadline = 1_000_000_000 + r.Int64N(20_000_000) },
				Tracker: func(_ *rand.Rand, g *jobtracker.Register) { g.Memory, g.VCores = 6*job.DefaultMemory, 6 },
			})
		})
	}
}
