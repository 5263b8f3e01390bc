package lab

import (
	"cmp"
	"context"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/internal/slots"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/speculation"
	"github.com/howdah/howdah/simulator"
	"github.com/howdah/howdah/simulator/replay"
	"github.com/howdah/howdah/simulator/tasklevel"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/generate"
)

// cluster describes the simulated cluster.
type cluster struct {
	model       string // heartbeat, task, or mumak
	nodes       int
	slots       [2]int32     // slots of a node, by task type
	names       []trace.Node // recorded nodes, at most as many as nodes
	heartbeat   int64        // ms between heartbeats; 0 means Hadoop's value for the number of nodes
	waitForWork bool
	keepIdle    bool
	plan        *simulator.Plan // faults and differences between nodes; nil means none
	factor      float64         // deadline factor; 0 keeps the trace's deadlines
}

// models are the values of --model.
var models = []string{"heartbeat", "task", "mumak"}

// clusterFlags returns the flags of the simulated cluster.
func clusterFlags() []urfave.Flag {
	return []urfave.Flag{
		&urfave.IntFlag{Name: "nodes", Usage: "number of TaskTrackers",
			DefaultText: "as in the trace, otherwise 20"},
		&urfave.IntFlag{Name: "map-slots", Usage: "map slots of each node",
			DefaultText: "as in the trace, otherwise mapreduce.tasktracker.map.tasks.maximum"},
		&urfave.IntFlag{Name: "reduce-slots", Usage: "reduce slots of each node",
			DefaultText: "as in the trace, otherwise mapreduce.tasktracker.reduce.tasks.maximum"},
		&urfave.StringFlag{Name: "model", Usage: strings.Join(models, ", "), Value: models[0]},
		&urfave.Int64Flag{Name: "heartbeat", Usage: "`MS` between a node's heartbeats",
			DefaultText: "Hadoop's value for the number of nodes"},
		&urfave.BoolFlag{Name: "wait-for-work", Usage: "send a heartbeat immediately when there is news, " +
			"as howdah's nodes do",
			DefaultText: "on for journals of howdah, otherwise off"},
		&urfave.BoolFlag{Name: "keep-idle-beats", Usage: "also simulate heartbeats that cannot change " +
			"anything"},
		&urfave.StringFlag{Name: "speculation", Usage: "rule of speculative execution: " + strings.Join(speculation.Names(),
			", "), DefaultText: "none"},
		&urfave.StringFlag{Name: "plan", Usage: "`FILE` of node differences and faults " +
			"(docs/reference/simulator.md)"},
		&urfave.Float64Flag{Name: "deadline-factor",
			Usage:       "deadline of each job, from 1 to `DF` times its duration on an idle cluster",
			DefaultText: "the deadlines of the trace"},
		&urfave.Uint64Flag{Name: "seed", Usage: "seed of every random stream", Value: 1},
	}
}

const defaultNodes = 20

func clusterOf(c *urfave.Context, config *conf.Config, w *workload) (*cluster, error) {
	k := &cluster{model: c.String("model"), nodes: c.Int("nodes"), heartbeat: c.Int64("heartbeat"),
		waitForWork: waitsForWork(c, w),
		keepIdle:    c.Bool("keep-idle-beats"), factor: c.Float64("deadline-factor")}
	if !known(k.model) {
		return nil, usageError("--model=%s: want one of %s", k.model, strings.Join(models, ", "))
	}
	switch {
	case c.IsSet("nodes") && (k.nodes < 1 || k.nodes > 100_000):
		return nil, usageError("--nodes=%d: want 1 to 100000", k.nodes)
	case k.heartbeat < 0:
		return nil, usageError("--heartbeat=%d: want 1 ms or more", k.heartbeat)
	}
	if err := checkDeadlineFactor(c); err != nil {
		return nil, err
	}
	if k.model == "task" {
		if err := needless(c, "with --model=task, which has no nodes and no heartbeats; use "+
			"--model=heartbeat", "speculation", "heartbeat", "wait-for-work", "keep-idle-beats"); err != nil {
			return nil, err
		}
	}
	if err := k.readPlan(c.String("plan")); err != nil {
		return nil, err
	}
	if k.model == "task" && k.plan != nil && !k.plan.OnlyCapacity() {
		return nil, usageError("--plan=%s: with --model=task, which has no nodes, a plan can only contain load all AT SHARE "+
			"slots; use --model=heartbeat", c.String("plan"))
	}
	if k.nodes == 0 {
		k.nodes = len(w.nodes)
	}
	if k.nodes == 0 {
		k.nodes = defaultNodes
	}
	// A cluster that is not larger than the recorded one has the recorded node names, so maps keep
	// their data locality.
	k.names = w.nodes[:min(len(w.nodes), k.nodes)]
	for kind, name := range []string{"map-slots", "reduce-slots"} {
		n := c.Int(name)
		switch {
		case c.IsSet(name) && (n < 0 || n > 10_000):
			return nil, usageError("--%s=%d: want 0 to 10000", name, n)
		case c.IsSet(name):
			k.slots[kind] = int32(n)
		case w.slots[kind] > 0 && len(w.nodes) > 0:
			k.slots[kind] = w.slotsOfNode(kind)
		default:
			key := [2]*conf.Int{&conf.TaskTrackerMapTasksMaximum, &conf.TaskTrackerReduceTasksMaximum}[kind]
			d, err := slots.Read(config, key)
			if err != nil {
				return nil, err
			}
			k.slots[kind] = int32(d)
		}
	}
	return k, nil
}

func checkDeadlineFactor(c *urfave.Context) error {
	if x := c.Float64("deadline-factor"); c.IsSet("deadline-factor") && !(x >= 1 && x <= 1e6) {
		return usageError("--deadline-factor=%g: want 1 to 1e6", x)
	}
	return nil
}

// slotsOfNode returns the average number of slots of the given kind per node in the recorded
// cluster, rounded up.
func (w *workload) slotsOfNode(kind int) int32 {
	return int32(math.Ceil(float64(w.slots[kind]) / float64(len(w.nodes))))
}

// waitsForWork reports whether nodes send a heartbeat immediately when there is news (see
// simulator.Config.WaitForWork). The default is true only for traces from a journal.
func waitsForWork(c *urfave.Context, w *workload) bool {
	if c.IsSet("wait-for-work") {
		return c.Bool("wait-for-work")
	}
	return w.origin == "journal"
}

// readPlan reads the fault plan that --plan names.
func (k *cluster) readPlan(path string) error {
	if path == "" {
		return nil
	}
	var err error
	k.plan, err = simulator.ReadPlan(path)
	return err
}

func known(model string) bool {
	for _, m := range models {
		if m == model {
			return true
		}
	}
	return false
}

func (k *cluster) all() [2]int32 {
	return [2]int32{k.slots[0] * int32(k.nodes), k.slots[1] * int32(k.nodes)}
}

// simulation is one run of a trace.
type simulation struct {
	on       *cluster
	policies *policies
	seed     uint64
	journal  io.Writer // nil means no journal
	progress func()    // called for each job read
}

// run simulates w. It returns the result, the time that the run took, and the trace's recorded
// times.
func (m *simulation) run(ctx context.Context, w *workload) (o outcome, err error) {
	src, done, err := w.open(ctx)
	if err != nil {
		return o, err
	}
	defer func() {
		if e := done(); err == nil {
			err = e
		}
	}()
	src = m.with(ctx, src, &o.recorded)
	o.started = time.Now()
	r, err := m.engine(ctx, src)
	if err != nil {
		return o, err
	}
	r.Model, r.Scheduler, r.Nodes, r.Seed = m.on.model, m.policies.name, m.on.nodes, m.seed
	o.Result, o.wall = r, time.Since(o.started)
	return o, nil
}

// with returns a source that wraps src. It reports progress and records the trace's times in seen.
// If the user specifies a deadline factor, it also adds deadlines to src's jobs.
func (m *simulation) with(ctx context.Context, src trace.Source, seen *recordedTimes) trace.Source {
	f := &feed{src: src, progress: m.progress, seen: seen}
	if m.on.factor == 0 {
		return f
	}
	f.src = generate.Deadlines(src, 1, m.on.factor, m.seed, func(j *trace.Job) int64 {
		t, err := lab.Alone(ctx, j, m.on.all())
		if err != nil && f.err == nil {
			f.err = err
		}
		return t
	})
	return f
}

// feed is a Source that reports each job to progress and seen. If deadlines cannot be computed, it
// returns the first such error.
type feed struct {
	src      trace.Source
	progress func()
	seen     *recordedTimes // nil means not needed
	err      error
}

func (f *feed) Next() (*trace.Job, error) {
	j, err := f.src.Next()
	if f.err != nil {
		return nil, f.err
	}
	if err == nil && f.progress != nil {
		f.progress()
	}
	if err == nil && f.seen != nil {
		f.seen.add(j)
	}
	return j, err
}

// recordedTimes contains the number of jobs in a trace, the time of the first submission, the time
// at which the last job ended, and the sum of the jobs' durations. All times are in ms.
type recordedTimes struct {
	jobs, first, last, sum int64
	unknown                bool // at least one job has no end time
}

func (r *recordedTimes) add(j *trace.Job) {
	if r.jobs == 0 {
		r.first = j.Submit
	}
	r.jobs++
	r.first, r.last = min(r.first, j.Submit), max(r.last, j.Finish)
	r.sum += j.Finish - j.Submit
	r.unknown = r.unknown || j.Finish == 0
}

// farOff is the relative difference between simulated and recorded times above which a warning
// appears.
const farOff = 0.2

// warnFarOff warns if the simulated times on the recorded cluster differ greatly from the recorded
// times. In that case, the model may omit something important, or the schedulers may differ.
func (s *session) warnFarOff(w *workload, k *cluster, r *outcome) {
	t := &r.recorded
	if !k.recorded(w) || t.unknown || t.jobs == 0 {
		return
	}
	recorded := [...]float64{seconds(t.last - t.first), seconds(t.sum) / float64(t.jobs)}
	for i, m := range lab.Measures[:len(recorded)] { // makespan and mean job time
		simulated := m.Of(r.Result)
		if math.Abs(simulated-recorded[i]) > farOff*recorded[i] {
			s.note("%s: simulated %s is %.6g s with scheduler %s, but %.6g s were recorded on the same cluster, perhaps "+
				"with another scheduler; howdah sim validate compares the jobs",
				w.name, m.Name, simulated, r.Scheduler, recorded[i])
			return
		}
	}
}

// recorded reports whether the trace was recorded on a cluster with the same numbers of nodes and
// slots as k. With a fault plan the result is false.
func (k *cluster) recorded(w *workload) bool {
	if k.plan != nil || k.nodes != len(w.nodes) {
		return false
	}
	for kind, n := range w.slots {
		if n > 0 && k.slots[kind] != w.slotsOfNode(kind) {
			return false
		}
	}
	return true
}

func (m *simulation) engine(ctx context.Context, src trace.Source) (*trace.Result, error) {
	policy, err := m.policies.policy(m.on.all())
	if err != nil {
		return nil, err
	}
	if m.on.model == "task" {
		x := tasklevel.Config{Slots: m.on.all(), Trackers: m.on.nodes, Scheduler: m.policies.name, Policy: policy,
			Model: replay.SimMR, Seed: m.seed, Journal: m.journal}
		if m.on.plan != nil {
			x.Capacity, src, err = m.on.capacity(src)
			if err != nil {
				return nil, err
			}
		}
		return tasklevel.Run(ctx, x, src)
	}
	speculator, err := m.policies.speculator()
	if err != nil {
		return nil, err
	}
	c := simulator.Config{Trackers: m.on.nodes, Slots: m.on.slots, Heartbeat: m.on.heartbeat,
		WaitForWork: m.on.waitForWork, KeepIdleBeats: m.on.keepIdle,
		Mumak: m.on.model == "mumak", Seed: m.seed, Scheduler: m.policies.name, Policy: policy, Speculator: speculator,
		Journal: m.journal, Plan: m.on.plan}
	if len(m.on.names) == m.on.nodes {
		c.Nodes = m.on.names
	}
	if u, ok := policy.(scheduler.ContainerUser); ok && u.UsesContainers() {
		// A slot corresponds to a container with Hadoop's default size of 1 GiB and one core.
		n := max(1, m.on.slots[0]+m.on.slots[1])
		c.Memory, c.VCores = n*1024, n
	}
	return simulator.Run(ctx, c, src)
}

// capacity translates the loads of k's plan, whose times count from the first submission, to changes of
// the number of slots in the trace's time. It returns a source of the same jobs as src.
func (k *cluster) capacity(src trace.Source) ([]tasklevel.Capacity, trace.Source, error) {
	first, err := src.Next()
	if err == io.EOF {
		return nil, (&trace.Trace{}).Source(), nil
	}
	if err != nil {
		return nil, nil, err
	}
	var list []tasklevel.Capacity
	for _, l := range k.plan.Loads {
		left := l.Left(k.slots)
		list = append(list, tasklevel.Capacity{At: first.Submit + l.At,
			Slots: [2]int32{left[0] * int32(k.nodes), left[1] * int32(k.nodes)}})
	}
	slices.SortStableFunc(list, func(a, b tasklevel.Capacity) int { return cmp.Compare(a.At, b.At) })
	return list, &afterFirst{first, src}, nil
}

// afterFirst is a Source whose first job was read in advance.
type afterFirst struct {
	first *trace.Job // nil = already returned
	rest  trace.Source
}

func (a *afterFirst) Next() (*trace.Job, error) {
	if j := a.first; j != nil {
		a.first = nil
		return j, nil
	}
	return a.rest.Next()
}
