//go:build integration

package trust

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/local"
	"github.com/howdah/howdah/integration/testpool"
	"github.com/howdah/howdah/integration/testuser"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/gossip"
	"github.com/howdah/howdah/internal/program"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/staging"
	"github.com/howdah/howdah/internal/transport"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	_ "github.com/howdah/howdah/jobtracker/daemon" // for its messages
	"github.com/howdah/howdah/mapreduce"
	_ "github.com/howdah/howdah/mrcluster/daemon"
)

// message returns a message of howdah's protocols with the fields in a JSON object.
func message(t *testing.T, name protoreflect.FullName, fields string) proto.Message {
	t.Helper()
	typ, err := protoregistry.GlobalTypes.FindMessageByName(name)
	require.NoError(t, err)
	m := typ.New().Interface()
	require.NoError(t, protojson.Unmarshal([]byte(fields), m))
	return m
}

// token returns a token of the cluster.
func (c *masterCluster) token(claims auth.Claims) string {
	c.t.Helper()
	x := conf.New()
	require.NoError(c.t, x.LoadFile(filepath.Join(c.conf(testuser.Root), "mapred-site.xml")))
	secret, err := auth.Load(x)
	require.NoError(c.t, err)
	claims.Expires = time.Now().Add(time.Hour).Unix()
	text, _ := secret.Issue(claims)
	return text
}

// dial connects to the JobTracker with a token. Without a token, the connection has no credentials.
func (c *masterCluster) dial(token string) *grpc.ClientConn {
	c.t.Helper()
	o := rpc.Options{Timeout: time.Minute, MaxMessage: 100 << 20}
	if token != "" {
		var err error
		o.Proof, err = auth.ParseToken(token, "test")
		require.NoError(c.t, err)
	}
	conn, err := rpc.Dial(c.jobTracker, o)
	require.NoError(c.t, err)
	c.t.Cleanup(func() { conn.Close() })
	return conn
}

// strangers makes a call to the JobTracker without credentials, as another user, and as a node that
// runs nothing. The call must fail each time.
func (c *masterCluster) strangers(t *testing.T, call func(context.Context, *grpc.ClientConn) error) {
	t.Helper()
	for who, token := range map[string]string{"nobody": "", "user": c.token(auth.Claims{User: "hm-mallory"}),
		"node": c.token(auth.Claims{Node: "hm-elsewhere"})} {
		require.Error(t, call(t.Context(), c.dial(token)), who)
	}
}

// stage writes the staged files of a user's job. It returns the job's submission, which the caller
// may change before it submits the job, and the staging directory. The returned connection has no
// credentials if the JobTracker accepts that. Otherwise, it has a token of the user.
func (c *masterCluster) stage(u *testuser.User, x *conf.Config, split mapreduce.Split) (transport.Jobs,
	transport.Submission, string) {
	c.t.Helper()
	request := transport.NewJob{User: u.Name, Key: u.Name, Protocol: rpc.Protocol}
	jobs := transport.Client(c.dial(""))
	place, err := jobs.NewJob(c.t.Context(), request)
	if err != nil {
		jobs = transport.Client(c.dial(c.token(auth.Claims{User: u.Name})))
		place, err = jobs.NewJob(c.t.Context(), request)
	}
	require.NoError(c.t, err)
	dir, ok := strings.CutPrefix(place.StagingDir, "file:")
	require.True(c.t, ok, place.StagingDir)
	fs, err := local.New(conf.New())
	require.NoError(c.t, err)
	if x.Get(conf.JobProgramID.Name) == "" {
		x.Set(conf.JobProgramID.Name, place.Program, "test")
	}
	x.Set(conf.JobProgramJob.Name, "wordcount", "test")
	require.NoError(c.t, staging.Write(c.t.Context(), fs, dir, x, []mapreduce.Split{split}))
	for _, d := range []string{filepath.Dir(filepath.Dir(dir)), filepath.Dir(dir), dir} {
		u.Dir(c.t, d, 0o700)
	}
	for _, name := range []string{staging.ConfFile, staging.MetaFile, staging.SplitFile} {
		require.NoError(c.t, os.Chown(filepath.Join(dir, name), u.UID, u.GID))
	}
	return jobs, transport.Submission{ID: place.ID, StagingDir: place.StagingDir, User: u.Name, Key: request.Key,
		Receipt: place.Receipt}, dir
}

// submit submits a job of a user with one map and returns its ID.
func (c *masterCluster) submit(u *testuser.User, x *conf.Config) job.ID {
	c.t.Helper()
	jobs, s, _ := c.stage(u, x, mapreduce.Split{Length: 1})
	r, err := jobs.Submit(c.t.Context(), s)
	require.NoError(c.t, err)
	return r.ID
}

// Row 4: a stranger's manager joins the gossip of a pool. No agent obeys it, and the pool keeps its
// own manager, no matter which manager started later.
func TestMasterFalseManager(t *testing.T) {
	for name, epoch := range map[string]int64{"earlier": 1, "later": math.MaxInt64} {
		t.Run(name, func(t *testing.T) {
			p := testpool.Start(t, testpool.Options{Nodes: 1})
			p.Eventually("the node to be free", func() bool { return p.Free() == 1 })
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			var reports atomic.Int32
			// The replies to a report and to a request for the state begin with the same fields.
			reply := message(t, "howdah.pool.ReportReply", fmt.Sprintf(`{"pool": "false", "incarnation": %d}`, epoch))
			server := grpc.NewServer(grpc.UnknownServiceHandler(func(_ any, s grpc.ServerStream) error {
				if name, _ := grpc.MethodFromServerStream(s); strings.HasSuffix(name, "/Report") {
					reports.Add(1)
				}
				return errors.Join(s.RecvMsg(&emptypb.Empty{}), s.SendMsg(reply))
			}))
			go func() { _ = server.Serve(listener) }()
			t.Cleanup(server.Stop)
			member, err := gossip.Join(gossip.Config{Seeds: []string{p.Gossip}, Seek: gossip.Agent,
				Meta: gossip.Meta{Role: gossip.Manager, RPC: listener.Addr().String(), Epoch: epoch, Pool: "false"}})
			require.NoError(t, err)
			t.Cleanup(member.Leave)
			for end := time.Now().Add(6 * time.Second); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
				require.Zero(t, reports.Load(), "an agent reports to a false manager")
				s, ok := p.Status()
				require.True(t, ok, "the manager leaves: %s", p.Log())
				require.Len(t, s.Nodes, 1)
			}
			require.Len(t, member.Members(), 1)
		})
	}
}

// Rows 7 and 8: strangers claim to be root. They can neither administer the JobTracker, nor kill
// another user's job, nor get its secrets.
func TestMasterFalseNames(t *testing.T) {
	c := newMasterCluster(t)
	alice := testuser.New(t, "hm-alice")
	c.startJobTracker(testuser.Root)
	id := c.submit(alice, conf.New()) // without a TaskTracker, it waits
	by := transport.By{User: "root", Why: "test"}
	for _, x := range []struct {
		what string
		call func(context.Context, *grpc.ClientConn) error
	}{
		{"GetJob", func(ctx context.Context, conn *grpc.ClientConn) error {
			return conn.Invoke(ctx, "/howdah.tracker.Trackers/GetJob", message(t, "howdah.tracker.GetJobRequest",
				fmt.Sprintf(`{"job": %d}`, id.Seq)), &emptypb.Empty{})
		}},
		{"SetScheduler", func(ctx context.Context, conn *grpc.ClientConn) error {
			_, err := transport.Client(conn).SetScheduler(ctx, "fair", nil, by)
			return err
		}},
		{"Kill", func(ctx context.Context, conn *grpc.ClientConn) error {
			return transport.Client(conn).Kill(ctx, id, by)
		}},
		{"TakeJobs", func(ctx context.Context, conn *grpc.ClientConn) error {
			_, err := transport.Client(conn).TakeJobs(ctx, "test", by.User)
			return err
		}},
	} {
		t.Run(x.what, func(t *testing.T) { c.strangers(t, x.call) })
	}
	out, code := c.run(testuser.Root, "job", "-list")
	require.Zero(t, code, out)
	require.Contains(t, out, id.String())
}

// Rows 7, 9, and 10: strangers can neither drain a TaskTracker nor take its place, even if they
// claim to have started later. None of their TaskTrackers can join.
func TestMasterFalseTrackers(t *testing.T) {
	c := newMasterCluster(t)
	mallory := testuser.New(t, "hm-mallory")
	c.startJobTracker(testuser.Root)
	c.startTaskTracker(testuser.Root)
	trackers := func() string {
		out, code := c.run(testuser.Root, "job", "-list-active-trackers")
		require.Zero(t, code, out)
		return strings.TrimSpace(out)
	}
	name := trackers()
	host, _, ok := strings.Cut(strings.TrimPrefix(name, "tracker_"), ":")
	require.True(t, ok, name)
	t.Run("join", func(t *testing.T) {
		for _, token := range []string{"", c.token(auth.Claims{User: mallory.Name})} {
			c.tokens[mallory.Name] = token
			cmd, log := c.command(mallory, "tasktracker"), &masterLog{}
			cmd.Stdout, cmd.Stderr = log, log
			require.NoError(t, cmd.Start())
			ended := make(chan struct{})
			go func() { _ = cmd.Wait(); close(ended) }()
			t.Cleanup(func() { _ = cmd.Process.Kill(); <-ended })
			masterEventually(t, "the TaskTracker to be refused", func() bool {
				require.Equal(t, name, trackers(), "the stranger's TaskTracker joins")
				select {
				case <-ended:
					return true
				default:
					return strings.Contains(log.String(), "the JobTracker does not answer")
				}
			})
		}
	})
	t.Run("DrainTracker", func(t *testing.T) {
		c.strangers(t, func(ctx context.Context, conn *grpc.ClientConn) error {
			_, err := transport.Client(conn).DrainTracker(ctx, name, "immediate", transport.By{User: "root", Why: "test"})
			return err
		})
	})
	t.Run("Register", func(t *testing.T) {
		later := message(t, "howdah.tracker.RegisterRequest", fmt.Sprintf(`{"protocol": %d, "name": %q, "host": %q, `+
			`"addr": "127.0.0.1:1", "incarnation": %d, "mapSlots": 1}`, rpc.Protocol, name, host,
			time.Date(2082, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()))
		register := func(ctx context.Context, conn *grpc.ClientConn) error {
			return conn.Invoke(ctx, "/howdah.tracker.Trackers/Register", later, &emptypb.Empty{})
		}
		c.strangers(t, register)
		require.ErrorContains(t, register(t.Context(), c.dial(c.token(auth.Claims{Node: host}))), "clock")
	})
	require.Equal(t, name, trackers())
	require.NoError(t, syscall.Kill(c.pids["tasktracker"], 0), "the TaskTracker has ended")
}

// Row 11: a job's split information contains a host name of 300 MiB. The JobTracker rejects the job
// and keeps running.
func TestMasterHugeHostName(t *testing.T) {
	c := newMasterCluster(t)
	alice := testuser.New(t, "hm-alice")
	c.startJobTracker(testuser.Root)
	jobs, s, _ := c.stage(alice, conf.New(), mapreduce.Split{Length: 1, Hosts: []string{strings.Repeat("h", 300<<20)}})
	_, err := jobs.Submit(t.Context(), s)
	out, code := c.run(testuser.Root, "job", "-list")
	require.Zero(t, code, "the JobTracker has ended: %s", out)
	require.True(t, failure.Is(err, failure.Limit), "%v", err)
}

// Row 12: a user's script contains the identity of another user's program as text. The other user's
// jobs do not run the script.
func TestMasterFalseProgram(t *testing.T) {
	c := newMasterCluster(t)
	alice, mallory := testuser.New(t, "hm-alice"), testuser.New(t, "hm-mallory")
	c.startJobTracker(testuser.Root)
	c.startTaskTracker(testuser.Root)
	real, err := program.Of(c.program)
	require.NoError(t, err)
	b, err := os.ReadFile(c.program)
	require.NoError(t, err)
	id := strings.TrimPrefix(real.ID, "go:")
	other := strings.ToUpper(id)
	own := alice.File(t, c.dir+"/own", strings.ReplaceAll(string(b), id, other), 0o755)
	ran := mallory.File(t, c.dir+"/ran", "", 0o666)
	script := mallory.File(t, c.dir+"/script", "#!/bin/sh\necho ran >> "+ran+"\nexit 1\n"+
		"\xff Go build ID: \""+other+"\"\n \xff", 0o755)
	run := func(u *testuser.User, file string) {
		p, err := program.Of(file)
		require.NoError(t, err)
		require.Equal(t, "go:"+other, p.ID)
		x := conf.New()
		x.Set(conf.JobProgramID.Name, p.ID, "test")
		x.Set(conf.JobProgramPath.Name, "file:"+file, "test")
		job := c.submit(u, x)
		masterEventually(t, "the job to end", func() bool {
			out, _ := c.run(testuser.Root, "job", "-status", job.String())
			return strings.Contains(out, "FAILED") || strings.Contains(out, "SUCCEEDED")
		})
	}
	run(mallory, script)
	before, err := os.ReadFile(ran)
	require.NoError(t, err)
	require.NotEmpty(t, before, "the script is mallory's program")
	run(alice, own)
	after, err := os.ReadFile(ran)
	require.NoError(t, err)
	require.Equal(t, string(before), string(after), "mallory's script runs in alice's job")
}

// Row 14: a user's job.xml is a link to a file that only root can read. The JobTracker reads
// job.xml as the user, so it rejects the job.
func TestMasterReadsStagedFilesAsUser(t *testing.T) {
	c := newMasterCluster(t)
	alice := testuser.New(t, "hm-alice")
	c.startJobTracker(testuser.Root)
	x := conf.New()
	x.Set("secret.of.root", "hunter2", "test")
	jobs, s, dir := c.stage(alice, x, mapreduce.Split{Length: 1})
	private := c.dir + "/private"
	require.NoError(t, os.Mkdir(private, 0o700))
	for _, name := range []string{staging.ConfFile, staging.MetaFile, staging.SplitFile} {
		at := filepath.Join(private, name)
		require.NoError(t, os.Rename(filepath.Join(dir, name), at))
		require.NoError(t, os.Chown(at, 0, 0))
		require.NoError(t, os.Symlink(at, filepath.Join(dir, name)))
	}
	_, err := jobs.Submit(t.Context(), s)
	require.True(t, failure.Is(err, failure.Permission), "%v", err)
	require.NotContains(t, err.Error(), "hunter2")
}
