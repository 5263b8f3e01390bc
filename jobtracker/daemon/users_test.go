package daemon

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/rpc/rpctest"
	"github.com/howdah/howdah/internal/wire/client"
	wire "github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// by returns a connection of the holder of a new token.
func (c *cluster) by(claims auth.Claims) *grpc.ClientConn {
	c.t.Helper()
	claims.Expires = time.Now().Add(time.Hour).Unix()
	text, err := c.issued.Issue(claims, "test")
	require.NoError(c.t, err)
	proof, err := auth.ParseToken(text, "the file")
	require.NoError(c.t, err)
	conn, err := rpc.Dial(c.Addr(), rpc.Options{Proof: proof})
	require.NoError(c.t, err)
	c.t.Cleanup(func() { conn.Close() })
	return conn
}

func (c *cluster) byUser(name string) client.JobsClient {
	return client.NewJobsClient(c.by(auth.Claims{User: name}))
}

func (c *cluster) byNode(host string) wire.TrackersClient {
	return wire.NewTrackersClient(c.by(auth.Claims{Node: host}))
}

func TestWhoMayCall(t *testing.T) {
	c := newCluster(t)
	c.start()
	rpctest.CheckCalls(t, c.Addr(), c.server().GetServiceInfo(), c.cfg.RPC.Secret)
}

// TestUserNamesAreProved checks that a user's name in a request counts only if the caller may act for
// that user.
func TestUserNamesAreProved(t *testing.T) {
	c := newCluster(t)
	c.conf.Set("mapreduce.cluster.administrators", "carol", "test")
	c.conf.Set("hadoop.proxyuser.oozie.hosts", "127.0.0.1", "test")
	c.conf.Set("hadoop.proxyuser.oozie.users", "ann", "test")
	c.start()
	newFakeTracker(t, c, "t1").hold("m")
	s, err := c.client().Submit(c.ctx(), c.job("long", 1, 0)) // as ann
	require.NoError(t, err)
	id := s.ID.String()
	alice, carol, oozie := c.byUser("alice"), c.byUser("carol"), c.byUser("oozie")

	for _, name := range []string{"root", "ann", "carol", c.policies.Rules().Me} {
		for what, call := range map[string]func() error{
			"NewJob": func() error {
				_, err := alice.NewJob(c.ctx(), &client.NewJobRequest{User: name, Protocol: rpc.Protocol})
				return err
			},
			"Submit": func() error {
				_, err := alice.Submit(c.ctx(), &client.SubmitRequest{Id: id, User: name})
				return err
			},
			"Kill": func() error { _, err := alice.Kill(c.ctx(), &client.KillRequest{Id: id, User: name}); return err },
			"SetPriority": func() error {
				_, err := alice.SetPriority(c.ctx(), &client.PriorityRequest{Id: id, Priority: "LOW", User: name})
				return err
			},
			"SetDeadline": func() error {
				_, err := alice.SetDeadline(c.ctx(), &client.DeadlineRequest{Id: id, Deadline: "none", User: name})
				return err
			},
			"Move": func() error {
				_, err := alice.Move(c.ctx(), &client.MoveRequest{Id: id, Queue: "default", User: name})
				return err
			},
			"KillAttempt": func() error {
				_, err := alice.KillAttempt(c.ctx(), &client.KillAttemptRequest{
					Attempt: "attempt" + id[len("job"):] + "_m_000000_0", User: name})
				return err
			},
			"Queues": func() error { _, err := alice.Queues(c.ctx(), &client.QueuesRequest{User: name}); return err },
			"RefreshNodes": func() error {
				_, err := alice.RefreshNodes(c.ctx(), &client.AdminRequest{User: name})
				return err
			},
			"RefreshQueues": func() error {
				_, err := alice.RefreshQueues(c.ctx(), &client.AdminRequest{User: name})
				return err
			},
			"SetScheduler": func() error {
				_, err := alice.SetScheduler(c.ctx(), &client.SetSchedulerRequest{Name: "fair", User: name})
				return err
			},
			"DrainTracker": func() error {
				_, err := alice.DrainTracker(c.ctx(), &client.DrainRequest{Tracker: "t1", How: "delayed", User: name})
				return err
			},
			"TakeJobs": func() error {
				_, err := alice.TakeJobs(c.ctx(), &client.TakeJobsRequest{Closed: "ha", User: name})
				return err
			},
		} {
			err := call()
			require.True(t, failure.Is(err, failure.Permission), "%s as %s: %v", what, name, err)
		}
	}
	require.Equal(t, "fifo", c.policies.Present().Name)
	require.Empty(t, c.gate.why())

	place, err := alice.NewJob(c.ctx(), &client.NewJobRequest{Protocol: rpc.Protocol})
	require.NoError(t, err)
	require.Contains(t, place.StagingDir, "/alice/", "the name in the token")
	place, err = oozie.NewJob(c.ctx(), &client.NewJobRequest{User: "ann", Protocol: rpc.Protocol})
	require.NoError(t, err)
	require.Contains(t, place.StagingDir, "/ann/")
	_, err = oozie.NewJob(c.ctx(), &client.NewJobRequest{User: "bob", Protocol: rpc.Protocol})
	require.True(t, failure.Is(err, failure.Permission), "%v", err)
	_, err = alice.RefreshQueues(c.ctx(), &client.AdminRequest{User: "alice"})
	require.True(t, failure.Is(err, failure.Permission), "%v", err)
	_, err = carol.RefreshNodes(c.ctx(), &client.AdminRequest{User: "carol"})
	require.NoError(t, err, "carol is in the list of administrators and has proved that she is carol")
}

// TestAdministrators checks that a caller that knows the secret or has an administrator's token may make the
// calls for administrators, unless the call acts for a user who may not.
func TestAdministrators(t *testing.T) {
	c := newCluster(t)
	c.start()
	c.register(c.trackers(), "t1")
	for i, who := range []client.JobsClient{c.wire(), client.NewJobsClient(c.by(auth.Claims{Admin: true}))} {
		s, err := c.client().Submit(c.ctx(), c.job(fmt.Sprint("long", i), 1, 0)) // as ann
		require.NoError(t, err)
		for _, x := range []struct {
			what string
			call func(user string) error
		}{
			{"SetPriority", func(user string) error {
				_, err := who.SetPriority(c.ctx(), &client.PriorityRequest{Id: s.ID.String(), Priority: "LOW", User: user})
				return err
			}},
			{"SetDeadline", func(user string) error {
				_, err := who.SetDeadline(c.ctx(), &client.DeadlineRequest{Id: s.ID.String(), Deadline: "+1h", User: user})
				return err
			}},
			{"Move", func(user string) error {
				_, err := who.Move(c.ctx(), &client.MoveRequest{Id: s.ID.String(), Queue: "default", User: user})
				return err
			}},
			{"Kill", func(user string) error {
				_, err := who.Kill(c.ctx(), &client.KillRequest{Id: s.ID.String(), User: user})
				return err
			}},
			{"RefreshNodes", func(user string) error {
				_, err := who.RefreshNodes(c.ctx(), &client.AdminRequest{User: user})
				return err
			}},
			{"RefreshQueues", func(user string) error {
				_, err := who.RefreshQueues(c.ctx(), &client.AdminRequest{User: user})
				return err
			}},
			{"SetScheduler", func(user string) error {
				_, err := who.SetScheduler(c.ctx(), &client.SetSchedulerRequest{Name: "fair", User: user})
				return err
			}},
			{"DrainTracker", func(user string) error {
				_, err := who.DrainTracker(c.ctx(), &client.DrainRequest{Tracker: "t1", How: "off", User: user})
				return err
			}},
			{"TakeJobs", func(user string) error {
				_, err := who.TakeJobs(c.ctx(), &client.TakeJobsRequest{User: user})
				return err
			}},
		} {
			err := x.call("mallory")
			require.True(t, failure.Is(err, failure.Permission), "%s: %v", x.what, err)
			require.NoError(t, x.call(""), x.what)
		}
	}
	require.Contains(t, c.policies.Present().Name, "fair")
	require.Contains(t, c.policies.Status().By, "an administrator")
}

// TestReservedNumbersAreTheirUsers checks that a user cannot take the number of another user's job while
// that job is being staged, before and after a restart.
func TestReservedNumbersAreTheirUsers(t *testing.T) {
	c := newCluster(t)
	c.start()
	alice, bob := c.byUser("alice"), c.byUser("bob")
	place, err := alice.NewJob(c.ctx(), &client.NewJobRequest{Protocol: rpc.Protocol})
	require.NoError(t, err)
	dir := strings.Replace(place.StagingDir, "/alice/", "/bob/", 1)
	for range 2 {
		for _, receipt := range [][]byte{nil, place.Receipt} {
			_, err := bob.Submit(c.ctx(), &client.SubmitRequest{Id: place.Id, StagingDir: dir, Receipt: receipt})
			require.True(t, failure.Is(err, failure.Permission), "%v", err)
			require.ErrorContains(t, err, "user bob did not request the ID")
		}
		_, err = alice.Submit(c.ctx(), &client.SubmitRequest{Id: place.Id, StagingDir: place.StagingDir,
			Receipt: place.Receipt})
		require.True(t, failure.Is(err, failure.NotFound), "alice has staged nothing, but may submit: %v", err)
		require.NoError(t, c.stop())
		c.start()
		alice, bob = c.byUser("alice"), c.byUser("bob")
	}
}

// TestUsersOfTheJobTracker checks that the JobTracker answers only the users that its configuration lists,
// and administrators.
func TestUsersOfTheJobTracker(t *testing.T) {
	c := newCluster(t)
	c.conf.Set("security.job.client.protocol.acl", "ann ops", "test")
	c.conf.Set("mapreduce.cluster.administrators", "carol", "test")
	c.start()
	for user, may := range map[string]bool{"ann": true, "carol": true, "eve": false, "ops": false} {
		_, err := c.byUser(user).Cluster(c.ctx(), &client.Empty{})
		require.Equal(t, may, err == nil, "%s: %v", user, err)
		require.Equal(t, !may, failure.Is(err, failure.Permission), "%s: %v", user, err)
	}
	_, err := c.wire().Cluster(c.ctx(), &client.Empty{})
	require.NoError(t, err, "who knows the secret")
}

// TestUsersAreNoTaskTrackers checks that only nodes and administrators run TaskTrackers.
func TestUsersAreNoTaskTrackers(t *testing.T) {
	c := newCluster(t)
	c.start()
	user := wire.NewTrackersClient(c.by(auth.Claims{User: "alice"}))
	_, err := user.Register(c.ctx(), registration("n1", time.Now().UnixMilli()))
	require.True(t, failure.Is(err, failure.Permission), "%v", err)
	all, err := c.wire().Cluster(c.ctx(), &client.Empty{})
	require.NoError(t, err)
	require.Empty(t, all.Tracker)
}

func registration(host string, incarnation int64) *wire.RegisterRequest {
	return &wire.RegisterRequest{Protocol: rpc.Protocol, Name: "tracker_" + host + ":1", Host: host, Addr: host + ":1",
		Incarnation: incarnation, MapSlots: 1, ReduceSlots: 1}
}

// TestNodesRegisterOnlyThemselves checks that no node can take the name of another one's TaskTracker,
// and that nobody can take a name forever.
func TestNodesRegisterOnlyThemselves(t *testing.T) {
	c := newCluster(t)
	c.start()
	now := time.Now().UnixMilli()
	n1, n2 := c.byNode("n1"), c.byNode("n2")
	r, err := n1.Register(c.ctx(), registration("n1", now))
	require.NoError(t, err)

	_, err = n2.Register(c.ctx(), registration("n1", now+1))
	require.True(t, failure.Is(err, failure.Permission), "%v", err)
	require.ErrorContains(t, err, "node n2 may not register a TaskTracker on host n1")
	forged := registration("n2", now+1)
	forged.Name = "tracker_n1:1"
	_, err = n2.Register(c.ctx(), forged)
	require.True(t, failure.Is(err, failure.Permission), "%v", err)
	_, err = n2.Beat(c.ctx(), &wire.Report{Tracker: r.Tracker, Incarnation: now, Seq: 1, Full: true})
	require.True(t, failure.Is(err, failure.Permission), "%v", err)
	_, err = n2.Leave(c.ctx(), &wire.LeaveRequest{Tracker: r.Tracker, Incarnation: now})
	require.True(t, failure.Is(err, failure.Permission), "%v", err)
	_, err = n2.WaitForWork(c.ctx(), &wire.WaitRequest{Tracker: r.Tracker, Incarnation: now})
	require.True(t, failure.Is(err, failure.Permission), "%v", err)

	far := time.Date(2082, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	for _, who := range []wire.TrackersClient{n1, c.trackers()} {
		_, err = who.Register(c.ctx(), registration("n1", far))
		require.True(t, failure.Is(err, failure.Stale), "%v", err)
		require.ErrorContains(t, err, "ahead of the JobTracker's clock")
		require.ErrorContains(t, err, "set the clocks")
	}
	d, err := n1.Beat(c.ctx(), &wire.Report{Tracker: r.Tracker, Incarnation: now, Seq: 1, Full: true, MapSlots: 1,
		ReduceSlots: 1})
	require.NoError(t, err)
	require.False(t, d.Register)
	again, err := n1.Register(c.ctx(), registration("n1", now+1))
	require.NoError(t, err, "a restart")
	d, err = n1.Beat(c.ctx(), &wire.Report{Tracker: again.Tracker + 7, Incarnation: now, Seq: 1, Full: true})
	require.NoError(t, err)
	require.True(t, d.Register, "an unknown TaskTracker registers again")
}

// TestAddressesFromHoldersOfTheSecret checks that the JobTracker knows which addresses of TaskTrackers
// come from holders of the secret, also after a restart.
func TestAddressesFromHoldersOfTheSecret(t *testing.T) {
	c := newCluster(t)
	c.start()
	now := time.Now().UnixMilli()
	trusted := func() map[string]bool {
		s, err := c.Jobs().Cluster(c.ctx())
		require.NoError(t, err)
		out := map[string]bool{}
		for _, x := range s.Trackers {
			out[x.Addr] = x.Trusted
		}
		return out
	}
	_, err := c.byNode("n1").Register(c.ctx(), registration("n1", now))
	require.NoError(t, err)
	r, err := c.trackers().Register(c.ctx(), registration("n2", now))
	require.NoError(t, err)
	require.Equal(t, map[string]bool{"n1:1": false, "n2:1": true}, trusted())
	forged := registration("n2", now)
	forged.Addr = "evil.example:80"
	_, err = c.byNode("n2").Register(c.ctx(), forged)
	require.NoError(t, err)
	require.Equal(t, map[string]bool{"n1:1": false, "evil.example:80": false}, trusted())
	_, err = c.trackers().Register(c.ctx(), registration("n2", now))
	require.NoError(t, err)

	require.NoError(t, c.stop())
	c.start()
	require.Equal(t, map[string]bool{"n1:1": false, "n2:1": false}, trusted())
	report := &wire.Report{Tracker: r.Tracker, Incarnation: now, Seq: 1, Full: true, MapSlots: 1, ReduceSlots: 1,
		Addr: "n2:1"}
	_, err = c.byNode("n2").Beat(c.ctx(), report)
	require.NoError(t, err)
	require.False(t, trusted()["n2:1"])
	_, err = c.trackers().Beat(c.ctx(), report)
	require.NoError(t, err)
	require.True(t, trusted()["n2:1"])
}

// TestJobsOfOtherNodes checks that only the node that runs an attempt of a job sees the job's secrets.
func TestJobsOfOtherNodes(t *testing.T) {
	c := newCluster(t)
	c.start()
	now := time.Now().UnixMilli()
	n1, n2 := c.byNode("n1"), c.byNode("n2")
	r1, err := n1.Register(c.ctx(), registration("n1", now))
	require.NoError(t, err)
	r2, err := n2.Register(c.ctx(), registration("n2", now))
	require.NoError(t, err)
	s, err := c.client().Submit(c.ctx(), c.job("secret", 1, 0))
	require.NoError(t, err)
	seq := s.ID.Seq
	get := func(who wire.TrackersClient, tracker int32) (*wire.JobInfo, error) {
		return who.GetJob(c.ctx(), &wire.GetJobRequest{Tracker: tracker, Job: seq})
	}
	refused := func(err error) {
		t.Helper()
		require.True(t, failure.Is(err, failure.Permission), "%v", err)
	}
	_, err = get(n1, r1.Tracker)
	refused(err)
	var run *wire.Attempt
	for beat := uint64(1); run == nil; beat++ {
		d, err := n1.Beat(c.ctx(), &wire.Report{Tracker: r1.Tracker, Incarnation: now, Seq: beat, Full: true, MapSlots: 1,
			ReduceSlots: 1})
		require.NoError(t, err)
		if len(d.Run) > 0 {
			run = d.Run[0]
		}
	}
	info, err := get(n1, r1.Tracker)
	require.NoError(t, err)
	require.NotEmpty(t, info.Token)
	for _, tracker := range []int32{0, r1.Tracker, r2.Tracker} {
		_, err = get(n2, tracker)
		refused(err)
	}
	_, err = n2.CanCommit(c.ctx(), &wire.CanCommitRequest{Attempt: run})
	refused(err)
	_, err = n2.GetSkips(c.ctx(), &wire.GetSkipsRequest{Attempt: run})
	refused(err)
	_, err = n2.GetUnclean(c.ctx(), &wire.GetUncleanRequest{Job: seq})
	refused(err)
	_, err = n2.Completions(c.ctx(), &wire.CompletionsRequest{Job: seq, Max: 10, Tracker: r2.Tracker})
	refused(err)
	_, err = n1.GetSkips(c.ctx(), &wire.GetSkipsRequest{Attempt: run})
	require.NoError(t, err)
	_, err = n1.GetUnclean(c.ctx(), &wire.GetUncleanRequest{Job: seq})
	require.NoError(t, err)
	_, err = n1.Completions(c.ctx(), &wire.CompletionsRequest{Job: seq, Max: 10, Tracker: r1.Tracker})
	require.NoError(t, err)
	_, err = get(c.trackers(), 0)
	require.NoError(t, err, "administrators may see everything")
	require.Equal(t, job.Map, job.TaskType(run.Type))
}

// TestTaskTrackersLearnOfRevocations checks that each revoked token reaches a TaskTracker once in the life
// of the JobTracker.
func TestTaskTrackersLearnOfRevocations(t *testing.T) {
	c := newCluster(t)
	c.start()
	now := time.Now().UnixMilli()
	n1 := c.byNode("n1")
	r, err := n1.Register(c.ctx(), registration("n1", now))
	require.NoError(t, err)
	report := &wire.Report{Tracker: r.Tracker, Incarnation: now, Epoch: r.Epoch, Full: true, MapSlots: 1, ReduceSlots: 1}
	learn := func() []string {
		report.Seq++
		d, err := n1.Beat(c.ctx(), report)
		require.NoError(t, err)
		report.Epoch, report.Revocations = d.Epoch, d.Revocations
		return d.Revoked
	}
	require.Empty(t, learn())
	var want []string
	for _, id := range []string{"000000000000000b", "000000000000000a"} {
		require.NoError(t, c.issued.Revoke(auth.Claims{ID: id, Expires: now}))
		require.Equal(t, []string{id}, learn())
		want = append(want, id)
		require.Empty(t, learn())
	}
	require.NoError(t, c.stop())
	c.start()
	n1 = c.byNode("n1")
	require.Equal(t, want, learn(), "a restarted JobTracker may have another order")
	require.Empty(t, learn())
}

// TestRevocationsSurvive checks that a restarted JobTracker still refuses a revoked token.
func TestRevocationsSurvive(t *testing.T) {
	c := newCluster(t)
	c.start()
	alice := c.byUser("alice")
	_, err := alice.Cluster(c.ctx(), &client.Empty{})
	require.NoError(t, err)
	require.NoError(t, c.issued.Revoke(c.issued.List()[0].Claims))
	_, err = alice.Cluster(c.ctx(), &client.Empty{})
	require.ErrorContains(t, err, auth.ErrRevoked.Error())
	require.NoError(t, c.stop())
	c.start()
	require.Eventually(t, func() bool {
		_, err = alice.Cluster(c.ctx(), &client.Empty{})
		return !failure.Is(err, failure.Unreachable)
	}, time.Minute, time.Millisecond)
	require.ErrorContains(t, err, auth.ErrRevoked.Error())
}
