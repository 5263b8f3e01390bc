package simmr

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/scheduler/estimate"
	"github.com/howdah/howdah/simulator/trace/generate"
)

// Mini is the cluster of real runs. Each TaskTracker has one slot of each kind, as in the paper's
// testbed. Heartbeat is howdah's default, which is shorter than the paper's.
var Mini = Cluster{Trackers: 8, Slots: [2]int32{1, 1}, Heartbeat: 300, WaitForWork: true}

const (
	// throttle is the bandwidth of each TaskTracker's map-output server, in bytes per second. Without
	// this limit, transfers on a single machine take almost no time, but the paper's reduces spend a
	// large part of their time in the shuffle.
	throttle = 64 << 10
	// beats is the minimum duration of a job that counts, in heartbeat intervals. In shorter jobs,
	// the delay of heartbeats would appear as a model error.
	beats = 60
	// recordBytes is the size of a record in the map output of the sleep application.
	recordBytes = 6
)

// work is one of the 18 jobs of a real run, which are six programs with three inputs each. Tasks
// are processes that sleep. Reduces fetch the maps' output through a real shuffle with limited
// bandwidth.
type work struct {
	name            string
	maps, reduces   int
	mapMS, reduceMS float64 // means
	spread          float64 // standard deviation divided by mean
	output          int     // bytes that a map writes for each reduce
}

func works() (list []work) {
	for _, p := range []work{
		{"WordCount", 24, 8, 4000, 3500, 0.20, 24 << 10},
		{"WikiTrends", 28, 8, 3500, 3000, 0.30, 20 << 10},
		{"Twitter", 20, 8, 3500, 4500, 0.15, 40 << 10},
		{"Sort", 22, 8, 3500, 2500, 0.25, 48 << 10},
		{"TFIDF", 24, 8, 4500, 4000, 0.25, 20 << 10},
		{"Bayes", 22, 8, 5000, 3000, 0.20, 16 << 10},
	} {
		for _, size := range []float64{1, 1.25, 1.5} {
			w := p
			w.maps = int(float64(p.maps)*size + 0.5)
			list = append(list, w)
		}
	}
	return list
}

// fetch returns the time, in ms, that the throttled servers take to send the output of the last wave
// of maps. Each server sends the output of one map to all reduces.
func (w *work) fetch() float64 { return float64(w.output*w.reduces) / throttle * 1000 }

// profile returns the profile that the user submits with the job.
func (w *work) profile() estimate.Profile {
	phase := func(avg float64) estimate.Phase {
		return estimate.Phase{Avg: avg, Max: math.Round(avg * (1 + 2*w.spread))}
	}
	return estimate.Profile{Map: phase(w.mapMS), First: phase(w.fetch()), Typical: phase(w.fetch() * 2),
		Reduce: phase(w.reduceMS)}
}

// args returns the arguments of the howdah command that runs the job. It draws the deadline and the
// durations of tasks from r. If r depends only on the seed and the job, these are the same for
// every policy.
func (w *work) args(r *rand.Rand, factor float64) []string {
	p := w.profile()
	alone := p.Makespan(estimate.Average, [2]int32{int32(w.maps), int32(w.reduces)}, Mini.all())
	due := alone * (1.2 + r.Float64()*(factor-1.2))
	return []string{"run", "-q", "sleep",
		"-D", "mapreduce.job.name=" + w.name, "-D", conf.JobProfile.Name + "=" + p.String(),
		"-D", fmt.Sprintf("mapreduce.job.deadline=+%dms", int64(due)),
		"-D", "mapreduce.map.speculative=false", "-D", "mapreduce.reduce.speculative=false",
		"-D", fmt.Sprintf("howdah.sleep.map.records=%d", w.output/recordBytes),
		"-D", conf.SleepMapTimes.Name + "=" + times(r, w.maps, w.mapMS, w.spread),
		"-D", conf.SleepReduceTimes.Name + "=" + times(r, w.reduces, w.reduceMS, w.spread),
		"-m", strconv.Itoa(w.maps), "-r", strconv.Itoa(w.reduces)}
}

// RealRun executes 18 jobs (4 in a quick run) on a minicluster under the policy p and saves the
// cluster's journal in r.Dir. It then measures the accuracy of replays of that journal. It omits
// jobs that took less than beats heartbeat intervals.
func RealRun(ctx context.Context, r *lab.Run, p lab.Policy) (*Accuracy, error) {
	const mean, factor = 20.0, 3.0 // mean time between arrivals in s, and deadline factor
	list := works()
	if r.Quick {
		list = []work{list[0], list[6], list[9], list[15]}
	}
	c, err := r.StartCluster(ctx, lab.ClusterOptions{TaskTrackers: Mini.Trackers, Slots: Mini.Slots, Set: append([]string{
		conf.JobTrackerTaskScheduler.Name + "=" + p.Name, fmt.Sprintf("howdah.shuffle.throttle=%d", throttle)},
		p.Settings()...)})
	if err != nil {
		return nil, err
	}
	defer c.Stop()
	if err := submitAll(ctx, c, r.Seed, list, mean, factor); err != nil {
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
		if err := os.WriteFile(filepath.Join(r.Dir, p.Name+".journal"), journal, 0o644); err != nil {
			return nil, err
		}
	}
	knobs(r, mean, factor)
	t, err := FromJournal(p.Name, journal)
	if err != nil {
		return nil, err
	}
	return Mini.Measure(ctx, p, t, beats*Mini.Heartbeat)
}

func knobs(r *lab.Run, mean, factor float64) {
	if len(r.Knobs) > 0 {
		return
	}
	r.Knob("cluster", fmt.Sprintf("%d TaskTrackers with 1 + 1 slots on one machine, and heartbeats every %d ms",
		Mini.Trackers,
		Mini.Heartbeat))
	r.Knob("howdah.shuffle.throttle", fmt.Sprintf("%d bytes/s for each map-output server", throttle))
	r.Knob("jobs", fmt.Sprintf("processes that sleep and shuffle real data; only jobs that last at least %d "+
		"heartbeats count", beats))
	r.Knob("mean inter-arrival", fmt.Sprint(mean, " s"))
	r.Knob("deadlines", fmt.Sprintf("1.2 to %g times the time that the profile predicts with all slots", factor))
}

// submitAll submits the jobs in random order at random times and waits until all of them have
// ended. If a job fails, submitAll cancels the others.
func submitAll(ctx context.Context, c *lab.Cluster, seed uint64, list []work, mean, factor float64) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	arrivals := generate.Stream(seed, "real arrivals", 0)
	errs := make([]error, len(list))
	var all sync.WaitGroup
	for _, i := range arrivals.Perm(len(list)) {
		all.Go(func() {
			if _, errs[i] = c.Howdah(ctx, list[i].args(generate.Stream(seed, "real job", i), factor)...); errs[i] != nil {
				cancel()
			}
		})
		select {
		case <-time.After(time.Duration(arrivals.ExpFloat64() * mean * float64(time.Second))):
		case <-ctx.Done():
		}
	}
	all.Wait()
	return errors.Join(errs...)
}

// Times returns a setting for a sleep job. It contains a random time for each of n maps or, if
// phase is "reduce", for each of n reduces. The times are normally distributed with the given mean
// in ms, but at least 0.3 times the mean. spread is their standard deviation divided by the mean.
func Times(seed uint64, phase string, n int, mean, spread float64) string {
	key := conf.SleepMapTimes.Name
	if phase == "reduce" {
		key = conf.SleepReduceTimes.Name
	}
	return key + "=" + times(generate.Stream(seed, "real "+phase, 0), n, mean, spread)
}

func times(r *rand.Rand, n int, mean, spread float64) string {
	ms := make([]string, n)
	for i := range ms {
		ms[i] = strconv.Itoa(int(max(0.3, 1+spread*r.NormFloat64()) * mean))
	}
	return strings.Join(ms, ",")
}
