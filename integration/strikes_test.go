//go:build integration

package integration

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/client"
	"github.com/howdah/howdah/conf"
	dfslocal "github.com/howdah/howdah/dfs/local"
	"github.com/howdah/howdah/integration/minicluster"
	wire "github.com/howdah/howdah/internal/wire/client"
)

// dial connects to a cluster's JobTracker: to look at it without a process for each look.
func dial(t testing.TB, c *minicluster.Cluster) *client.Client {
	t.Helper()
	cfg := conf.New()
	for _, name := range []string{"core-site.xml", "mapred-site.xml"} {
		require.NoError(t, cfg.LoadFile(filepath.Join(c.Conf, name)))
	}
	fs, err := dfslocal.Resolver(cfg)
	require.NoError(t, err)
	x, err := client.Dial(cfg, fs)
	require.NoError(t, err)
	t.Cleanup(func() { x.Close() })
	return x
}

// jobs lists all jobs, with their attempts.
func jobs(t testing.TB, x *client.Client) []*wire.JobStatus {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	list, err := x.Jobs().List(ctx, &wire.ListRequest{All: true})
	require.NoError(t, err)
	var out []*wire.JobStatus
	for _, j := range list.Job {
		s, err := x.Jobs().Status(ctx, &wire.StatusRequest{Id: j.Id, Attempts: true, Counters: true})
		require.NoError(t, err)
		out = append(out, s)
	}
	return out
}

// attempts gives the attempts of all jobs that are of a type and in a state; "" is any.
func attempts(t testing.TB, x *client.Client, typ, state string) []*wire.AttemptStatus {
	t.Helper()
	var out []*wire.AttemptStatus
	for _, j := range jobs(t, x) {
		for _, a := range j.Attempt {
			if (typ == "" || strings.EqualFold(a.Type, typ)) && (state == "" || a.State == state) {
				out = append(out, a)
			}
		}
	}
	return out
}

// child finds the process of an attempt by its working directory; 0 if there is none. Clusters that began in the same minute
// have attempts of the same name.
func child(c *minicluster.Cluster, attempt string) int {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		if cwd, err := os.Readlink(dir + "/cwd"); err == nil && strings.HasPrefix(cwd, c.Dir) && strings.Contains(cwd+"/", "/"+attempt+"/") {
			pid, _ := strconv.Atoi(filepath.Base(dir))
			return pid
		}
	}
	return 0
}

// striker kills what runs on a cluster, by a seed.
type striker struct {
	t      testing.TB
	c      *minicluster.Cluster
	x      *client.Client
	r      *rand.Rand
	struck map[string]strike // running attempts that were hit
}

// strike is how an attempt was hit.
type strike string

const (
	bySignal  strike = "its process was killed"
	byKill    strike = "killed by command"
	byFail    strike = "failed by command"
	byTracker strike = "its TaskTracker was killed"
)

// until strikes until n more attempts have been hit.
func (s *striker) until(n int, what string) {
	s.t.Helper()
	n += len(s.struck)
	for end := time.Now().Add(time.Minute); len(s.struck) < n; {
		if time.Now().After(end) {
			for _, a := range attempts(s.t, s.x, "", "RUNNING") {
				s.t.Logf("%s runs on %s (process %d) since %d; hit: %v", a.Id, a.Tracker, child(s.c, a.Id), a.StartMs, s.struck[a.Id])
			}
			s.t.Fatalf("hit only %d of %d attempts %s", len(s.struck), n, what)
		}
		if !s.strike() {
			time.Sleep(20 * time.Millisecond)
		}
	}
}

// strike hits one running attempt that was not hit before, and reports whether there was one.
func (s *striker) strike() bool {
	s.t.Helper()
	var fresh []*wire.AttemptStatus
	for _, a := range attempts(s.t, s.x, "", "RUNNING") {
		if s.struck[a.Id] == "" {
			fresh = append(fresh, a)
		}
	}
	if len(fresh) == 0 {
		return false
	}
	a := fresh[s.r.IntN(len(fresh))]
	how := []strike{bySignal, bySignal, byKill, byFail}[s.r.IntN(4)]
	switch how {
	case bySignal:
		pid := child(s.c, a.Id)
		if pid == 0 || syscall.Kill(pid, syscall.SIGKILL) != nil {
			return false
		}
	default:
		// It may have ended meanwhile.
		if _, err := s.x.Jobs().KillAttempt(context.Background(), &wire.KillAttemptRequest{Attempt: a.Id, Fail: how == byFail, Why: "the test wants it"}); err != nil {
			return false
		}
	}
	s.struck[a.Id] = how
	return true
}

// fell kills a TaskTracker with all that runs on it, and starts it again.
func (s *striker) fell(part string) {
	s.t.Helper()
	port := s.port(part)
	running := attempts(s.t, s.x, "", "RUNNING")
	s.c.Kill(part)
	for _, a := range running {
		if strings.HasSuffix(a.Tracker, port) {
			s.struck[a.Id] = byTracker
		}
	}
	s.c.StartAgain(part)
}

// port gives what the name of a TaskTracker ends in: ":" and the port of its web page.
func (s *striker) port(part string) string {
	s.t.Helper()
	command, err := os.ReadFile(filepath.Join(s.c.Dir, "commands", part))
	require.NoError(s.t, err)
	port := webPort.FindSubmatch(command)
	require.NotNil(s.t, port, "%s", command)
	return string(port[1])
}

var webPort = regexp.MustCompile(`tasktracker\.http\.address=[^:]*(:\d+)`)

// hits counts the attempts that were hit and that the JobTracker's journal says were killed or failed.
func (s *striker) hits() int {
	s.t.Helper()
	n := 0
	for _, a := range attempts(s.t, s.x, "", "") {
		if s.struck[a.Id] != "" && (a.State == "KILLED" || a.State == "FAILED") {
			n++
		}
	}
	return n
}
