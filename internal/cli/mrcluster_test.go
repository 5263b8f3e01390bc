package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/howdah/howdah/internal/rpc/rpctest"
	"github.com/howdah/howdah/internal/transport/manager"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	mrstatus "github.com/howdah/howdah/mrcluster/status"
)

// fakeManager is a manager on loopback. Its MR-cluster becomes active after a while.
type fakeManager struct {
	manager.Manager
	created *mrcluster.Spec
	size    int  // argument of the grow request
	discard bool // discard flag of the remove request
	jt      string
	asked   int
	binary  string // binary of the MR-cluster's request
	fails   string // the reason why the deployment fails; "" means success
}

func (f *fakeManager) Create(_ context.Context, s *mrcluster.Spec) error {
	f.created = s
	return nil
}

func (f *fakeManager) Remove(_ context.Context, _ string, discard bool) error {
	f.discard = discard
	return nil
}

func (f *fakeManager) Grow(_ context.Context, _ string, nodes int) error {
	f.size = nodes
	return nil
}

func (f *fakeManager) Job(_ context.Context, name string, _ int64) (*mrstatus.Cluster, error) {
	if name != "logs" {
		return nil, failure.New(failure.NotFound, "run job", name, nil)
	}
	return &mrstatus.Cluster{ClusterView: mrcluster.ClusterView{State: mrcluster.Queued,
		Spec: mrcluster.Spec{Name: "logs", Core: 2}}}, nil
}

func (f *fakeManager) Status(_ context.Context, name string) (*mrstatus.Pool, error) {
	if name != "" && name != "logs" {
		return nil, failure.New(failure.NotFound, "find MR-cluster", name, nil)
	}
	f.asked++
	c := mrcluster.ClusterView{Spec: mrcluster.Spec{Name: "logs", Core: 2, Binary: f.binary, User: "ann"},
		State: mrcluster.Active, Deployment: 3, Held: 4, Target: 5, Size: f.size, Leaving: 1, Cores: 2,
		Weight: 0.25, Master: "n1",
		Sample: mrcluster.Sample{Jobs: 2, RunningTasks: 7, WaitingTasks: 31}}
	at := mrstatus.Endpoints{JobTracker: f.jt}
	switch {
	case f.fails != "":
		c, at = mrcluster.ClusterView{Spec: c.Spec, LastError: f.fails}, mrstatus.Endpoints{}
	case f.asked == 1:
		c.State, at = mrcluster.Deploying, mrstatus.Endpoints{}
	}
	return &mrstatus.Pool{Name: "p", Weights: "TD", Global: 0.0227, Threshold: 0.01, Queue: []string{"next"},
		NowMs: 100_000, Clusters: []*mrstatus.Cluster{{ClusterView: c, Endpoints: at}},
		Nodes: []*mrcluster.NodeView{
			{Name: "n1", State: mrcluster.Up, Cluster: "logs", Kind: mrcluster.Core, Master: true},
			{Name: "n2", State: mrcluster.Draining, Cluster: "logs", Kind: mrcluster.TransientCore, Left: 77},
			{Name: "n3", Problem: "failed in other: no Java", FailedAt: 58_000}},
		Events: []*mrstatus.Event{
			{Fact: mrcluster.Reconfigured, Shares: []mrstatus.Share{{Cluster: "logs", Nodes: 5}}},
			{Fact: mrcluster.NodeDraining, Node: "n2", Reason: "the MR-cluster\n\tshrinks"}}}, nil
}

func startManager(t *testing.T, f *fakeManager) (set string) {
	return "howdah.mrcluster.manager.address=" +
		rpctest.Serve(t, func(s grpc.ServiceRegistrar) { manager.Register(s, f) })
}

func TestMRClusterCommands(t *testing.T) {
	f := &fakeManager{jt: "h:1"}
	set := startManager(t, f)
	do := func(args ...string) string {
		t.Helper()
		code, out, errOut := call(t, append([]string{"mrcluster", "-D", set}, args...)...)
		require.Zero(t, code, errOut)
		return out
	}
	do("create", "logs", "--core", "2", "--grow", "TC", "--hdfs", "--load", "file:/a=/b", "--save", "/c=s3:/d",
		"--set", "k=v=w")
	require.Equal(t, mrcluster.TransientCore, f.created.Grow)
	require.Equal(t, []string{"k=v=w"}, f.created.Conf)
	require.Equal(t, []string{"file:/a", "/b", "/c", "s3:/d"}, []string{f.created.Load[0].From, f.created.Load[0].To,
		f.created.Save[0].From, f.created.Save[0].To})
	require.True(t, f.created.HDFS)
	f.asked = 1
	require.Regexp(t, `logs +ann +active +4 of 5, 1 leaving`, do("list"))
	status := do("status", "logs")
	for _, want := range []string{"discrimination 0.0227 of 0.01 s^2", "waiting, in order: next", "core, master",
		"77 bytes to move", "42s ago: failed in other: no Java", "; logs: 5 nodes", "the MR-cluster shrinks"} {
		require.Contains(t, status, want)
	}
	require.Contains(t, do("status", "--json"), `"left_bytes": 77`)
	require.Contains(t, do("status", "--json"), `"state": "DRAINING"`)
	require.NotContains(t, do("status", "--json"), `: ""`)
	require.Contains(t, do("status", "--json"), `"failed_ms": 58000`)
	require.Contains(t, do("list", "--json"), `"jobtracker": "h:1"`)
	require.Contains(t, do("list", "--json"), `"owner": "ann"`)
	do("grow", "logs", "3")
	require.Regexp(t, `logs +ann +active +4 of 5, at least 3, 1 leaving`, do("status", "logs"))
	require.Contains(t, do("list", "--json"), `"operator_size": 3`)
	do("grow", "logs", "0")
	require.Zero(t, f.size)
	for _, bad := range []string{"-1", "x", "1.5", "99999999999999999999"} {
		code, _, errOut := call(t, "mrcluster", "-D", set, "grow", "--", "logs", bad)
		require.Equal(t, 2, code, errOut)
		require.Contains(t, errOut, "is not a number of nodes")
	}
	do("remove", "logs", "--discard")
	require.True(t, f.discard)
}

func TestEventsOfOtherDays(t *testing.T) {
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.Local)
	require.Equal(t, "00:00:00.000", dayAndTime(now.UnixMilli(), now.Add(-12*time.Hour).UnixMilli()))
	require.Equal(t, "2026-03-01 23:59:59.999",
		dayAndTime(now.UnixMilli(), now.Add(-12*time.Hour-time.Millisecond).UnixMilli()))
}

func TestMRClusterBadInput(t *testing.T) {
	set := startManager(t, &fakeManager{fails: "no space"})
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"mrcluster -D " + set, 2, "use one of the commands"},
		{"mrcluster create -D " + set, 2, "needs 1 argument"},
		{"mrcluster create a/b -D " + set, 2, "letters, digits"},
		{"mrcluster create a --core 0 -D " + set, 2, "0 core nodes"},
		{"mrcluster create a --set x -D " + set, 2, "key=value"},
		{"mrcluster create a --load x=y=z -D " + set, 2, "want FROM=TO"},
		{"mrcluster create a --hdfs --load /x=/y -D " + set, 2, "which is empty at that time"},
		{"mrcluster create a --hdfs --load file:/x=/y --save /y=/z -D " + set, 2, "which is removed afterward"},
		{"mrcluster create a --hdfs --save /y=hdfs:///z -D " + set, 2, "which is removed afterward"},
		{"mrcluster create -D " + set + " -- -x", 2, "start with a dash"},
		{"mrcluster create a --binary /etc -D " + set, 2, "is not executable"},
		{"mrcluster list -D howdah.mrcluster.manager.address=127.0.0.1:1", 5, "check that the daemon runs"},
		{"mrcluster list -D howdah.mrcluster.manager.address=nowhere", 3, "host:port"},
		{"run --mrcluster nobody -D " + set + " pi 1 1", 2, "nobody"},
		{"run --mrcluster logs -D " + set + " pi 1 1", 1, "no space"},
		{"run --mrcluster", 2, "give a value"},
		{"jar x-examples.jar pi --mrcluster logs -D " + set + " 1 1", 1, "no space"},
		{"distcp --mrcluster logs -D " + set + " a b", 1, "no space"},
		{"streaming -mrcluster logs -D " + set + " -input i -output o -mapper nothing-of-this-machine", 1, "no space"},
		{"job --mrcluster nobody -D " + set + " -list", 2, "nobody"},
		{"job --mrcluster logs -D " + set + " -list", 5, "not deployed (defined)"},
		{"doctor --mrcluster logs -D " + set, 5, "run --mrcluster logs"},
	} {
		code, _, errOut := call(t, strings.Fields(c.args)...)
		require.Equal(t, c.code, code, "%s: %s", c.args, errOut)
		require.Contains(t, errOut, c.want, c.args)
	}
}

// Jobs go to the MR-cluster as soon as its JobTracker answers. Until then, the command prints the
// state of the MR-cluster.
func TestDeployWaits(t *testing.T) {
	jt, _ := startFake(t)
	f := &fakeManager{jt: jt}
	set := startManager(t, f)
	code, _, errOut := call(t, "run", "--mrcluster", "logs", "-D", set, "wordcount", t.TempDir()+"/none",
		t.TempDir()+"/out")
	require.NotZero(t, code)
	require.Contains(t, errOut, "MR-cluster logs: queued (0 of 2 core nodes)\nMR-cluster logs: deploying (2 of 2 core "+
		"nodes)\n")
	require.Contains(t, errOut, "none", "the job is looked at by then")
}

// With the name of an MR-cluster in the configuration, Hadoop's commands work without further
// options.
func TestCommandsFindTheMRCluster(t *testing.T) {
	jt, _ := startFake(t)
	f := &fakeManager{jt: jt, asked: 1}
	set := startManager(t, f)
	site := `<configuration><property><name>howdah.mrcluster.name</name><value>logs</value></property></configuration>`
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "mapred-site.xml"), []byte(site), 0o644))
	for _, args := range []string{"job -list", "queue -list", "admin -safemode get", "job -list-active-trackers"} {
		code, out, errOut := call(t, append([]string{"--config", dir, "-D", set}, strings.Fields(args)...)...)
		require.Zero(t, code, "%s: %s", args, errOut)
		require.NotEmpty(t, out, args)
	}
	code, _, errOut := call(t, "--config", dir, "-D", set, "job", "-jt", "127.0.0.1:1", "-list")
	require.Equal(t, 5, code, "what -jt says wins: %s", errOut)
	code, _, errOut = call(t, "--config", dir, "-D", set, "streaming", "-input", dir+"/none", "-output", dir+"/out",
		"-mapper", "cat")
	require.Equal(t, 2, code, errOut)
	require.NotContains(t, errOut, "local", "no input on the MR-cluster")
}

// FAW section 4.2.1: the minimum share is "set by a system administrator or computed based on the amount of data".
func TestCoreByData(t *testing.T) {
	f := &fakeManager{}
	set := startManager(t, f)
	in := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(in, "deep"), 0o755))
	for _, name := range []string{"a", "b", "deep/c"} {
		require.NoError(t, os.WriteFile(filepath.Join(in, name), make([]byte, 100), 0o644))
	}
	create := func(args ...string) int {
		t.Helper()
		code, _, errOut := call(t, append([]string{"mrcluster", "-D", set, "create", "logs"}, args...)...)
		require.Zero(t, code, errOut)
		return f.created.Core
	}
	each := "howdah.mrcluster.core.bytes=120"
	require.Equal(t, 3, create("-D", each, "--load", in+"=/in"))
	require.Equal(t, 5, create("-D", each, "--load", in+"=/in", "--load", in+"/[ab]=/more"))
	require.Equal(t, 2, create("-D", each, "--load", in+"=/in", "--core", "2"), "somebody says how many")
	require.Equal(t, 1, create("--load", in+"=/in"), "nobody says how they are counted")
	require.Equal(t, 1, create("-D", each))
	code, _, errOut := call(t, "mrcluster", "-D", set, "create", "logs", "-D", each, "--load", in+"/none=/in")
	require.NotZero(t, code)
	require.Contains(t, errOut, "no such file")
}

// Tasks run the program of their client, so howdah submits jobs with the MR-cluster's own version.
func TestTheMRClustersOwnVersionIsTheClient(t *testing.T) {
	jt, _ := startFake(t)
	f := &fakeManager{jt: jt, binary: filepath.Join(t.TempDir(), "other")}
	set := startManager(t, f)
	run := func() (int, string, string) {
		return call(t, "run", "-q", "--mrcluster", "logs", "-D", set, "wordcount", "-D", "k=v w", t.TempDir()+"/none", "out")
	}
	_, _, errOut := run()
	require.Contains(t, errOut, "is not on this machine")
	require.NoError(t, os.WriteFile(f.binary, []byte("#!/bin/sh\nprintf '%s|' \"$@\"\nexit 7\n"), 0o755))
	code, out, errOut := run()
	require.Equal(t, 7, code, errOut)
	require.Contains(t, out, "run|--q|-D|howdah.mrcluster.name=logs|-D|"+set+"|-D|k=v w|")
	require.Contains(t, out, "|-D|howdah.mrcluster.name=|", "it is found already")
	require.Contains(t, out, "|-D|mapreduce.jobtracker.address="+jt+"|")
	require.Regexp(t, `\|wordcount\|[^|]*/none\|out\|$`, out)
}
