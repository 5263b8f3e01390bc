package ra

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/scheduler/adaptive"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/codec"
	"github.com/howdah/howdah/simulator/trace/generate"
)

// small3 scales Experiment 2 to one machine: one cell of the simulated grid, fewer days, and time that
// passes faster.
var small3 = struct {
	load, factor    float64
	days, seeds     int
	trackers, slots int // of each cluster, and of each TaskTracker
	heartbeat       int // ms
	speed           scale
}{0.8, 8, 5, 8, 10, 10, 500, 400}

// manyStart is the time from the start of all clusters to hour 0.
const manyStart = time.Minute

var ra3RealContenders = []Contender{FIFO, Adaptive, Reverse, Blind}

// ra3Real runs one cell of RA-3 on miniclusters whose TaskTrackers come and go with f(t), and
// simulates the same jobs. All clusters run at the same time, because their tasks sleep.
func ra3Real(ctx context.Context, r *lab.Run) error {
	s := small3
	if r.Quick {
		s.days, s.seeds, s.speed = 3, 2, 800
	}
	w := Slopes(s.load, s.factor, 3)
	w.Workload.Days = s.days
	r.Knob("cell", Where(w)+", with the tasks and the f(t) of the simulated run")
	r.Knob("days", fmt.Sprintf("%d; the results cover all days but the first and the last", s.days))
	settingKnobs(r, w)
	r.Knob("compression", fmt.Sprintf("%d, so a day takes %.0f s; it also divides howdah.adaptive.cycle", s.speed,
		86400/float64(s.speed)))
	r.Knob("TaskTrackers", fmt.Sprintf("%d with %d map slots each; every minute of the paper's time, TaskTrackers are "+
		"drained or get tasks again, so that f(t) of them, rounded, run tasks", s.trackers, s.slots))
	seeds, jobs, err := feasible(w.Workload, r.Seed, s.seeds)
	if err != nil {
		return err
	}
	r.Knob("seeds of the jobs", fmt.Sprintf("%v; other seeds have more tasks than the nodes can run in these days", seeds))
	r.Knob("heartbeats", fmt.Sprintf("at least %d ms apart", small3.heartbeat))
	r.Knob("jobs", "tasks sleep inside the TaskTrackers; the clusters of all schedulers and seeds run at the same time")
	origin := time.Now().Add(manyStart)
	names := make([]string, len(ra3RealContenders))
	ran, foreseen := make([][]Outcome, len(names)), make([][]Outcome, len(names))
	ctx, cancel := context.WithCancel(ctx)
	g, all := errgroup.WithContext(ctx)
	defer func() {
		cancel()
		_ = g.Wait()
	}()
	for i, c := range ra3RealContenders {
		cell := c.On(w)
		names[i], ran[i], foreseen[i] = c.Name, make([]Outcome, s.seeds), make([]Outcome, s.seeds)
		for n := range s.seeds {
			x := &ra3Live{scale: s.speed, cell: cell, origin: origin, jobs: jobs[n]}
			if err := x.start(ctx, r); err != nil {
				return err
			}
			g.Go(func() error {
				defer x.cluster.Stop()
				jobs, err := x.run(all)
				ran[i][n] = measure(jobs, s.days)
				return err
			})
			if foreseen[i][n], err = Simulate(ctx, cell.Case, cell.Policy, seeds[n]); err != nil {
				return err
			}
		}
	}
	if late := time.Since(origin); late > 0 {
		return fmt.Errorf("the last TaskTrackers started %s after hour 0", late)
	}
	if err := g.Wait(); err != nil {
		return err
	}
	var rows [][]string
	simulated := &Cells{}
	for i, name := range names {
		rows = append(rows, []string{name, Of(ran[i], Missed).Fine(), Of(foreseen[i], Missed).Fine(),
			Of(ran[i], Beyond).Fine(), Of(foreseen[i], Beyond).Fine(), Of(ran[i], Distance).Fine(),
			Of(foreseen[i], Distance).Fine()})
		simulated.Add(name, ran[i], foreseen[i], Missed)
	}
	r.AddTable("figure7-real", []string{"scheduler", "missed %", "simulated", "hours beyond the deadline", "simulated",
		"hours to the deadline", "simulated"}, rows)
	compare := func(id string, a, b int, m Metric) {
		c := &Cells{}
		c.Add(Where(w), ran[a], ran[b], m)
		r.Compare(id, c.Mean(), "%s against %s", Of(ran[a], m).Fine(), Of(ran[b], m).Fine())
	}
	compare("reverse-adaptive", 2, 1, Missed)
	compare("adaptive-fifo", 1, 0, Missed)
	compare("late", 2, 1, Beyond)
	compare("foresight", 2, 3, Missed)
	r.Compare("simulated", simulated.Farthest(), "%s", simulated)
	return nil
}

// feasible returns the first n seeds whose jobs have no more tasks than the nodes can run in the days
// of arrivals, and these jobs. Otherwise, one huge job can make a run take an hour.
func feasible(w generate.Shared, first uint64, n int) (seeds []uint64, jobs []*trace.Trace, err error) {
	w = w.WithDefaults()
	most := float64(w.Nodes) * w.F.Average() * float64(w.Days) * 24 * hour / w.Task
	for w.Seed = first; len(seeds) < n; w.Seed++ {
		t, err := generate.Collect("shared", w.Source())
		if err != nil {
			return nil, nil, err
		}
		tasks := 0
		for _, j := range t.Jobs {
			tasks += len(j.Maps)
		}
		if float64(tasks) <= most {
			seeds, jobs = append(seeds, w.Seed), append(jobs, t)
		}
	}
	return seeds, jobs, nil
}

// ra3Live is a cell on a minicluster.
type ra3Live struct {
	scale
	cell    Cell
	origin  time.Time // hour 0
	jobs    *trace.Trace
	cluster *lab.Cluster
}

// start starts the cluster.
func (x *ra3Live) start(ctx context.Context, r *lab.Run) (err error) {
	var jobs bytes.Buffer
	if err := codec.Write(&jobs, codec.Header{Name: x.jobs.Name}, x.jobs.Source()); err != nil {
		return err
	}
	foretold := x.cell.Case.Workload.F
	if x.cell.Case.Blind {
		foretold = generate.Availability{}
	}
	o := lab.ClusterOptions{TaskTrackers: small3.trackers, Slots: [2]int32{int32(small3.slots), 1},
		Files: map[string]string{"jobs": jobs.String(), "capacity": x.foretell(foretold)},
		Set: []string{conf.JobTrackerTaskScheduler.Name + "=" + x.cell.Policy,
			conf.JobTrackerHeartbeatIntervalMin.Name + "=" + strconv.Itoa(small3.heartbeat),
			conf.AdaptiveCapacityEnforcedBy.Name + "=" + adaptive.ByTrackers,
			conf.AdaptiveCapacityFile.Name + "=@DIR@/capacity"}}
	for k, v := range x.cell.Case.Settings {
		if k == conf.AdaptiveCycle.Name {
			v = strconv.Itoa(cycle * Long / Short / int(x.scale))
		}
		o.Set = append(o.Set, k+"="+v)
	}
	x.cluster, err = r.StartCluster(ctx, o)
	return err
}

// run runs the jobs. The times in the result are the paper's.
func (x *ra3Live) run(ctx context.Context) ([]trace.JobResult, error) {
	g, both := errgroup.WithContext(ctx)
	running, ended := context.WithCancel(both)
	g.Go(func() error { return x.comeAndGo(running) })
	g.Go(func() error {
		defer ended()
		if err := x.await(both, x.jobs.Jobs[0].Submit); err != nil {
			return err
		}
		_, err := x.cluster.Howdah(both, "sim", "submit", "--speedup", strconv.Itoa(int(x.scale)), "-D",
			conf.SleepInTracker.Name+"=true", "-D", "mapreduce.map.speculative=false", x.cluster.File("jobs"))
		return err
	})
	if err := g.Wait(); err != nil {
		return nil, err
	}
	all, err := x.cluster.Jobs(ctx, "all")
	if err != nil {
		return nil, err
	}
	var out []trace.JobResult
	at := func(ms int64) int64 { return (ms - x.origin.UnixMilli()) * int64(x.scale) }
	for _, j := range all {
		out = append(out, trace.JobResult{ID: j.ID, Submit: at(j.Submit), Start: at(j.Start), Finish: at(j.Finish),
			Deadline: at(j.Deadline)})
	}
	return out, nil
}

// foretell returns the content of the scheduler's capacity file.
func (x *ra3Live) foretell(f generate.Availability) string {
	const day = 24 * hour
	var b strings.Builder
	fmt.Fprintf(&b, "period %dms\norigin %d\n", day/int64(x.scale), x.origin.UnixMilli())
	for t := int64(0); t <= day; t += day / 96 {
		fmt.Fprintf(&b, "%dms %.6f\n", t/int64(x.scale), f.At(t))
	}
	return b.String()
}

// await waits until the paper's time is ms.
func (x *ra3Live) await(ctx context.Context, ms int64) error {
	return lifecycle.Sleep(ctx, time.Until(x.origin.Add(time.Duration(ms)*time.Millisecond/time.Duration(x.scale))))
}

// comeAndGo drains TaskTrackers as f(t) falls, and gives them tasks again as it rises, until ctx ends.
func (x *ra3Live) comeAndGo(ctx context.Context) error {
	names, err := x.cluster.Trackers(ctx)
	if err != nil {
		return err
	}
	n := len(names)
	for t := int64(0); ; t += 60_000 {
		if x.await(ctx, t) != nil {
			return nil
		}
		want := int(math.Round(float64(len(names)) * x.cell.Case.Workload.F.At(t)))
		how, change := "off", names[min(n, want):want]
		if n > want {
			how, change = "rerun", names[want:n]
		}
		if err := x.cluster.Drain(context.WithoutCancel(ctx), how, change...); err != nil {
			return err
		}
		n = want
	}
}
