package simmr

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/generate"
	"github.com/howdah/howdah/simulator/trace/profile"
	"github.com/howdah/howdah/simulator/validate"
)

// draws is the number of forecasts of a real run. Each draws the tasks' durations anew.
const draws = 20

// forecaster predicts real runs from the profile of another one, which ran under FIFO on Mini with the
// smallest input of each program.
type forecaster struct {
	run   *lab.Run
	seed  uint64           // of the real runs and the forecasts
	known map[string]known // by the name of a program
}

// known is what the recorded run says about a program.
type known struct {
	maps   int     // of each recorded job
	output float64 // bytes that a map writes for each reduce
	phases *profile.Phases
}

// newForecaster runs each program twice and profiles the jobs. The model Shared was chosen on the
// runs of version 3 of SIM-4, so newForecaster uses another seed than they did. The durations,
// arrivals, and deadlines of all jobs therefore differ from theirs.
func newForecaster(ctx context.Context, r *lab.Run) (*forecaster, error) {
	list := append(works(1), works(1)...)
	f := &forecaster{run: r, seed: r.Seed + 1}
	t, err := f.execute(ctx, fifo, Mini.Trackers, "profile", list)
	if err != nil {
		return nil, err
	}
	f.learn(t)
	r.Knob("profile", fmt.Sprintf("%d jobs with the smallest inputs under FIFO, with %d TaskTrackers", len(list),
		Mini.Trackers))
	r.Knob("cluster", fmt.Sprintf("TaskTrackers with 1 + 1 slots on one machine, and heartbeats every %d ms",
		Mini.Heartbeat))
	r.Knob("howdah.shuffle.throttle", fmt.Sprintf("%d bytes/s for each map-output server", throttle))
	r.Knob("jobs", fmt.Sprintf("processes that sleep and shuffle real data; only jobs that last at least %d "+
		"heartbeats count", beats))
	r.Knob("inputs", "1, 1.25, and 1.5 times the number of maps")
	r.Knob("mean inter-arrival", fmt.Sprint(meanGap, " s"))
	r.Knob("deadlines", fmt.Sprintf("1.2 to %g times the time that the profile predicts with all slots of %d TaskTrackers",
		deadlineFactor, Mini.Trackers))
	r.Knob("forecast", fmt.Sprintf("mean of %d simulations, each with durations drawn from the profile; a first shuffle "+
		"grows with the number of TaskTrackers, a typical one with the number of maps", draws))
	r.Knob("shared bandwidth", "a simulated shuffle in which each TaskTracker sends howdah.shuffle.throttle bytes/s, in "+
		"pieces of a tenth of a second, and a reduce fetches from 5 TaskTrackers at the same time, but not from its own; "+
		"idle TaskTrackers get tasks in random order; a forecast takes the bytes of a map from the profile and adds no "+
		"other time")
	r.Knob("seed of jobs and forecasts", f.seed)
	return f, nil
}

// learn profiles the jobs of t by program.
func (f *forecaster) learn(t *trace.Trace) {
	jobs := map[string][]*trace.Job{}
	for _, j := range t.Jobs {
		jobs[j.Name] = append(jobs[j.Name], j)
	}
	f.known = map[string]known{}
	for name, list := range jobs {
		f.known[name] = known{len(list[0].Maps), output(list), profile.Of(list...)}
	}
}

// output returns the mean number of bytes that a map of the jobs writes for each reduce.
func output(jobs []*trace.Job) float64 {
	sum, n := 0.0, 0.0
	for _, j := range jobs {
		for i := range j.Reduces {
			sum += float64(j.Reduces[i].Input) / float64(len(j.Maps))
			n++
		}
	}
	return sum / max(1, n)
}

// compare executes the 18 jobs under the policy p with each of the predicted numbers of TaskTrackers,
// reports the errors of forecasts, and returns all of them. The names of tables start with figure.
func (f *forecaster) compare(ctx context.Context, p lab.Policy, figure string) (*Accuracy, error) {
	all := &Accuracy{}
	for _, n := range predicted {
		t, err := f.execute(ctx, p, n, fmt.Sprint(p.Name, "-", n), works(1, 1.25, 1.5))
		if err != nil {
			return nil, err
		}
		a, err := f.measure(ctx, p, n, t, Shared, TaskLevel, Mumak)
		if err != nil {
			return nil, err
		}
		a.Report(f.run, fmt.Sprint(figure, "-real-", n), Shared, TaskLevel, Mumak)
		if err := f.causes(ctx, p, n, t, fmt.Sprint(figure, "-causes-", n)); err != nil {
			return nil, err
		}
		all.Add(a)
	}
	return all, nil
}

// execute executes the jobs on a minicluster with n TaskTrackers under the policy p and saves the
// cluster's journal in the directory of the experiment's run.
func (f *forecaster) execute(ctx context.Context, p lab.Policy, n int, name string, list []work) (*trace.Trace, error) {
	r := f.run
	c, err := r.StartCluster(ctx, lab.ClusterOptions{TaskTrackers: n, Slots: Mini.Slots, Set: append([]string{
		conf.JobTrackerTaskScheduler.Name + "=" + p.Name, fmt.Sprintf("howdah.shuffle.throttle=%d", throttle)},
		p.Settings()...)})
	if err != nil {
		return nil, err
	}
	defer c.Stop()
	if err := submitAll(ctx, c, f.seed, name, list); err != nil {
		return nil, err
	}
	journal, err := c.Journal(ctx)
	if err != nil {
		return nil, err
	}
	if err := keep(r, name, journal); err != nil {
		return nil, err
	}
	return FromJournal(name, journal)
}

// measure measures the errors of forecasts of the run t with each model. A forecast knows the jobs'
// arrivals, deadlines, and numbers of tasks, but no duration. measure omits jobs that took less than
// beats heartbeat intervals.
func (f *forecaster) measure(ctx context.Context, p lab.Policy, n int, t *trace.Trace, models ...Model) (*Accuracy,
	error) {
	c := Mini
	c.Trackers = n
	a := measured(t, beats*c.Heartbeat, firstToLast)
	for _, m := range models {
		if err := c.predict(ctx, p, a, m, f.guesses(t, n, m)...); err != nil {
			return nil, err
		}
	}
	return a, nil
}

func (f *forecaster) guesses(t *trace.Trace, n int, m Model) []*trace.Trace {
	list := make([]*trace.Trace, draws)
	for i := range list {
		list[i] = f.guess(t, n, m, generate.Stream(f.seed, "forecast", i))
	}
	return list
}

// guess returns the jobs of t with durations from the profile, for a cluster of n TaskTrackers with
// one reduce slot each. For the model Shared, it returns the reduces' input in place of the
// durations of shuffles.
func (f *forecaster) guess(t *trace.Trace, n int, m Model, r *rand.Rand) *trace.Trace {
	out := &trace.Trace{Name: t.Name, Origin: t.Origin, Jobs: validate.Blind(t.Jobs)}
	for _, j := range out.Jobs {
		k := f.known[j.Name]
		draw := func(list []float64, scale float64) int64 { return int64(list[r.IntN(len(list))]*scale + 0.5) }
		for i := range j.Maps {
			j.Maps[i] = trace.Map{Time: draw(k.phases.Map, 1), Input: j.Maps[i].Input}
		}
		for i := range j.Reduces {
			first := (i%2 == 0 || len(k.phases.Typical) == 0) && len(k.phases.First) > 0
			x := trace.Reduce{First: first, Time: draw(k.phases.Reduce, 1), Input: int64(k.output * float64(len(j.Maps)))}
			// The last maps' servers send to the reduces of all slots. Later, each sends its share
			// of all maps, and the number of servers equals the number of reduces that fetch.
			switch {
			case m == Shared:
			case x.First:
				x.Shuffle = draw(k.phases.First, float64(n)/float64(Mini.Trackers))
			default:
				x.Shuffle = draw(k.phases.Typical, float64(len(j.Maps))/float64(k.maps))
			}
			j.Reduces[i] = x
		}
	}
	return out
}
