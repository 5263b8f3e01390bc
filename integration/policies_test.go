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
	"github.com/howdah/howdah/history"
	"github.com/howdah/howdah/integration/minicluster"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/scheduler/estimate"
	"github.com/howdah/howdah/scheduler/fifo"
)

// mixed are the five applications of the mix.
var mixed = []string{"wordcount", "grep", "sort", "bayes", "wikitrends"}

const mixJobs = 20

// entrant is one run of an application in a mix.
type entrant struct {
	n   int
	app application
	set []string
}

// mix gives the 20 runs; settings are those of a policy for a run of a number.
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

// run submits everything at once and checks every output.
func (p *policyRun) run(mix []entrant) {
	var wg sync.WaitGroup
	for _, e := range mix {
		out := filepath.Join(p.t.TempDir(), fmt.Sprint("out", e.n))
		args := slices.Concat([]string{"run", "-q"}, []string{e.app.name}, defines(e.app.set), defines(e.set), e.app.args(p.in, out))
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

// policyRun is a policy on a cluster of its own.
type policyRun struct {
	t    *testing.T
	name string
	c    *minicluster.Cluster
	in   inputs
	want map[string]map[string]string
}

// facts reads the JobTracker's journal.
func facts(t *testing.T, c *minicluster.Cluster) []event.Event {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(c.Dir, "jobtracker", "journal-*.facts"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	b, err := os.ReadFile(slices.Max(files)) // a newer one begins with what is left of the older
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

// count tells how many facts of a type the journal has.
func count(t *testing.T, c *minicluster.Cluster, typ event.Type) (n int) {
	for _, e := range facts(t, c) {
		if e.Type == typ {
			n++
		}
	}
	return n
}

// replay calls see with the state of the JobTracker before each launch that its journal tells.
func replay(t *testing.T, facts []event.Event, see func(m *jobtracker.Machine, e *event.Event)) {
	t.Helper()
	anyone, err := fifo.New(scheduler.Setup{Conf: conf.New()})
	require.NoError(t, err)
	m, err := jobtracker.New(jobtracker.DefaultConfig(), anyone)
	require.NoError(t, err)
	for i := range facts {
		e := &facts[i]
		if e.Type == event.AttemptStarted {
			see(m, e)
		}
		require.NoError(t, m.Apply(e))
	}
}

// relation is what a policy's journal must show.
type relation struct {
	cluster []string                                // settings of the cluster
	files   map[string]string                       // in its directory; @DIR@ in settings stands for that
	job     func(n int) []string                    // settings of the nth job of the mix
	check   func(t *testing.T, facts []event.Event) // of the run of the mix
}

// TestEveryPolicy runs a mix of jobs for real under every policy. The journal shows the policy's own relation; then a second mix
// runs while the policy is switched twice and the JobTracker killed. Outputs are those of a run without a cluster.
func TestEveryPolicy(t *testing.T) {
	in := makeInputs(t)
	want := references(t, in)
	for _, name := range catalog.Builtin().Names() {
		t.Run(name, func(t *testing.T) {
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
			p.c = minicluster.Start(t, minicluster.Options{TaskTrackers: 2, Set: set("mapreduce.jobtracker.taskscheduler=" + name)})
			p.plug()
			p.run(mix(rel.job))
			if t.Failed() {
				return
			}
			if rel.check != nil { // else the outputs are all that is known of it
				rel.check(t, facts(t, p.c))
			}
			p.disturbed(rel)
		})
	}
}

// policyCluster is the cluster of these tests.
var policyCluster = []string{
	"mapreduce.tasktracker.map.tasks.maximum=3", "mapreduce.tasktracker.reduce.tasks.maximum=2",
	"mapreduce.jobtracker.expire.trackers.interval=10000", "howdah.speculation=none",
}

// plug keeps all slots busy for a moment, so that the policy chooses among all jobs of the mix and not in the order in which
// they happen to arrive. It does not wait for the end.
func (p *policyRun) plug() {
	p.c.Background("run", "-q", "sleep", "-D", "mapreduce.job.reduce.slowstart.completedmaps=0", "-m", "6", "-r", "4", "-mt", "2500", "-rt", "1")
	minicluster.Eventually(p.t, 20*time.Second, "the plug to run", func() bool { return count(p.t, p.c, event.AttemptStarted) >= 6 })
}

// disturbed runs a second mix while the policy is switched to fifo and back, and the JobTracker is killed between.
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
		minicluster.Eventually(p.t, 60*time.Second, "jobs to end", func() bool { return count(p.t, p.c, event.JobFinished) >= before+n })
	}
	progress(2)
	ok(p.t, p.c.Howdah("admin", "-setScheduler", other))
	progress(6)
	p.c.Kill("jobtracker")
	p.c.StartAgain("jobtracker")
	minicluster.Eventually(p.t, 20*time.Second, "the scheduler to be switched back", func() bool {
		return p.c.Howdah("admin", "-setScheduler", p.name).Code == 0
	})
	<-done
}

var pools = []string{"steel", "wool"}

func inPool(n int) []string { return []string{"mapred.fairscheduler.pool=" + pools[n%2]} }

func inQueue(n int) []string { return []string{"mapreduce.job.queuename=" + pools[n%2]} }

const allocations = `<?xml version="1.0"?>
<allocations>
  <pool name="steel"><weight>3.0</weight></pool>
  <pool name="wool"><weight>1.0</weight></pool>
</allocations>
`

const capacities = `<?xml version="1.0"?>
<configuration>
  <property><name>mapred.capacity-scheduler.queue.default.capacity</name><value>1</value></property>
  <property><name>mapred.capacity-scheduler.queue.steel.capacity</name><value>74</value></property>
  <property><name>mapred.capacity-scheduler.queue.wool.capacity</name><value>25</value></property>
  <property><name>mapred.capacity-scheduler.default-user-limit-factor</name><value>10</value></property>
</configuration>
`

var fairCluster = []string{"mapred.fairscheduler.allocation.file=@DIR@/pools.xml", "mapred.fairscheduler.locality.delay=0"}

var (
	fairFiles   = map[string]string{"pools.xml": allocations}
	poolWeights = func(job.TaskType) map[string]float64 { return map[string]float64{"steel": 3, "wool": 1} }
	// wholeSlots are the queues' capacities of six map and four reduce slots: parts of a slot do not count.
	wholeSlots = func(k job.TaskType) map[string]float64 {
		if k == job.Map {
			return map[string]float64{"steel": 4, "wool": 1}
		}
		return map[string]float64{"steel": 2, "wool": 1}
	}
)

// byDeadline gives the runs of the mix deadlines in an order that is not that of their submission. All are far enough for the
// mix to be through.
func byDeadline(n int) []string {
	return []string{fmt.Sprintf("mapreduce.job.deadline=+%ds", 100+(n*7)%mixJobs*10), "howdah.job.profile=" + profile}
}

// profile makes every job of the mix a long one in the scheduler's eyes, so that it reckons with few slots for most of them.
const profile = "map=8000/9000,first=2000,typical=2000,reduce=5000/6000"

// near gives every other run a near goal and the others a far one.
func near(n int) []string {
	return []string{fmt.Sprintf("mapreduce.job.deadline=+%ds", 20+n%2*3600), "howdah.job.profile=" + profile}
}

// relations of all policies.
var relations = map[string]relation{
	"fifo":         {check: firstComesFirst(bySubmission)},
	"fifo-dhfs":    {check: anyAttempt("borrowed slots", borrowed)},
	"fair":         {cluster: fairCluster, files: fairFiles, job: inPool, check: neediestFirst(poolOf, poolWeights)},
	"fair-deficit": {cluster: fairCluster, files: fairFiles, job: inPool, check: getsMore(poolOf, "steel", "wool")},
	"pi-dhfs":      {cluster: fairCluster, files: fairFiles, job: inPool, check: anyAttempt("borrowed slots", borrowed)},
	"pd-dhfs":      {cluster: fairCluster, files: fairFiles, job: inPool, check: anyAttempt("borrowed slots", borrowed)},
	"capacity": {
		cluster: []string{"mapred.queue.names=default,steel,wool", "howdah.capacity.file=@DIR@/capacity-scheduler.xml"},
		files:   map[string]string{"capacity-scheduler.xml": capacities},
		job:     inQueue,
		check:   neediestFirst(queueOf, wholeSlots),
	},
	"maxedf":    {job: byDeadline, check: firstComesFirst(sooner)},
	"minedf":    {job: byDeadline, check: noMoreThanNeeded},
	"minedf-wc": {job: byDeadline, check: neededFirst},

	"drf": {
		cluster: []string{"mapred.queue.names=default,steel,wool", "howdah.drf.share.by=queue", "howdah.drf.hold=false"},
		job: func(n int) []string {
			needs := []string{"mapreduce.map.memory.mb=1024", "mapreduce.map.cpu.vcores=2"}
			if n%2 == 1 {
				needs = []string{"mapreduce.map.memory.mb=2048", "mapreduce.map.cpu.vcores=1"}
			}
			return append(needs, inQueue(n)...)
		},
		check: both(inContainers, smallestShareFirst),
	},
	"ngm": {
		cluster: []string{"mapred.queue.names=default,steel,wool", "howdah.capacity.file=@DIR@/capacity-scheduler.xml"},
		files:   map[string]string{"capacity-scheduler.xml": capacities},
		job:     inQueue,
		check:   both(inContainers, getsMore(queueOf, "steel", "wool")),
	},

	"adaptive":         {job: near, check: nearGoalsFirst},
	"reverse-adaptive": {job: near, check: nearGoalsFirst},
	"minmiss":          {job: near, check: nearGoalsFirst},
}

// borrowed tells whether an attempt sits in a slot of the other kind.
func borrowed(e *event.Event) bool { return e.Slot != e.Attempt.Type }

// sooner orders by deadline.
func sooner(a, b *scheduler.Job) bool {
	return a.Spec.Deadline > 0 && a.Spec.Deadline < b.Spec.Deadline
}

// bySubmission orders as fifo does.
func bySubmission(a, b *scheduler.Job) bool {
	if a.Priority != b.Priority {
		return a.Priority > b.Priority
	}
	return a.Submit < b.Submit || a.Submit == b.Submit && a.Seq < b.Seq
}

// firstComesFirst: no job gets a slot while a job before it wants one.
func firstComesFirst(before func(a, b *scheduler.Job) bool) func(t *testing.T, facts []event.Event) {
	return func(t *testing.T, facts []event.Event) {
		contended := 0
		replay(t, facts, func(m *jobtracker.Machine, e *event.Event) {
			for _, seq := range m.Jobs() {
				o := m.Job(seq)
				if seq == e.Job || !o.Wants(e.Attempt.Type) {
					continue
				}
				contended++
				require.False(t, before(o, m.Job(e.Job)), "%v of job %d was launched though job %d is before it and has %v waiting", e.Attempt.Type, e.Job, seq, o.Pending)
			}
		})
		require.Greater(t, contended, 50, "there was hardly any choice to make")
	}
}

func queueOf(j *scheduler.Job) string { return j.Spec.Queue }

// poolOf is the pool of a job.
func poolOf(j *scheduler.Job) string {
	if p, ok := j.Spec.Get("mapred.fairscheduler.pool"); ok {
		return p
	}
	return j.Spec.User
}

// neediestFirst: no pool gets a slot while another one with waiting tasks has less, for its weight.
func neediestFirst(of func(*scheduler.Job) string, weightsOf func(job.TaskType) map[string]float64) func(t *testing.T, facts []event.Event) {
	return func(t *testing.T, facts []event.Event) {
		contended := 0
		replay(t, facts, func(m *jobtracker.Machine, e *event.Event) {
			running, wants := map[string]float64{}, map[string]bool{}
			for _, seq := range m.Jobs() {
				j := m.Job(seq)
				running[of(j)] += float64(j.Running[e.Attempt.Type])
				wants[of(j)] = wants[of(j)] || j.Wants(e.Attempt.Type)
			}
			mine, weights := of(m.Job(e.Job)), weightsOf(e.Attempt.Type)
			for other, w := range weights {
				if other == mine || !wants[other] || weights[mine] == 0 {
					continue
				}
				contended++
				require.LessOrEqual(t, running[mine]/weights[mine], running[other]/w, "%s got a slot for a %v though %s waits: %v", mine, e.Attempt.Type, other, running)
			}
		})
		require.Greater(t, contended, 20, "there was hardly any choice to make")
	}
}

// anyAttempt tells whether some launch is as wanted.
func anyAttempt(what string, is func(e *event.Event) bool) func(t *testing.T, facts []event.Event) {
	return func(t *testing.T, facts []event.Event) {
		n := 0
		for i := range facts {
			if facts[i].Type == event.AttemptStarted && is(&facts[i]) {
				n++
			}
		}
		require.NotZero(t, n, what)
		t.Logf("%s: %d", what, n)
	}
}

// getsMore: while both pools have maps waiting, the first is given more slots. It ends when the first has none waiting; the second
// jobs of grep come later, with no claims from before.
func getsMore(of func(*scheduler.Job) string, more, less string) func(t *testing.T, facts []event.Event) {
	return func(t *testing.T, facts []event.Event) {
		given, over := map[string]int{}, false
		replay(t, facts, func(m *jobtracker.Machine, e *event.Event) {
			waits := map[string]bool{}
			for _, seq := range m.Jobs() {
				j := m.Job(seq)
				waits[of(j)] = waits[of(j)] || j.Wants(job.Map)
			}
			over = over || given[more] > 0 && !waits[more]
			if !over && e.Attempt.Type == job.Map && waits[more] && waits[less] {
				given[of(m.Job(e.Job))]++
			}
		})
		t.Logf("maps started while both waited: %v", given)
		require.Greater(t, given[more], 20, "there was hardly any choice to make")
		require.Greater(t, 2*given[more], 3*given[less])
	}
}

// needed is the fewest slots that meet a job's deadline (SIM section V-A), as MinEDF has reckoned at its arrival.
func needed(t *testing.T, m *jobtracker.Machine, j *scheduler.Job) [2]int32 {
	text, _ := j.Spec.Get(estimate.Key)
	p, err := estimate.Parse(text)
	require.NoError(t, err)
	return p.MinSlots(estimate.Average, j.Tasks, float64(j.Spec.Deadline-j.Submit), m.Cluster().Slots)
}

// noMoreThanNeeded: MinEDF leaves slots idle rather than give a job more than it needs, and takes jobs by deadline.
func noMoreThanNeeded(t *testing.T, facts []event.Event) {
	limited := 0
	replay(t, facts, func(m *jobtracker.Machine, e *event.Event) {
		j, k := m.Job(e.Job), e.Attempt.Type
		if j.Spec.Deadline == 0 { // the plug
			return
		}
		n := needed(t, m, j)
		require.Less(t, j.Running[k], n[k], "job %d has all the %v slots that it needs", e.Job, k)
		if n[k] < j.Tasks[k] {
			limited++
		}
		for _, seq := range m.Jobs() {
			if o := m.Job(seq); sooner(o, j) && o.Wants(k) {
				require.GreaterOrEqual(t, o.Running[k], needed(t, m, o)[k], "job %d has an earlier deadline than job %d and lacks slots", seq, e.Job)
			}
		}
	})
	require.Greater(t, limited, 20, "hardly any job was held back")
}

// neededFirst: MinEDF-WC gives what is needed first, by deadline, and what is left over then, by deadline.
func neededFirst(t *testing.T, facts []event.Event) {
	spare := 0
	replay(t, facts, func(m *jobtracker.Machine, e *event.Event) {
		j, k := m.Job(e.Job), e.Attempt.Type
		if j.Spec.Deadline == 0 {
			return
		}
		lacks := func(j *scheduler.Job) bool { return j.Running[k] < needed(t, m, j)[k] }
		if !lacks(j) {
			spare++
		}
		for _, seq := range m.Jobs() {
			o := m.Job(seq)
			if o == j || !o.Wants(k) || o.Spec.Deadline == 0 {
				continue
			}
			require.False(t, lacks(o) && !lacks(j), "job %d lacks %v slots and job %d got a spare one", seq, k, e.Job)
			require.False(t, lacks(o) == lacks(j) && sooner(o, j), "job %d has an earlier deadline than job %d", seq, e.Job)
		}
	})
	require.NotZero(t, spare, "nothing was left over")
}

// nearGoalsFirst: jobs with near goals are done before those with far ones, though half of them came later.
func nearGoalsFirst(t *testing.T, facts []event.Event) {
	var sum, n [2]float64
	far := map[int32]int{}
	for _, e := range facts {
		switch {
		case e.Type == event.JobSubmitted && e.Spec.Deadline > 0:
			if e.Spec.Deadline-e.Time > 1_000_000 {
				far[e.Job] = 1
			} else {
				far[e.Job] = 0
			}
		case e.Type == event.JobFinished:
			if i, counts := far[e.Job]; counts {
				sum[i], n[i] = sum[i]+float64(e.Time-facts[0].Time), n[i]+1
			}
		}
	}
	t.Logf("mean end after the start: near goals %.0f ms, far ones %.0f ms", sum[0]/n[0], sum[1]/n[1])
	require.Less(t, sum[0]/n[0], sum[1]/n[1])
}

func both(a, b func(t *testing.T, facts []event.Event)) func(t *testing.T, facts []event.Event) {
	return func(t *testing.T, facts []event.Event) {
		a(t, facts)
		b(t, facts)
	}
}

// inContainers: no task takes a slot, and no TaskTracker runs more than its memory holds.
func inContainers(t *testing.T, facts []event.Event) {
	replay(t, facts, func(m *jobtracker.Machine, e *event.Event) {
		require.Equal(t, job.Container, e.Slot)
		tt, need := m.Tracker(e.Tracker), m.Job(e.Job).Spec.MapMemory
		if e.Attempt.Type == job.Reduce {
			need = m.Job(e.Job).Spec.ReduceMemory
		}
		require.LessOrEqual(t, tt.UsedMemory+need, tt.Memory)
	})
}

// smallestShareFirst: no queue gets a map while another one, whose dominant share is smaller, has a map that fits there.
func smallestShareFirst(t *testing.T, facts []event.Event) {
	contended := 0
	replay(t, facts, func(m *jobtracker.Machine, e *event.Event) {
		if e.Attempt.Type != job.Map {
			return
		}
		total, memory, cores := m.Cluster(), map[string]float64{}, map[string]float64{}
		for _, seq := range m.Jobs() {
			j := m.Job(seq)
			memory[queueOf(j)] += float64(j.Running[job.Map]*j.Spec.MapMemory + j.Running[job.Reduce]*j.Spec.ReduceMemory)
			cores[queueOf(j)] += float64(j.Running[job.Map]*j.Spec.MapVCores + j.Running[job.Reduce]*j.Spec.ReduceVCores)
		}
		share := func(q string) float64 {
			return max(memory[q]/float64(total.Memory), cores[q]/float64(total.VCores))
		}
		mine, tt := queueOf(m.Job(e.Job)), m.Tracker(e.Tracker)
		for _, seq := range m.Jobs() {
			o := m.Job(seq)
			fits := tt.UsedMemory+o.Spec.MapMemory <= tt.Memory && tt.UsedVCores+o.Spec.MapVCores <= tt.VCores
			if queueOf(o) == mine || !o.Wants(job.Map) || !fits {
				continue
			}
			contended++
			require.LessOrEqual(t, share(mine), share(queueOf(o))+1e-9, "queue %s got a map though %s has less: memory %v, cores %v", mine, queueOf(o), memory, cores)
		}
	})
	require.Greater(t, contended, 10, "there was hardly any choice to make")
}
