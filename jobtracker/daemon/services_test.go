package daemon

import (
	"context"
	"crypto/sha256"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/prom/promtest"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/rpc/rpctest"
	"github.com/howdah/howdah/internal/wire/client"
	wire "github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// trackers returns an RPC client with the calls of a TaskTracker.
func (c *cluster) trackers() wire.TrackersClient {
	conn, err := rpc.Dial(c.Addr(), rpctest.Options(c.t))
	require.NoError(c.t, err)
	c.t.Cleanup(func() { conn.Close() })
	return wire.NewTrackersClient(conn)
}

func (c *cluster) register(trackers wire.TrackersClient, name string) *wire.RegisterReply {
	r, err := trackers.Register(c.ctx(), &wire.RegisterRequest{Protocol: rpc.Protocol, Name: name, Host: name,
		Addr: name + ":1", Incarnation: 1, MapSlots: 1, ReduceSlots: 1})
	require.NoError(c.t, err)
	return r
}

func TestOtherProtocolIsRefused(t *testing.T) {
	c := newCluster(t)
	c.start()
	_, err := c.trackers().Register(c.ctx(), &wire.RegisterRequest{Protocol: 2 * rpc.Protocol, Name: "t", Host: "t"})
	require.True(t, failure.Is(err, failure.Stale), "%v", err)
	_, err = c.wire().NewJob(c.ctx(), &client.NewJobRequest{User: "ann"})
	require.True(t, failure.Is(err, failure.Stale), "%v", err)
}

func TestProbeTellsWhetherStorageIsShared(t *testing.T) {
	c := newCluster(t)
	c.start()
	r := c.register(c.trackers(), "t")
	b, err := os.ReadFile(strings.TrimPrefix(r.ProbePath, "file:"))
	require.NoError(t, err)
	require.Equal(t, r.ProbeText, string(b))
	require.NoError(t, c.stop())
	c.start()
	require.Equal(t, r.ProbeText, c.register(c.trackers(), "t").ProbeText, "it stays over restarts")
}

// News reaches a parked tracker immediately. A tracker does not miss news between two calls.
func TestWaitForWork(t *testing.T) {
	c := newCluster(t)
	c.start()
	trackers := c.trackers()
	r := c.register(trackers, "t")
	_, err := trackers.Beat(c.ctx(), &wire.Report{Tracker: r.Tracker, Incarnation: 1, Seq: 1, Full: true, MapSlots: 1,
		ReduceSlots: 1})
	require.NoError(t, err)
	first, err := trackers.WaitForWork(c.ctx(), &wire.WaitRequest{Tracker: r.Tracker, Incarnation: 1})
	require.NoError(t, err)
	none, err := trackers.WaitForWork(c.ctx(), &wire.WaitRequest{Tracker: r.Tracker, Incarnation: 1,
		Version: first.Version, WaitMillis: 1})
	require.NoError(t, err)
	require.False(t, none.News)

	submitted := make(chan error, 1)
	go func() {
		_, err := c.client().Submit(c.ctx(), c.job("j", 1, 0))
		submitted <- err
	}()
	news, err := trackers.WaitForWork(c.ctx(), &wire.WaitRequest{Tracker: r.Tracker, Incarnation: 1,
		Version: first.Version, WaitMillis: 60_000})
	require.NoError(t, err)
	require.True(t, news.News)
	d, err := trackers.Beat(c.ctx(), &wire.Report{Tracker: r.Tracker, Incarnation: 1, Seq: 2, MapSlots: 1, ReduceSlots: 1})
	require.NoError(t, err)
	require.Len(t, d.Run, 1)
	require.NoError(t, <-submitted)
}

// Calls for completions park until a map succeeds, keep the order of completions, and end with the
// job.
func TestCompletions(t *testing.T) {
	c := newCluster(t)
	c.start()
	f := newFakeTracker(t, c, "t1")
	f.hold("m")
	f.hold("r")
	f.run()
	x := c.client()
	s, err := x.Submit(c.ctx(), c.job("j", 3, 1))
	require.NoError(t, err)
	trackers := c.trackers()
	ask := func(from int32, wait int64) *wire.CompletionsReply {
		r, err := trackers.Completions(c.ctx(), &wire.CompletionsRequest{Job: s.ID.Seq, From: from, Max: 2, WaitMillis: wait})
		require.NoError(t, err)
		return r
	}
	require.Empty(t, ask(0, 0).Event)
	go f.release("m")
	maps := map[int32]bool{}
	for cursor := int32(0); cursor < 3; {
		r := ask(cursor, 60_000)
		require.NotEmpty(t, r.Event)
		for _, e := range r.Event {
			require.Equal(t, "t1:1", e.Addr)
			maps[e.Map] = true
			cursor++
		}
	}
	require.Len(t, maps, 3)
	require.True(t, ask(4, 60_000).Restart, "the list is shorter than the cursor")
	f.release("r")
	require.True(t, ask(3, 60_000).Gone)
	_, err = trackers.GetJob(c.ctx(), &wire.GetJobRequest{Job: s.ID.Seq + 1})
	require.True(t, failure.Is(err, failure.NotFound))
}

func TestKillRunningAndEndedJobs(t *testing.T) {
	c := newCluster(t)
	c.conf.Set("mapred.jobtracker.completeuserjobs.maximum", "1", "test")
	c.start()
	f := newFakeTracker(t, c, "t1")
	f.hold("m")
	f.run()
	x := c.client()
	s, err := x.Submit(c.ctx(), c.job("victim", 2, 1))
	require.NoError(t, err)
	id := s.ID.String()
	_, err = c.wire().SetPriority(c.ctx(), &client.PriorityRequest{Id: id, Priority: "HIGH"})
	require.NoError(t, err)
	_, err = c.wire().SetPriority(c.ctx(), &client.PriorityRequest{Id: id, Priority: "URGENT"})
	require.True(t, failure.Is(err, failure.Usage))
	require.Eventually(t, func() bool {
		status, err := c.wire().Status(c.ctx(), &client.StatusRequest{Id: id})
		return err == nil && status.MapsRunning == 2
	}, time.Minute, time.Millisecond)
	_, err = c.wire().Kill(c.ctx(), &client.KillRequest{Id: id, Why: "enough"})
	require.NoError(t, err)
	r, err := x.Wait(c.ctx(), s.ID, nil)
	require.True(t, failure.Is(err, failure.Killed), "%v", err)
	require.Equal(t, job.Killed, r.State)
	require.NoDirExists(t, c.out("victim"))

	f.release("m")
	for _, name := range []string{"a", "b"} { // these jobs make the killed job retire
		s, err := x.Submit(c.ctx(), c.job(name, 1, 0))
		require.NoError(t, err)
		_, err = x.Wait(c.ctx(), s.ID, nil)
		require.NoError(t, err)
	}
	var status *client.JobStatus
	require.Eventually(t, func() bool {
		status, err = c.wire().Status(c.ctx(), &client.StatusRequest{Id: id, Attempts: true})
		return err == nil && status.Retired
	}, time.Minute, time.Millisecond)
	require.Equal(t, "KILLED", status.State)
	require.Equal(t, "HIGH", status.Priority)
	events, err := c.wire().Events(c.ctx(), &client.EventsRequest{Id: id, Max: 10})
	require.NoError(t, err)
	require.NotEmpty(t, events.Event)
	_, err = c.wire().Kill(c.ctx(), &client.KillRequest{Id: id})
	require.NoError(t, err, "killing what is over does nothing")
	for _, unknown := range []string{"job_202611210753_0001", id[:len(id)-4] + "7777"} {
		_, err = c.wire().Kill(c.ctx(), &client.KillRequest{Id: unknown})
		require.True(t, failure.Is(err, failure.NotFound), "%v", err)
		_, err = c.wire().Status(c.ctx(), &client.StatusRequest{Id: unknown})
		require.True(t, failure.Is(err, failure.NotFound), "%v", err)
	}
	_, err = c.wire().Status(c.ctx(), &client.StatusRequest{Id: "nonsense"})
	require.True(t, failure.Is(err, failure.Usage))
}

// If many clients submit the same job concurrently, as in retries, only one job results.
func TestConcurrentSubmissions(t *testing.T) {
	c := newCluster(t)
	c.start()
	x := c.client()
	j := c.job("same", 1, 0)
	j.Key = "key"
	var group sync.WaitGroup
	ids := make([]string, 8)
	for i := range ids {
		group.Go(func() {
			s, err := x.Submit(c.ctx(), j)
			if err == nil {
				ids[i] = s.ID.String()
			}
		})
	}
	group.Wait()
	for _, id := range ids {
		require.Equal(t, ids[0], id)
	}
	two := c.job("same", 1, 0) // another job with the same output directory
	_, err := x.Submit(c.ctx(), two)
	require.True(t, failure.Is(err, failure.Exists), "%v", err)
}

// A user's name must not be usable as a path, and no user can stage in another user's directory.
func TestForgedSubmissions(t *testing.T) {
	c := newCluster(t)
	c.start()
	jobs := c.wire()
	_, err := jobs.NewJob(c.ctx(), &client.NewJobRequest{User: "../root", Protocol: rpc.Protocol})
	require.True(t, failure.Is(err, failure.Usage), "%v", err)
	place, err := jobs.NewJob(c.ctx(), &client.NewJobRequest{User: "ann", Protocol: rpc.Protocol})
	require.NoError(t, err)
	for _, r := range []*client.SubmitRequest{
		{Id: place.Id, User: "ann", StagingDir: "file:/etc", Receipt: place.Receipt},
		{Id: place.Id + "9", User: "ann", StagingDir: place.StagingDir + "9"},
		{Id: "job_202001010000_0001", User: "ann", StagingDir: place.StagingDir},
		{Id: "x", User: "ann", StagingDir: place.StagingDir},
		{Id: place.Id, User: "..", StagingDir: place.StagingDir},
	} {
		_, err = jobs.Submit(c.ctx(), r)
		require.True(t, failure.Is(err, failure.Usage), "%v: %v", r, err)
	}
	_, err = jobs.Submit(c.ctx(), &client.SubmitRequest{Id: place.Id, User: "bob", StagingDir: place.StagingDir})
	require.True(t, failure.Is(err, failure.Permission), "ann requested the ID: %v", err)
	_, err = jobs.Submit(c.ctx(), &client.SubmitRequest{Id: place.Id, User: "ann", StagingDir: place.StagingDir,
		Receipt: place.Receipt})
	require.True(t, failure.Is(err, failure.NotFound), "nothing is staged: %v", err)
}

// sweepLost keeps the output directory of an interrupted submission if it belongs to the retried
// job.
func TestSweepSparesRepeatedSubmissions(t *testing.T) {
	c := newCluster(t)
	c.start()
	j := c.job("j", 1, 0)
	j.Key = "key"
	s, err := c.client().Submit(c.ctx(), j)
	require.NoError(t, err)
	info := c.jobs.get(s.ID.Seq)
	c.jobs.lost = []*wire.JobInfo{{Job: s.ID.Seq + 1, Owner: info.Owner, OutputDir: info.OutputDir, User: "ann"}}
	c.sweepLost(c.ctx())
	require.DirExists(t, c.out("j"))
	require.NotNil(t, c.jobs.get(s.ID.Seq))
}

// sweepLost and a submission with the same output directory exclude each other.
func TestSweepWaitsForSubmissions(t *testing.T) {
	c := newCluster(t)
	c.start()
	lost := &wire.JobInfo{Job: 99, Owner: "lost", OutputDir: "file:" + c.out("j"), User: "ann"}
	require.NoError(t, c.jobs.store(lost))
	unlock, err := c.outputs.lock(c.ctx(), lost.OutputDir)
	require.NoError(t, err)
	over, cancel := context.WithCancel(c.ctx())
	cancel()
	require.ErrorIs(t, c.unclaim(over, lost), context.Canceled)
	require.FileExists(t, c.jobs.path(lost.Job))
	unlock()
	require.NoError(t, c.unclaim(c.ctx(), lost))
	require.NoFileExists(t, c.jobs.path(lost.Job))
}

func TestDamagedStaging(t *testing.T) {
	c := newCluster(t)
	c.start()
	place, err := c.wire().NewJob(c.ctx(), &client.NewJobRequest{User: "ann", Protocol: rpc.Protocol})
	require.NoError(t, err)
	dir := strings.TrimPrefix(place.StagingDir, "file:")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	submit := func() error {
		_, err := c.wire().Submit(c.ctx(), &client.SubmitRequest{Id: place.Id, User: "ann", StagingDir: place.StagingDir,
			Receipt: place.Receipt})
		return err
	}
	write("job.xml", "not xml")
	require.True(t, failure.Is(submit(), failure.Config))
	write("job.xml", "<configuration/>")
	require.True(t, failure.Is(submit(), failure.NotFound), "no split information")
	write("job.splitmetainfo", "META-SP\x01 and then nonsense")
	require.True(t, failure.Is(submit(), failure.Corrupt))
	write("job.xml", strings.Repeat(" ", 6<<20))
	err = submit()
	require.True(t, failure.Is(err, failure.Limit), "%v", err)
	require.ErrorContains(t, err, conf.UserJobConfLimit.Name)
}

// TestTrackersLearnWhatWasAccepted checks that TaskTrackers can tell the accepted job.xml from one that
// the user has put in its place.
func TestTrackersLearnWhatWasAccepted(t *testing.T) {
	c := newCluster(t)
	c.conf.Set(conf.ClusterACLsEnabled.Name, "true", "test")
	c.start()
	s, err := c.client().Submit(c.ctx(), c.job("j", 1, 0))
	require.NoError(t, err)
	info, err := c.trackers().GetJob(c.ctx(), &wire.GetJobRequest{Job: s.ID.Seq})
	require.NoError(t, err)
	xml, err := os.ReadFile(filepath.Join(strings.TrimPrefix(info.StagingDir, "file:"), "job.xml"))
	require.NoError(t, err)
	sum := sha256.Sum256(xml)
	require.EqualValues(t, len(xml), info.ConfSize)
	require.Equal(t, sum[:], info.ConfSum)
	require.True(t, info.Acls, "TaskTrackers apply the access control lists to the logs")
}

// TestTasksPerChild checks that TaskTrackers learn whether a job sets the number.
func TestTasksPerChild(t *testing.T) {
	c := newCluster(t)
	c.start()
	for text, want := range map[string]int32{"": 0, "1": 1, "-1": -1} {
		j := c.job("j"+text, 1, 0)
		if text != "" {
			j.Conf.Set(conf.JobJVMNumTasks.Name, text, "test")
		}
		s, err := c.client().Submit(c.ctx(), j)
		require.NoError(t, err)
		info, err := c.trackers().GetJob(c.ctx(), &wire.GetJobRequest{Job: s.ID.Seq})
		require.NoError(t, err)
		require.Equal(t, want, info.TasksPerChild, text)
	}
}

func TestExcludedHost(t *testing.T) {
	c := newCluster(t)
	file := filepath.Join(c.root, "exclude")
	require.NoError(t, os.WriteFile(file, []byte("bad\n"), 0o644))
	c.conf.Set(conf.JobTrackerHostsExcludeFileName.Name, file, "test")
	c.start()
	_, err := c.trackers().Register(c.ctx(), &wire.RegisterRequest{Protocol: rpc.Protocol, Name: "t", Host: "bad",
		Incarnation: 1})
	require.True(t, failure.Is(err, failure.Permission), "%v", err)
	c.register(c.trackers(), "good")
}

func TestMetricsAndPages(t *testing.T) {
	c := newCluster(t)
	c.prepare = func(d *Daemon) {
		d.cfg.Web = func(d *Daemon) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				s, err := d.Jobs().Cluster(r.Context())
				if err == nil {
					io.WriteString(w, s.ID)
				}
			})
		}
	}
	c.start()
	newFakeTracker(t, c, "t1").run()
	x := c.client()
	s, err := x.Submit(c.ctx(), c.job("j", 2, 1))
	require.NoError(t, err)
	_, err = x.Wait(c.ctx(), s.ID, nil)
	require.NoError(t, err)
	page := func(path string) string {
		r, err := http.Get("http://" + c.HTTPAddr() + path)
		require.NoError(t, err)
		defer r.Body.Close()
		b, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		return string(b)
	}
	text := page("/metrics")
	for _, line := range []string{"map_slots 2", "trackers 1", "jobs_submitted_total 1", "jobs_completed_total 1",
		"maps_launched_total 2", "reduces_completed_total 1", "jobs_running 0", `task_seconds_count{type="map"} 2`} {
		require.Contains(t, text, "\nmapred_jobtracker_"+line+"\n")
	}
	require.Regexp(t, `\nmapred_jobtracker_heartbeat_seconds_bucket{le="\+Inf"} [1-9]`, text)
	require.NotContains(t, text, "\nmapred_jobtracker_journal_write_seconds_count 0\n")
	require.NotContains(t, text, "\nmapred_jobtracker_rpc_seconds_count{method=\"Beat\"} 0\n")
	promtest.CheckQueries(t, "mapred_jobtracker_", text)
	require.Equal(t, c.id(), page("/"))
	http.DefaultClient.CloseIdleConnections()
}

func (c *cluster) id() string { id, _ := c.Cluster(); return id }

func TestNotification(t *testing.T) {
	c := newCluster(t)
	c.start()
	newFakeTracker(t, c, "t1").run()
	calls := make(chan string, 10)
	n := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n++; n == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		calls <- r.URL.String()
	}))
	defer s.Close()
	j := c.job("j", 1, 0)
	j.Conf.Set(conf.JobEndNotificationURL.Name, s.URL+"/?id=$jobId&s=$jobStatus", "test")
	j.Conf.Set(conf.JobEndNotificationRetryAttempts.Name, "3", "test")
	j.Conf.Set(conf.JobEndNotificationRetryInterval.Name, "1", "test")
	x := c.client()
	sub, err := x.Submit(c.ctx(), j)
	require.NoError(t, err)
	want := "/?id=" + sub.ID.String() + "&s=SUCCEEDED"
	require.Equal(t, want, <-calls)
	require.Equal(t, want, <-calls, "once more, because the first call failed")
}

// If a JobTracker stops while calls are parked, it ends promptly and the calls return an error.
func TestStopWithParkedCalls(t *testing.T) {
	c := newCluster(t)
	c.start()
	trackers := c.trackers()
	r := c.register(trackers, "t")
	first, err := trackers.WaitForWork(c.ctx(), &wire.WaitRequest{Tracker: r.Tracker})
	require.NoError(t, err)
	parked := make(chan error, 1)
	go func() {
		_, err := trackers.WaitForWork(c.ctx(), &wire.WaitRequest{Tracker: r.Tracker, Version: first.Version,
			WaitMillis: 600_000})
		parked <- err
	}()
	require.Eventually(t, func() bool {
		c.trackerNews.mu.Lock()
		defer c.trackerNews.mu.Unlock()
		return c.trackerNews.parked == 1
	}, time.Minute, time.Millisecond)
	began := time.Now()
	require.NoError(t, c.stop())
	require.Less(t, time.Since(began), time.Minute, "the call is parked for ten")
	require.True(t, failure.Is(<-parked, failure.Unreachable))
}
