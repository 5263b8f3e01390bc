package lab

import (
	"context"
	"io"
	"math"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/experiments/simmr"
	"github.com/howdah/howdah/internal/slots"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/speculation"
	"github.com/howdah/howdah/simulator"
	"github.com/howdah/howdah/simulator/replay"
	"github.com/howdah/howdah/simulator/tasklevel"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/generate"
)

// cluster is what a trace is simulated on.
type cluster struct {
	model       string // heartbeat, task or mumak
	nodes       int
	slots       [2]int32 // of one node
	names       []trace.Node
	heartbeat   int64
	waitForWork bool
	keepIdle    bool
	plan        *simulator.Plan // of faults and differences; nil = none
	factor      float64         // of deadlines; 0 = as the trace has them
}

// models are the values of --model.
var models = []string{"heartbeat", "task", "mumak"}

// clusterFlags say on what a trace is simulated.
func clusterFlags() []urfave.Flag {
	return []urfave.Flag{
		&urfave.IntFlag{Name: "nodes", Usage: "TaskTrackers (default: as many as the trace shows, else 20)"},
		&urfave.IntFlag{Name: "map-slots", Usage: "of each node (default: as the trace shows, else mapreduce.tasktracker.map.tasks.maximum)"},
		&urfave.IntFlag{Name: "reduce-slots", Usage: "of each node"},
		&urfave.StringFlag{Name: "model", Usage: strings.Join(models, ", "), Value: models[0]},
		&urfave.Int64Flag{Name: "heartbeat", Usage: "`MS` between two beats of a node (default: as Hadoop has it for so many)"},
		&urfave.BoolFlag{Name: "wait-for-work", Usage: "nodes beat at once when there is news, as howdah's do", DefaultText: "on for howdah's journals, off for all else"},
		&urfave.BoolFlag{Name: "keep-idle-beats", Usage: "also send the beats that can change nothing"},
		&urfave.StringFlag{Name: "speculation", Usage: "rule of speculative execution: " + strings.Join(speculation.Names(), ", "), DefaultText: "none"},
		&urfave.StringFlag{Name: "plan", Usage: "`FILE` that says what differs from node to node and what goes wrong (docs/simulator.md)"},
		&urfave.Float64Flag{Name: "deadline-factor", Usage: "give each job a deadline of 1 to `DF` times what it takes alone"},
		&urfave.Uint64Flag{Name: "seed", Usage: "of every random stream", Value: 1},
	}
}

const defaultNodes = 20

func clusterOf(c *urfave.Context, config *conf.Config, w *workload) (*cluster, error) {
	k := &cluster{model: c.String("model"), nodes: c.Int("nodes"), heartbeat: c.Int64("heartbeat"), waitForWork: waits(c, w), keepIdle: c.Bool("keep-idle-beats"), factor: c.Float64("deadline-factor")}
	if !known(k.model) {
		return nil, usageError("--model=%s: there are %s", k.model, strings.Join(models, ", "))
	}
	switch {
	case c.IsSet("nodes") && (k.nodes < 1 || k.nodes > 100_000):
		return nil, usageError("--nodes=%d: want 1 to 100000", k.nodes)
	case k.heartbeat < 0:
		return nil, usageError("--heartbeat=%d: want 1 ms or more", k.heartbeat)
	case c.IsSet("deadline-factor") && !(k.factor >= 1 && k.factor <= 1e6):
		return nil, usageError("--deadline-factor=%g: want 1 to 1e6", k.factor)
	}
	if k.model == "task" {
		if err := needless(c, "with --model=task, which knows no nodes and no beats; use heartbeat", "plan", "speculation", "heartbeat", "wait-for-work", "keep-idle-beats"); err != nil {
			return nil, err
		}
	}
	if err := k.readPlan(c.String("plan")); err != nil {
		return nil, err
	}
	if k.nodes == 0 {
		k.nodes = len(w.nodes)
	}
	if k.nodes == 0 {
		k.nodes = defaultNodes
	}
	// A cluster that is as large as the recorded one has its nodes; so maps find their input where it was.
	k.names = w.nodes[:min(len(w.nodes), k.nodes)]
	for kind, name := range []string{"map-slots", "reduce-slots"} {
		n := c.Int(name)
		switch {
		case c.IsSet(name) && (n < 0 || n > 10_000):
			return nil, usageError("--%s=%d: want 0 to 10000", name, n)
		case c.IsSet(name):
			k.slots[kind] = int32(n)
		case w.slots[kind] > 0 && len(w.nodes) > 0:
			k.slots[kind] = int32(math.Ceil(float64(w.slots[kind]) / float64(len(w.nodes))))
		default:
			d, err := slots.Read(config, []string{slots.KeyMaps, slots.KeyReduces}[kind])
			if err != nil {
				return nil, err
			}
			k.slots[kind] = int32(d)
		}
	}
	return k, nil
}

// waits tells whether nodes beat at once when there is news: if the user does not say, as those did that the trace was recorded on.
func waits(c *urfave.Context, w *workload) bool {
	if c.IsSet("wait-for-work") {
		return c.Bool("wait-for-work")
	}
	return w.origin == "journal"
}

// readPlan reads the file of --plan.
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
	journal  io.Writer // nil = none
	progress func()    // called for each job that is read
}

// run simulates the workload.
func (m *simulation) run(ctx context.Context, w *workload) (r *trace.Result, wall time.Duration, err error) {
	src, done, err := w.open(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer func() {
		if e := done(); err == nil {
			err = e
		}
	}()
	src = m.with(ctx, src)
	start := time.Now()
	r, err = m.engine(ctx, src)
	if err != nil {
		return nil, 0, err
	}
	r.Model, r.Scheduler, r.Nodes, r.Seed = m.on.model, m.policies.name, m.on.nodes, m.seed
	return r, time.Since(start), nil
}

// with adds deadlines and the progress to a source.
func (m *simulation) with(ctx context.Context, src trace.Source) trace.Source {
	f := &feed{src: src, progress: m.progress}
	if m.on.factor == 0 {
		return f
	}
	f.src = generate.Deadlines(src, 1, m.on.factor, m.seed, func(j *trace.Job) int64 {
		t, err := simmr.Alone(ctx, j, m.on.all())
		if err != nil && f.err == nil {
			f.err = err
		}
		return t
	})
	return f
}

// feed counts the jobs that are read, and hands on an error of the deadlines.
type feed struct {
	src      trace.Source
	progress func()
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
	return j, err
}

func (m *simulation) engine(ctx context.Context, src trace.Source) (*trace.Result, error) {
	policy, err := m.policies.policy(m.on.all())
	if err != nil {
		return nil, err
	}
	if m.on.model == "task" {
		return tasklevel.Run(ctx, tasklevel.Config{Slots: m.on.all(), Trackers: m.on.nodes, Scheduler: m.policies.name, Policy: policy, Model: replay.SimMR, Seed: m.seed, Journal: m.journal}, src)
	}
	speculator, err := m.policies.speculator()
	if err != nil {
		return nil, err
	}
	c := simulator.Config{Trackers: m.on.nodes, Slots: m.on.slots, Heartbeat: m.on.heartbeat, WaitForWork: m.on.waitForWork, KeepIdleBeats: m.on.keepIdle,
		Mumak: m.on.model == "mumak", Seed: m.seed, Scheduler: m.policies.name, Policy: policy, Speculator: speculator, Journal: m.journal, Plan: m.on.plan}
	if len(m.on.names) == m.on.nodes {
		c.Nodes = m.on.names
	}
	if u, ok := policy.(scheduler.ContainerUser); ok && u.UsesContainers() {
		// A slot stands for Hadoop's default container: 1 GiB and a core.
		n := max(1, m.on.slots[0]+m.on.slots[1])
		c.Memory, c.VCores = n*1024, n
	}
	return simulator.Run(ctx, c, src)
}
