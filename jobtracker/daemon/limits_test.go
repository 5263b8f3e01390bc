package daemon

import (
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	jobclient "github.com/howdah/howdah/client"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/hdfs/token"
	"github.com/howdah/howdah/internal/notify"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/wire/client"
	wire "github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker/history"
)

// refuses submits a job and checks the error. The JobTracker must keep nothing of the job and must
// continue to accept others.
func (c *cluster) refuses(splitHost string, set ...string) error {
	c.t.Helper()
	j := c.job("refused", 1, 0)
	if splitHost != "" {
		j.Splits[0].Hosts = []string{splitHost}
	}
	for i := 0; i < len(set); i += 2 {
		j.Conf.Set(set[i], set[i+1], "test")
	}
	_, err := c.client().Submit(c.ctx(), j)
	require.Error(c.t, err)
	require.NoDirExists(c.t, c.out("refused"))
	return err
}

func TestSplitMetaLimits(t *testing.T) {
	c := newCluster(t)
	c.start()
	err := c.refuses(strings.Repeat("h", 256))
	require.True(t, failure.Is(err, failure.Limit), "%v", err)
	require.ErrorContains(t, err, "256 bytes; the limit is 255")
	err = c.refuses(strings.Repeat("h", 17<<20))
	require.True(t, failure.Is(err, failure.Limit), "%v", err)
	require.ErrorContains(t, err, "mapreduce.job.split.metainfo.maxsize")
	_, err = c.client().Submit(c.ctx(), c.job("good", 1, 0))
	require.NoError(t, err)
	require.Len(t, names(t, filepath.Join(c.cfg.Dir, "jobs")), 2, "the good job and the last number")
}

// TestOversizedFacts checks that a job whose submission is too large for the journal is an error for its
// client, and that the JobTracker continues.
func TestOversizedFacts(t *testing.T) {
	c := newCluster(t)
	c.start()
	id := job.ID{Cluster: c.cluster, Seq: 1}
	large := &job.Spec{User: "ann", MapAttempts: 1, ReduceAttempts: 1,
		Splits: []job.SplitMeta{{Hosts: []string{strings.Repeat("h", history.MaxRecord)}}}}
	_, err := c.admit(c.ctx(), &submission{id: id, info: &wire.JobInfo{Job: id.Seq}, spec: large})
	require.True(t, failure.Is(err, failure.Limit), "%v", err)
	require.Empty(t, c.jobs.all())
	_, err = c.client().Submit(c.ctx(), c.job("good", 1, 0))
	require.NoError(t, err)
}

func TestUserLimits(t *testing.T) {
	c := newCluster(t)
	c.conf.Set("howdah.jobtracker.user.jobs.maximum", "2", "test")
	c.start()
	f := newFakeTracker(t, c, "t1")
	f.hold("m")
	f.run()
	x := c.client()
	first, err := x.Submit(c.ctx(), c.job("a", 1, 0))
	require.NoError(t, err)
	_, err = x.Submit(c.ctx(), c.job("b", 1, 0))
	require.NoError(t, err)
	check := func() {
		t.Helper()
		err := c.refuses("")
		require.True(t, failure.Is(err, failure.Limit), "%v", err)
		require.ErrorContains(t, err, "ann has 2 unfinished jobs")
		require.ErrorContains(t, err, "howdah.jobtracker.user.jobs.maximum")
	}
	check()
	require.NoError(t, c.jobs.add(&wire.JobInfo{Job: 1000, User: "bob"}), "users do not share their limits")
	c.jobs.forget(1000)
	require.NoError(t, c.stop())
	c.start() // a restart counts the jobs again
	check()
	require.NoError(t, x.Kill(c.ctx(), first.ID, ""))
	require.Eventually(t, func() bool {
		_, err := x.Submit(c.ctx(), c.job("c", 1, 0))
		return err == nil
	}, time.Minute, 10*time.Millisecond)
}

func TestUserConfLimit(t *testing.T) {
	c := newCluster(t)
	c.conf.Set("howdah.jobtracker.user.conf.maximum", "100k", "test")
	c.start()
	big := strings.Repeat("x", 60<<10)
	j := c.job("a", 1, 0)
	j.Conf.Set("some.key", big, "test")
	_, err := c.client().Submit(c.ctx(), j)
	require.NoError(t, err)
	check := func() {
		t.Helper()
		err := c.refuses("", "some.key", big)
		require.True(t, failure.Is(err, failure.Limit), "%v", err)
		require.ErrorContains(t, err, "howdah.jobtracker.user.conf.maximum")
	}
	check()
	_, err = c.client().Submit(c.ctx(), c.job("small", 1, 0))
	require.NoError(t, err)
	require.NoError(t, c.stop())
	c.start()
	check()
}

// TestCredentialsAndSplitsCount checks that a user cannot fill the JobTracker's memory with them, not
// even across a restart.
func TestCredentialsAndSplitsCount(t *testing.T) {
	for what, grow := range map[string]func(*jobclient.Job){
		"splits": func(j *jobclient.Job) {
			for range 200 {
				j.Splits = append(j.Splits, j.Splits[0])
			}
		},
		"hosts": func(j *jobclient.Job) {
			for i := range 100 {
				j.Splits[0].Hosts = append(j.Splits[0].Hosts, strings.Repeat("h", 200)+itoa(i))
			}
		},
		"secrets": func(j *jobclient.Job) {
			creds := token.Credentials{Secrets: map[string][]byte{"s": make([]byte, 35<<10)}}
			name := filepath.Join(t.TempDir(), "secrets")
			require.NoError(t, os.WriteFile(name, creds.Encode(), 0o600))
			j.Conf.Set(conf.JobCredentialsBinary.Name, name, "test")
		},
	} {
		t.Run(what, func(t *testing.T) {
			c := newCluster(t)
			c.conf.Set("howdah.jobtracker.user.conf.maximum", "60k", "test")
			c.start()
			submit := func(name string) error {
				j := c.job(name, 1, 0)
				grow(&j)
				_, err := c.client().Submit(c.ctx(), j)
				return err
			}
			require.NoError(t, submit("a"))
			for range 2 {
				err := submit("b")
				require.True(t, failure.Is(err, failure.Limit), "%v", err)
				require.ErrorContains(t, err, "howdah.jobtracker.user.conf.maximum")
				require.NoError(t, c.stop())
				c.start()
			}
		})
	}
}

func TestCredentialsAreSmall(t *testing.T) {
	c := newCluster(t)
	c.start()
	place, err := c.wire().NewJob(c.ctx(), &client.NewJobRequest{User: "ann", Protocol: rpc.Protocol})
	require.NoError(t, err)
	_, err = c.wire().Submit(c.ctx(), &client.SubmitRequest{Id: place.Id, User: "ann", StagingDir: place.StagingDir,
		Receipt: place.Receipt, Credentials: make([]byte, maxCredentials+1)})
	require.True(t, failure.Is(err, failure.Limit), "%v", err)
	require.ErrorContains(t, err, "credentials have 262145 bytes; the limit is 262144")
}

// TestReservedNumbersCostNothing checks that a client that never submits leaves nothing behind.
func TestReservedNumbersCostNothing(t *testing.T) {
	c := newCluster(t)
	c.start()
	before := filesBelow(t, c.root)
	jobs := c.wire()
	for range 100 {
		_, err := jobs.NewJob(c.ctx(), &client.NewJobRequest{User: "ann", Protocol: rpc.Protocol})
		require.NoError(t, err)
	}
	require.ElementsMatch(t, before, filesBelow(t, c.root))
	require.Empty(t, c.jobs.all())
	c.jobs.reserved = math.MaxInt32
	_, err := c.jobs.reserve()
	require.True(t, failure.Is(err, failure.Limit), "%v", err)
}

func TestSubmitKeyIsShort(t *testing.T) {
	c := newCluster(t)
	c.start()
	j := c.job("a", 1, 0)
	j.Key = strings.Repeat("k", maxKey+1)
	_, err := c.client().Submit(c.ctx(), j)
	require.True(t, failure.Is(err, failure.Usage), "%v", err)
	require.ErrorContains(t, err, "submit key")
}

func TestRegistrationsPerSecond(t *testing.T) {
	c := newCluster(t)
	c.conf.Set("howdah.jobtracker.registrations.second", "1", "test")
	c.start()
	trackers := c.trackers()
	for i := range burst {
		c.register(trackers, "t"+itoa(i))
	}
	_, err := trackers.Register(c.ctx(), &wire.RegisterRequest{Protocol: rpc.Protocol, Name: "more", Host: "more",
		Incarnation: 1})
	require.True(t, failure.Is(err, failure.Limit), "%v", err)
	require.ErrorContains(t, err, "howdah.jobtracker.registrations.second")
	_, err = trackers.Register(c.ctx(), &wire.RegisterRequest{Protocol: rpc.Protocol, Name: "t", Incarnation: 1,
		Host: strings.Repeat("h", maxAddress+1)})
	require.True(t, failure.Is(err, failure.Usage), "%v", err)
}

func TestRate(t *testing.T) {
	r := newRate(2)
	now := time.Unix(1, 0)
	count := func() (n int) {
		for r.take(now) {
			n++
		}
		return n
	}
	require.Equal(t, 2*burst, count())
	now = now.Add(1500 * time.Millisecond)
	require.Equal(t, 3, count())
	now = now.Add(time.Hour)
	require.Equal(t, 2*burst, count())
}

// TestResultsFitIntoTheJournal checks that no attempt can report a result that is too large for the
// journal, whatever the maximum size of a message.
func TestResultsFitIntoTheJournal(t *testing.T) {
	name := strings.Repeat("n", 4<<10)
	r := goodReport()
	for range maxResult / len(name) {
		r.Attempt[0].File = append(r.Attempt[0].File, &wire.OutputFile{Name: name})
	}
	a := fromReport(r).Attempts[0]
	require.Equal(t, job.AttemptFailed, a.State)
	require.Equal(t, failure.Limit, a.Kind)
	require.Empty(t, a.Manifest)

	r = goodReport()
	r.Attempt[0].Counter = nil
	for i := range 2 * maxCounters {
		r.Attempt[0].Counter = append(r.Attempt[0].Counter, &wire.Counter{Group: "g", Name: itoa(i) + name, Value: 1})
	}
	a = fromReport(r).Attempts[0]
	if a.State != job.AttemptFailed {
		require.LessOrEqual(t, len(a.Counters.User), maxCounters)
	}
	r.Attempt[0].Counter = r.Attempt[0].Counter[:10]
	a = fromReport(r).Attempts[0]
	require.Len(t, a.Counters.User, 10)
	require.Len(t, a.Counters.User[0].Name, maxCounter)
	fact, err := history.AppendRecord(nil, &event.Event{Type: event.AttemptFinished, Counters: a.Counters})
	require.NoError(t, err)
	require.Less(t, len(fact), history.MaxRecord)
}

func TestNotificationOfAForbiddenHost(t *testing.T) {
	c := newCluster(t)
	c.conf.Set("howdah.jobtracker.notification.hosts", "oozie", "test")
	c.start()
	called := false
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called = true }))
	defer s.Close()
	err := c.refuses("", conf.JobEndNotificationURL.Name, s.URL)
	require.True(t, failure.Is(err, failure.Permission), "%v", err)
	require.ErrorContains(t, err, "howdah.jobtracker.notification.hosts")
	err = c.refuses("", conf.JobEndNotificationURL.Name, s.URL, "howdah.jobtracker.notification.hosts", "127.0.0.1")
	require.True(t, failure.Is(err, failure.Permission), "the job's own setting has no effect: %v", err)
	require.False(t, called)
}

// TestLoopbackIsForTheLaptop checks that a JobTracker which other hosts can reach does not call loopback
// addresses.
func TestLoopbackIsForTheLaptop(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte(strings.Repeat("s", 40)), 0o600))
	for addr, refused := range map[string]bool{"127.0.0.1:0": false, "localhost:0": false, "0.0.0.0:0": true, ":0": true} {
		c := conf.New()
		c.Set(conf.SecuritySecretFile.Name, secret, "test")
		c.Set(conf.JobTrackerHTTPAddress.Name, addr, "test")
		cfg, err := FromConf(c)
		require.NoError(t, err)
		job := conf.New()
		job.Set(conf.JobEndNotificationURL.Name, "http://127.0.0.1:1/", "test")
		plan, err := notify.Read(job)
		require.NoError(t, err)
		require.Equal(t, refused, cfg.Notify.Check(&plan) != nil, addr)
	}
}

// TestSlowNotificationsDelayNoCommit ends more jobs than there are workers, whose URLs do not answer.
// The job after them ends nevertheless.
func TestSlowNotificationsDelayNoCommit(t *testing.T) {
	c := newCluster(t)
	c.start()
	newFakeTracker(t, c, "t1").run()
	gate := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-gate }))
	defer s.Close()
	defer close(gate)
	x := c.client()
	for i := range numWorkers + 1 {
		j := c.job("j"+itoa(i), 1, 0)
		j.Conf.Set(conf.JobEndNotificationURL.Name, s.URL, "test")
		j.Conf.Set(conf.JobEndNotificationTimeout.Name, "3600000", "test")
		sub, err := x.Submit(c.ctx(), j)
		require.NoError(t, err)
		r, err := x.Wait(c.ctx(), sub.ID, nil)
		require.NoError(t, err)
		require.Equal(t, job.Succeeded, r.State)
	}
}
