package daemon

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/simulator/whatif"
)

// twoJobs submits a large job of ann and a small one, which waits for it, and waits until two tasks
// run.
func (c *cluster) twoJobs() {
	f := newFakeTracker(c.t, c, "t1")
	f.hold("m")
	f.run()
	for _, x := range []struct {
		name string
		maps int
	}{{"secret-large", 40}, {"secret-small", 1}} {
		j := c.job(x.name, x.maps, 0)
		j.Conf.Set("howdah.job.profile", "map=10000/10000", "test")
		j.Conf.Set("mapred.fairscheduler.pool", x.name, "test")
		_, err := c.client().Submit(c.ctx(), j)
		require.NoError(c.t, err)
		require.Eventually(c.t, func() bool { return c.used() == 2 }, time.Minute, time.Millisecond)
	}
}

// used returns the number of running tasks.
func (c *cluster) used() (n int) {
	s, err := c.state(c.ctx(), whatif.Reader{Admin: true})
	require.NoError(c.t, err)
	for i := range s.Jobs {
		n += len(s.Jobs[i].Running)
	}
	return n
}

// TestWhatIf checks the state that each kind of user gets for predictions.
func TestWhatIf(t *testing.T) {
	c := newCluster(t)
	c.conf.Set("mapreduce.cluster.administrators", "carol", "test")
	c.start()
	c.twoJobs()
	read := func(x auth.Claims) (*whatif.State, string) {
		text := c.webFor(x, "/what-if")
		s, err := whatif.Read(strings.NewReader(text))
		require.NoError(t, err)
		require.Len(t, s.Jobs, 2)
		require.Equal(t, "fifo", s.Scheduler.Name)
		require.Equal(t, []whatif.Tracker{{Slots: [2]int32{2, 2}, Memory: 4096, VCores: 4}}, s.Trackers)
		require.Equal(t, 2, len(s.Jobs[0].Running)+len(s.Jobs[1].Running))
		return s, text
	}
	for _, x := range []auth.Claims{{Admin: true}, {User: "carol"}, {User: "ann"}} {
		s, text := read(x)
		require.Contains(t, text, "secret-large", x)
		require.False(t, s.Jobs[0].Hidden)
		_, err := job.ParseID(s.Jobs[0].ID)
		require.NoError(t, err)
	}
	s, text := read(auth.Claims{User: "eve"})
	require.NotContains(t, text, "secret")
	require.NotContains(t, text, "ann")
	require.NotContains(t, text, c.Daemon.cluster)
	require.True(t, s.Jobs[0].Hidden && s.Scheduler.Hidden)
	again, _ := read(auth.Claims{User: "eve"})
	require.Equal(t, s.Jobs[0].ID, again.Jobs[0].ID)

	for range maxStates { // other clients are reading
		c.states <- struct{}{}
	}
	r, err := http.Get("http://" + c.HTTPAddr() + "/what-if")
	require.NoError(t, err)
	require.NoError(t, r.Body.Close())
	require.Equal(t, http.StatusServiceUnavailable, r.StatusCode)
}

func TestInvalidAdvice(t *testing.T) {
	for key, value := range map[string]string{"howdah.jobtracker.advice.schedulers": "fifo,fare",
		"howdah.jobtracker.advice.goal": "speed", "howdah.jobtracker.advice.agree": "0"} {
		c := newCluster(t)
		c.conf.Set(key, value, "test")
		cfg, err := FromConf(c.conf)
		if err == nil {
			cfg.FS = c.fs
			err = cfg.validate()
		}
		require.True(t, failure.Is(err, failure.Config), "%s: %v", key, err)
		require.ErrorContains(t, err, key)
	}
}

// TestAdviceIsFollowed checks that the JobTracker switches the policy when the same advice has been
// given often enough, and logs each decision.
func TestAdviceIsFollowed(t *testing.T) {
	c := newCluster(t)
	c.conf.Set("howdah.jobtracker.advice.interval", "1h", "test")
	c.conf.Set("howdah.jobtracker.advice.agree", "2", "test")
	c.conf.Set("howdah.jobtracker.advice.schedulers", "fifo,fair", "test")
	var log bytes.Buffer
	c.logger = slog.New(slog.NewTextHandler(&log, nil))
	c.start()
	c.twoJobs()
	w := &whatif.Follower{Agree: c.cfg.Advice.Agree}
	c.adviseOnce(c.ctx(), w, 1)
	require.Equal(t, "fifo", c.policies.Present().Name)
	c.adviseOnce(c.ctx(), w, 2)
	require.Equal(t, "fair", c.policies.Present().Name)
	require.Equal(t, "advice of the what-if prediction", c.policies.Status().By)
	require.True(t, c.policies.Status().UntilRestart)
	c.adviseOnce(c.ctx(), w, 3)
	require.Equal(t, "fair", c.policies.Present().Name)
	require.NoError(t, c.stop())
	require.Contains(t, log.String(), "scheduler=fifo advice=fair followed=false")
	require.Contains(t, log.String(), "seen 1 of 2 times in a row")
	require.Contains(t, log.String(), "scheduler=fifo advice=fair followed=true")
	require.Contains(t, log.String(), "scheduler=fair advice=\"\" followed=false")
}
