//go:build integration

package integration

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/integration/minicluster"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/jobtracker/history"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/scheduler/fifo"
)

// mixed lists the five applications of the mix.
var mixed = []string{"wordcount", "grep", "sort", "bayes", "wikitrends"}

const mixJobs = 20

// entrant is a run of an application in a mix.
type entrant struct {
	n   int
	app application
	set []string
}

// mix returns the 20 runs of the mix. settings returns the policy's settings for run n; nil means
// none.
func mix(settings func(n int) []string) []entrant {
	var out []entrant
	for n := range mixJobs {
		i := slices.IndexFunc(applications, func(a application) bool { return a.name == mixed[n%len(mixed)] })
		e := entrant{n: n, app: applications[i], set: []string{"mapreduce.input.fileinputformat.split.maxsize=150000"}}
		if settings != nil {
			e.set = append(e.set, settings(n)...)
		}
		out = append(out, e)
	}
	return out
}

// run submits all jobs of the mix at the same time and checks every output.
func (p *policyRun) run(mix []entrant) {
	var wg sync.WaitGroup
	for _, e := range mix {
		out := filepath.Join(p.t.TempDir(), fmt.Sprint("out", e.n))
		args := slices.Concat([]string{"run", "-q"}, []string{e.app.name}, defines(e.app.set), defines(e.set),
			e.app.args(p.in, out))
		wait, _ := p.c.Background(args...)
		wg.Go(func() {
			r := wait()
			if r.Code != 0 {
				p.t.Errorf("%s: exit code %d: %s", e.app.name, r.Code, r.Err)
				return
			}
			if d := differ(p.want[e.app.title()], e.app.result(p.t, out, r)); d != "" {
				p.t.Errorf("%s under %s: %s", e.app.name, p.name, d)
			}
		})
	}
	wg.Wait()
}

// policyRun runs a policy on its own cluster.
type policyRun struct {
	t    *testing.T
	name string
	c    *minicluster.Cluster
	in   inputs
	want map[string]map[string]string
}

// facts returns the events in the JobTracker's journal.
func facts(t *testing.T, c *minicluster.Cluster) []event.Event {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(c.Dir, "jobtracker", "journal-*.facts"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	b, err := os.ReadFile(slices.Max(files)) // the newest journal file starts with a snapshot
	require.NoError(t, err)
	var all []event.Event
	for d := history.NewDecoder(bytes.NewReader(b)); ; {
		var e event.Event
		if d.Next(&e) != nil {
			return all
		}
		all = append(all, e)
	}
}

// count returns the number of events of a type in the journal.
func count(t *testing.T, c *minicluster.Cluster, typ event.Type) (n int) {
	for _, e := range facts(t, c) {
		if e.Type == typ {
			n++
		}
	}
	return n
}

// replay replays the journal. It calls see with the JobTracker's state before each launch.
func replay(t *testing.T, facts []event.Event, see func(m *jobtracker.Machine, e *event.Event)) {
	t.Helper()
	replayAll(t, facts, func(m *jobtracker.Machine, e *event.Event) {
		if e.Type == event.AttemptStarted {
			see(m, e)
		}
	})
}

// replayAll is like replay, but calls see before each event.
func replayAll(t *testing.T, facts []event.Event, see func(m *jobtracker.Machine, e *event.Event)) {
	t.Helper()
	anyone, err := fifo.New(scheduler.Setup{Conf: conf.New()})
	require.NoError(t, err)
	m, err := jobtracker.New(jobtracker.DefaultConfig(), anyone)
	require.NoError(t, err)
	for i := range facts {
		see(m, &facts[i])
		require.NoError(t, m.Apply(&facts[i]))
	}
}

// relation describes what the journal of a run under a policy must satisfy.
type relation struct {
	cluster []string                                // settings of the cluster
	files   map[string]string                       // files in a directory to which settings refer as @DIR@
	job     func(n int) []string                    // settings of the nth job of the mix
	check   func(t *testing.T, facts []event.Event) // checks the events of the mix
}

// TestEveryPolicy runs a mix of jobs on a real cluster under every policy. The journal must satisfy
// the policy's own relation. A second mix then runs while the test switches the policy twice and
// kills the JobTracker. Outputs must be the same as without a cluster.
func TestEveryPolicy(t *testing.T) {
	in := makeInputs(t)
	want := references(t, in)
	for _, name := range catalog.Builtin().Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rel := relations[name]
			var dir string
			set := func(more ...string) []string {
				var out []string
				for _, s := range append(append(more, policyCluster...), rel.cluster...) {
					out = append(out, strings.ReplaceAll(s, "@DIR@", dir))
				}
				return out
			}
			dir = t.TempDir()
			for file, text := range rel.files {
				require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644))
			}
			p := &policyRun{t: t, name: name, in: in, want: want}
			p.c = minicluster.Start(t, minicluster.Options{TaskTrackers: 2,
				Set: set("mapreduce.jobtracker.taskscheduler=" + name)})
			p.plug()
			p.run(mix(rel.job))
			if t.Failed() {
				return
			}
			if rel.check != nil { // otherwise the test checks only the outputs
				rel.check(t, facts(t, p.c))
			}
			p.disturbed(rel)
		})
	}
}

// policyCluster holds the settings of every policy's cluster.
var policyCluster = []string{
	"mapreduce.tasktracker.map.tasks.maximum=3", "mapreduce.tasktracker.reduce.tasks.maximum=2",
	"mapreduce.jobtracker.expire.trackers.interval=10000", "howdah.speculation=none",
}

// plug starts a job that keeps all slots busy for a short time. Meanwhile all jobs of the mix
// arrive, so that the policy can choose among them. plug does not wait for the end of its job.
func (p *policyRun) plug() {
	p.c.Background("run", "-q", "sleep", "-D", "mapreduce.job.reduce.slowstart.completedmaps=0", "-m", "6", "-r", "4",
		"-mt", "2500", "-rt", "1")
	minicluster.Eventually(p.t, time.Minute, "the plug to run",
		func() bool { return count(p.t, p.c, event.AttemptStarted) >= 6 })
}

// disturbed runs a second mix while it switches to another policy (fifo or fair) and back. Between
// the switches it kills the JobTracker.
func (p *policyRun) disturbed(rel relation) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.run(mix(rel.job))
	}()
	other := "fifo"
	if p.name == other {
		other = "fair"
	}
	before := count(p.t, p.c, event.JobFinished)
	progress := func(n int) {
		minicluster.Eventually(p.t, 60*time.Second, "jobs to end",
			func() bool { return count(p.t, p.c, event.JobFinished) >= before+n })
	}
	progress(2)
	ok(p.t, p.c.Howdah("admin", "-setScheduler", other))
	progress(6)
	p.c.Kill("jobtracker")
	p.c.StartAgain("jobtracker")
	minicluster.Eventually(p.t, time.Minute, "the scheduler to be switched back", func() bool {
		return p.c.Howdah("admin", "-setScheduler", p.name).Code == 0
	})
	<-done
}
