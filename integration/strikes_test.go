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
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
)

// dial connects to a cluster's JobTracker, so that the test can query it without starting a process
// each time.
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

// jobs returns all jobs with their attempts.
func jobs(t testing.TB, x *client.Client) []*status.Job {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	list, err := x.List(ctx, status.Filter{All: true})
	require.NoError(t, err)
	var out []*status.Job
	for _, j := range list {
		s, err := x.History(ctx, j.ID)
		require.NoError(t, err)
		out = append(out, s)
	}
	return out
}

// attempts returns all jobs' attempts that have the given type and state, where "" matches any
// value.
func attempts(t testing.TB, x *client.Client, typ, state string) []*status.Attempt {
	t.Helper()
	var out []*status.Attempt
	for _, j := range jobs(t, x) {
		for _, a := range j.Attempts {
			if (typ == "" || strings.EqualFold(a.ID.Type.String(), typ)) && (state == "" || a.State.String() == state) {
				out = append(out, a)
			}
		}
	}
	return out
}

// child returns the process ID of an attempt, or 0 if the attempt has no process. It finds the
// process by its working directory, because clusters that start in the same minute have attempts
// with the same names.
func child(c *minicluster.Cluster, attempt job.AttemptID) int {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		if cwd, err := os.Readlink(dir + "/cwd"); err == nil && strings.HasPrefix(cwd, c.Dir) && strings.Contains(cwd+"/",
			"/"+attempt.String()+"/") {
			pid, _ := strconv.Atoi(filepath.Base(dir))
			return pid
		}
	}
	return 0
}

// striker kills or fails random attempts of a cluster, and kills TaskTrackers. The source r
// determines its choices.
type striker struct {
	t      testing.TB
	c      *minicluster.Cluster
	x      *client.Client
	r      *rand.Rand
	struck map[job.AttemptID]strike // running attempts that the test has killed or failed
}

// strike is the way in which an attempt was killed or failed.
type strike string

const (
	bySignal  strike = "its process was killed"
	byKill    strike = "killed by command"
	byFail    strike = "failed by command"
	byTracker strike = "its TaskTracker was killed"
)

// until kills or fails attempts until it has hit n more of them.
func (s *striker) until(n int, what string) {
	s.t.Helper()
	n += len(s.struck)
	for end := time.Now().Add(time.Minute); len(s.struck) < n; {
		if time.Now().After(end) {
			for _, a := range attempts(s.t, s.x, "", "RUNNING") {
				s.t.Logf("%s runs on %s (process %d) since %d; hit: %v", a.ID, a.Tracker, child(s.c, a.ID), a.StartMs,
					s.struck[a.ID])
			}
			s.t.Fatalf("hit only %d of %d attempts %s", len(s.struck), n, what)
		}
		if !s.strike() {
			time.Sleep(20 * time.Millisecond)
		}
	}
}

// strike kills or fails a running attempt that it has not hit before. It returns false if it has hit
// none.
func (s *striker) strike() bool {
	s.t.Helper()
	var fresh []*status.Attempt
	for _, a := range attempts(s.t, s.x, "", "RUNNING") {
		if s.struck[a.ID] == "" {
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
		pid := child(s.c, a.ID)
		if pid == 0 || syscall.Kill(pid, syscall.SIGKILL) != nil {
			return false
		}
	default:
		// The attempt may have ended in the meantime.
		end := s.x.KillAttempt
		if how == byFail {
			end = s.x.FailAttempt
		}
		if end(context.Background(), a.ID, "the test wants it") != nil {
			return false
		}
	}
	s.struck[a.ID] = how
	return true
}

// fell kills a TaskTracker and all processes that it has started, and then restarts it.
func (s *striker) fell(part string) {
	s.t.Helper()
	port := s.port(part)
	running := attempts(s.t, s.x, "", "RUNNING")
	s.c.Kill(part)
	for _, a := range running {
		if strings.HasSuffix(a.Tracker, port) {
			s.struck[a.ID] = byTracker
		}
	}
	s.c.StartAgain(part)
}

// port returns the last part of a TaskTracker's name: ":" and the port of its web page.
func (s *striker) port(part string) string {
	s.t.Helper()
	command, err := os.ReadFile(filepath.Join(s.c.Dir, "commands", part))
	require.NoError(s.t, err)
	port := webPort.FindSubmatch(command)
	require.NotNil(s.t, port, "%s", command)
	return string(port[1])
}

var webPort = regexp.MustCompile(`tasktracker\.http\.address=[^:]*(:\d+)`)

// hits counts the attempts in struck that were killed or failed according to the JobTracker.
func (s *striker) hits() int {
	s.t.Helper()
	n := 0
	for _, a := range attempts(s.t, s.x, "", "") {
		if s.struck[a.ID] != "" && (a.State == job.AttemptKilled || a.State == job.AttemptFailed) {
			n++
		}
	}
	return n
}
