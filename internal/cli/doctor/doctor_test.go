package doctor

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/client"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
)

func find(r Report, check string) []Finding {
	var out []Finding
	for _, f := range r {
		if f.Check == check {
			out = append(out, f)
		}
	}
	return out
}

func TestExamine(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	c := conf.New()
	c.Set("mapreduce.cluster.local.dir", t.TempDir()+"/a/b,/proc/none", "test")
	c.Set("mapreduce.jobtracker.http.address", taken.Addr().String(), "test")
	c.Set("mapreduce.tasktracker.http.address", "nonsense", "test")
	c.Set("mapreduce.tasktracker.map.tasks.maximum", "10000", "test")
	c.Set("mapreduce.map.memory.mb", "1000000", "test")
	c.Set("mapreduce.jobtracker.address", "jt:9001", "test")
	dial := func(string) (*client.Client, error) {
		return nil, failure.New(failure.Config, "read", "secret", nil).Fix("get a token")
	}
	noStorage := func(context.Context) error { return failure.New(failure.Unreachable, "open", "hdfs://nn", nil) }
	r := Examine(context.Background(), c, nil, noStorage, dial)

	require.Equal(t, Fail, find(r, "storage")[0].Level)

	dirs := find(r, "local directory")
	require.Len(t, dirs, 2)
	require.Contains(t, []Level{OK, Warn}, dirs[0].Level)
	require.Equal(t, Fail, dirs[1].Level)
	ports := find(r, "port")
	require.Equal(t, Note, ports[0].Level)
	require.Equal(t, Fail, ports[1].Level)
	require.Equal(t, Fail, find(r, "JobTracker")[0].Level)
	require.Equal(t, "get a token", find(r, "JobTracker")[0].Remedy)
	c.Set("mapreduce.framework.name", "yarn", "test")
	require.Equal(t, Note, find(Examine(context.Background(), c, nil, noStorage, dial), "JobTracker")[0].Level,
		"jobs do not go there")
	if m := find(r, "memory"); len(m) > 0 {
		require.Equal(t, Warn, m[0].Level)
	}
	require.Len(t, find(r, "java"), 1)
	require.NotZero(t, r.ExitCode())

	var b bytes.Buffer
	require.NoError(t, r.Write(&b))
	for _, f := range r {
		require.Contains(t, b.String(), f.Detail)
		require.Contains(t, b.String(), f.Remedy)
		if f.Level == Fail || f.Level == Warn {
			require.NotEmpty(t, f.Detail+f.Remedy)
		}
	}
}

func TestExitCode(t *testing.T) {
	require.Zero(t, Report{{Level: OK}, {Level: Warn}}.ExitCode())
	require.Equal(t, 5, Report{{Level: OK}, {Level: Fail, Kind: failure.Unreachable}}.ExitCode())
}

func TestWhereJobsGoToYARN(t *testing.T) {
	t.Setenv("HADOOP_HOME", t.TempDir())
	c := conf.New()
	c.Set("mapreduce.framework.name", "yarn", "test")
	var r Report
	r.jobTracker(t.Context(), c, nil)
	r.neighbors(c)
	require.Contains(t, find(r, "JobTracker")[0].Detail, "existing YARN")
	require.Equal(t, Fail, find(r, "hadoop")[0].Level)
	require.Empty(t, find(r, "java"))
	require.Equal(t, failure.Config.ExitCode(), r.ExitCode())
}

// TestLocalDirsOfOthers checks that a user who only submits jobs need not write to the directories of
// TaskTrackers.
func TestLocalDirsOfOthers(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root can write to every directory")
	}
	home, dir := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	require.NoError(t, os.Chmod(dir, 0o500))
	c := conf.New()
	c.Set("mapreduce.cluster.local.dir", filepath.Join(dir, "local"), "test")
	var r Report
	r.localDirs(c)
	require.Equal(t, Fail, r[0].Level)
	require.Equal(t, failure.IO.ExitCode(), r.ExitCode())
	require.Equal(t, filepath.Join(dir, "local")+" is not writable: permission denied", r[0].Detail)
	text, _ := auth.NewSecret().Issue(auth.Claims{User: "alice", Expires: time.Now().Add(time.Hour).Unix()})
	require.NoError(t, os.WriteFile(filepath.Join(home, "token"), []byte(text), 0o600))
	c.Set(conf.SecurityTokenFile.Name, filepath.Join(home, "token"), "test")
	r = nil
	r.localDirs(c)
	require.Equal(t, Note, r[0].Level)
	require.Zero(t, r.ExitCode())
}

// TestApart checks that a finding shows the remedy of its error on a line of its own.
func TestApart(t *testing.T) {
	var r Report
	c := conf.New()
	c.Set(conf.TaskTrackerCGroupsHierarchy.Name, "no/absolute/path", "test")
	r.cgroups(t.Context(), c)
	require.Equal(t, Note, r[0].Level)
	require.NotEmpty(t, r[0].Remedy)
	require.NotContains(t, r[0].Detail, r[0].Remedy)
}

// TestPortsOfDaemonsThatRun checks that nothing is said about the ports of daemons that answer.
func TestPortsOfDaemonsThatRun(t *testing.T) {
	name, err := os.Hostname()
	require.NoError(t, err)
	here, there := &status.Tracker{Host: strings.ToLower(name)}, &status.Tracker{Host: "elsewhere.example"}
	for _, x := range []struct {
		cluster *status.Cluster
		want    int
	}{{nil, 2}, {&status.Cluster{Trackers: []*status.Tracker{there}}, 1},
		{&status.Cluster{Trackers: []*status.Tracker{there, here}}, 0}} {
		var r Report
		r.ports(conf.New(), x.cluster)
		require.Len(t, r, x.want)
	}
}

// TestFullDiskOfTheJournal checks that a JobTracker that answers, but cannot change anything, is a
// failure.
func TestFullDiskOfTheJournal(t *testing.T) {
	var r Report
	r.journal(&status.Cluster{})
	require.Empty(t, r)
	r.journal(&status.Cluster{Disk: "the disk of /data is full"})
	require.Equal(t, Fail, r[0].Level)
	require.Equal(t, failure.DiskFull, r[0].Kind)
	require.Contains(t, r[0].Detail, "/data is full")
	require.NotEmpty(t, r[0].Remedy)
}
