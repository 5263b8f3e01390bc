package daemon

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler/estimate"
)

// profiled runs a job that succeeds or is killed, and returns its status.
func (c *cluster) profiled(name string, kill bool, set ...string) *client.JobStatus {
	x := c.client()
	j := c.job(name+itoa(int(c.LastJob()+1)), 2, 1)
	j.Conf.Set("mapreduce.job.name", name, "test")
	for i := 0; i < len(set); i += 2 {
		j.Conf.Set(set[i], set[i+1], "test")
	}
	s, err := x.Submit(c.ctx(), j)
	require.NoError(c.t, err)
	if kill {
		_, err := c.wire().Kill(c.ctx(), &client.KillRequest{Id: s.ID.String(), User: "ann"})
		require.NoError(c.t, err)
	}
	_, err = x.Wait(c.ctx(), s.ID, nil)
	require.Equal(c.t, kill, err != nil)
	status, err := c.wire().Status(c.ctx(), &client.StatusRequest{Id: s.ID.String()})
	require.NoError(c.t, err)
	return status
}

// LastJob returns the highest reserved job number.
func (c *cluster) LastJob() int32 {
	c.jobs.reserveMu.Lock()
	defer c.jobs.reserveMu.Unlock()
	return c.jobs.reserved
}

func TestProfilesFromTheHistory(t *testing.T) {
	c := newCluster(t)
	c.start()
	f := newFakeTracker(t, c, "t1")
	f.run()
	first := c.profiled("daily", false)
	require.Empty(t, first.Profile)
	second := c.profiled("daily", false)
	require.Equal(t, first.Id, second.ProfileFrom)
	_, err := estimate.Parse(second.Profile)
	require.NoError(t, err)
	require.Empty(t, c.profiled("other", false).Profile)
	require.Empty(t, c.profiled("daily", false, "mapreduce.job.user.name", "not-ann").Profile,
		"another user's job of that name is another job")
	third := c.profiled("daily", false, conf.JobProfile.Name, "map=5/7")
	require.Equal(t, "map=5/7", third.Profile)
	require.Empty(t, third.ProfileFrom, "the user gave it")

	f.hold("m")
	killed := c.profiled("daily", true)
	require.Equal(t, third.Id, killed.ProfileFrom)
	f.release("m")
	require.NoError(t, c.stop())
	c.start()
	again := c.profiled("daily", false)
	require.Equal(t, third.Id, again.ProfileFrom, "of what the history holds, the newest one that succeeded")
	require.NotEqual(t, "map=5/7", again.Profile, "measured, not copied")
	require.Equal(t, again.Id, c.profiled("daily", false).ProfileFrom)
}

func TestFewNamesAreRemembered(t *testing.T) {
	p := newProfiles()
	for i := range int32(maxProfiles + 5) {
		p.succeeded("ann", itoa(int(i)), i+1)
		if i%1000 == 0 {
			p.merge()
		}
	}
	p.merge()
	require.Len(t, p.names, maxProfiles)
	require.Nil(t, p.names[jobName{"ann", "3"}], "the oldest are forgotten")
	require.NotNil(t, p.names[jobName{"ann", itoa(maxProfiles)}])
}

func TestBadSettingsOfJobsAreRefused(t *testing.T) {
	c := newCluster(t)
	c.start()
	for key, value := range map[string]string{conf.JobProfile.Name: "map=fast", conf.JobDeadline.Name: "yesterday",
		"howdah.job.demand.foo": "3"} {
		j := c.job("bad", 1, 0)
		j.Conf.Set(key, value, "test")
		_, err := c.client().Submit(c.ctx(), j)
		require.ErrorContains(t, err, "read "+key+"="+value+" (test): ")
	}
}

// The status of a running job shows its deadline and the predicted end. After the end it shows no
// prediction.
func TestDeadlineInStatus(t *testing.T) {
	c := newCluster(t)
	c.start()
	f := newFakeTracker(t, c, "t1")
	f.run()
	c.profiled("daily", false)
	f.hold("r")
	j := c.job("run", 2, 1)
	j.Conf.Set("mapreduce.job.name", "daily", "test")
	j.Conf.Set(conf.JobDeadline.Name, "+2h", "test")
	s, err := c.client().Submit(c.ctx(), j)
	require.NoError(t, err)
	status, err := c.wire().Status(c.ctx(), &client.StatusRequest{Id: s.ID.String()})
	require.NoError(t, err)
	require.InDelta(t, status.SubmitMs+2*3600_000, status.DeadlineMs, 10_000)
	require.GreaterOrEqual(t, status.PredictedFinishMs, status.SubmitMs)
	f.release("r")
	r, err := c.client().Wait(c.ctx(), s.ID, nil)
	require.NoError(t, err)
	require.Equal(t, job.Succeeded, r.State)
	status, err = c.wire().Status(c.ctx(), &client.StatusRequest{Id: s.ID.String()})
	require.NoError(t, err)
	require.Zero(t, status.PredictedFinishMs)
}
