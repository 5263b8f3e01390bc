package simmr

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

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
	known map[string]known // by the name of a program
}

// known is what the recorded run says about a program.
type known struct {
	maps   int // of each recorded job
	phases *profile.Phases
}

// newForecaster runs each program twice and profiles the jobs.
func newForecaster(ctx context.Context, r *lab.Run) (*forecaster, error) {
	list := append(works(1), works(1)...)
	t, err := realRun(ctx, r, fifo, Mini.Trackers, "profile", list)
	if err != nil {
		return nil, err
	}
	f := &forecaster{run: r, known: map[string]known{}}
	jobs := map[string][]*trace.Job{}
	for _, j := range t.Jobs {
		jobs[j.Name] = append(jobs[j.Name], j)
	}
	for name, list := range jobs {
		f.known[name] = known{len(list[0].Maps), profile.Of(list...)}
	}
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
	return f, nil
}

// realRun executes the jobs on a minicluster with n TaskTrackers under the policy p and saves the
// cluster's journal in r.Dir.
func realRun(ctx context.Context, r *lab.Run, p lab.Policy, n int, name string, list []work) (*trace.Trace, error) {
	c, err := r.StartCluster(ctx, lab.ClusterOptions{TaskTrackers: n, Slots: Mini.Slots, Set: append([]string{
		conf.JobTrackerTaskScheduler.Name + "=" + p.Name, fmt.Sprintf("howdah.shuffle.throttle=%d", throttle)},
		p.Settings()...)})
	if err != nil {
		return nil, err
	}
	defer c.Stop()
	if err := submitAll(ctx, c, r.Seed, name, list); err != nil {
		return nil, err
	}
	journal, err := c.Journal(ctx)
	if err != nil {
		return nil, err
	}
	if r.Dir != "" {
		if err := os.MkdirAll(r.Dir, 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(r.Dir, name+".journal"), journal, 0o644); err != nil {
			return nil, err
		}
	}
	return FromJournal(name, journal)
}

// measure executes the 18 jobs under the policy p with n TaskTrackers and measures the
// errors of forecasts. A forecast knows the jobs' arrivals, deadlines, and numbers of tasks, but no
// duration. It omits jobs that took less than beats heartbeat intervals.
func (f *forecaster) measure(ctx context.Context, p lab.Policy, n int) (*Accuracy, error) {
	t, err := realRun(ctx, f.run, p, n, fmt.Sprint(p.Name, "-", n), works(1, 1.25, 1.5))
	if err != nil {
		return nil, err
	}
	c := Mini
	c.Trackers = n
	guesses := make([]*trace.Trace, draws)
	for i := range guesses {
		guesses[i] = f.guess(t, n, generate.Stream(f.run.Seed, "forecast", i))
	}
	return c.compare(ctx, p, t, guesses, beats*c.Heartbeat, firstToLast)
}

// guess returns the jobs of t with durations from the profile, for a cluster of n TaskTrackers with one
// reduce slot each.
func (f *forecaster) guess(t *trace.Trace, n int, r *rand.Rand) *trace.Trace {
	out := &trace.Trace{Name: t.Name, Origin: t.Origin, Jobs: validate.Blind(t.Jobs)}
	for _, j := range out.Jobs {
		k := f.known[j.Name]
		draw := func(list []float64, scale float64) int64 { return int64(list[r.IntN(len(list))]*scale + 0.5) }
		for i := range j.Maps {
			j.Maps[i] = trace.Map{Time: draw(k.phases.Map, 1), Input: j.Maps[i].Input}
		}
		for i := range j.Reduces {
			first := (i%2 == 0 || len(k.phases.Typical) == 0) && len(k.phases.First) > 0
			x := trace.Reduce{First: first, Time: draw(k.phases.Reduce, 1), Input: j.Reduces[i].Input}
			// The last maps' servers send to the reduces of all slots. Later, each sends its share
			// of all maps, and the number of servers equals the number of reduces that fetch.
			if x.First {
				x.Shuffle = draw(k.phases.First, float64(n)/float64(Mini.Trackers))
			} else {
				x.Shuffle = draw(k.phases.Typical, float64(len(j.Maps))/float64(k.maps))
			}
			j.Reduces[i] = x
		}
	}
	return out
}
