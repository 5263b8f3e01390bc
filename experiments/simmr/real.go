package simmr

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
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
	beats = 40
	// meanGap is the mean time between arrivals in seconds. It keeps six TaskTrackers busy most of the
	// time.
	meanGap = 15.5
	// deadlineFactor is the largest ratio of a job's relative deadline to the time that the job takes
	// with all slots.
	deadlineFactor = 3.0
	// recordBytes is the size of a record in the map output of the sleep application.
	recordBytes = 6
)

// work is one of the 18 jobs of a real run, which are six programs with three inputs each. Tasks
// are processes that sleep. Reduces fetch the maps' output through a real shuffle with limited
// bandwidth. The number of reduces is a multiple of every cluster's number of slots, so that each
// wave of reduces fetches with all slots.
type work struct {
	name            string
	maps, reduces   int
	mapMS, reduceMS float64 // means
	spread          float64 // standard deviation divided by mean
	output          int     // bytes that a map writes for each reduce
}

// programs lists the six programs with their smallest input.
var programs = []work{
	{"WordCount", 24, 24, 2800, 1200, 0.20, 5800},
	{"WikiTrends", 28, 24, 2450, 1050, 0.30, 4300},
	{"Twitter", 20, 24, 2450, 1400, 0.15, 7200},
	{"Sort", 22, 24, 2450, 850, 0.25, 8600},
	{"TFIDF", 24, 24, 3150, 1250, 0.25, 4300},
	{"Bayes", 22, 24, 3500, 1050, 0.20, 3600},
}

// works returns the programs with each of the sizes, which are factors for the number of maps.
func works(sizes ...float64) (list []work) {
	for _, p := range programs {
		for _, size := range sizes {
			w := p
			w.maps = int(float64(p.maps)*size + 0.5)
			list = append(list, w)
		}
	}
	return list
}

// profile returns the profile that the user submits with the job. A first shuffle waits until the
// throttled servers have sent the output of the last wave of maps, one map each, to the reduces in
// all slots. In a typical shuffle, they send the output of all maps.
func (w *work) profile() estimate.Profile {
	phase := func(avg float64) estimate.Phase {
		return estimate.Phase{Avg: avg, Max: math.Round(avg * (1 + 2*w.spread))}
	}
	fetch := func(maps int) estimate.Phase { return phase(float64(w.output*maps) / throttle * 1000) }
	return estimate.Profile{Map: phase(w.mapMS), First: fetch(Mini.Trackers), Typical: fetch(w.maps),
		Reduce: phase(w.reduceMS)}
}

// args returns the arguments of the howdah command that runs the job. It draws the deadline and the
// durations of tasks from r. If r depends only on the seed and the job, these are the same for
// every policy.
func (w *work) args(r *rand.Rand) []string {
	p := w.profile()
	alone := p.Makespan(estimate.Average, [2]int32{int32(w.maps), int32(w.reduces)}, Mini.all())
	due := alone * (1.2 + r.Float64()*(deadlineFactor-1.2))
	return []string{"run", "-q", "sleep",
		"-D", "mapreduce.job.name=" + w.name, "-D", conf.JobProfile.Name + "=" + p.String(),
		"-D", fmt.Sprintf("mapreduce.job.deadline=+%dms", int64(due)),
		"-D", "mapreduce.map.speculative=false", "-D", "mapreduce.reduce.speculative=false",
		"-D", fmt.Sprintf("howdah.sleep.map.records=%d", w.output/recordBytes),
		"-D", conf.SleepMapTimes.Name + "=" + times(r, w.maps, w.mapMS, w.spread),
		"-D", conf.SleepReduceTimes.Name + "=" + times(r, w.reduces, w.reduceMS, w.spread),
		"-m", strconv.Itoa(w.maps), "-r", strconv.Itoa(w.reduces)}
}

// submitAll submits the jobs in random order at random times and waits until all of them have
// ended. If a job fails, submitAll cancels the others.
// The stream of random numbers is called name.
func submitAll(ctx context.Context, c *lab.Cluster, seed uint64, name string, list []work) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	arrivals := generate.Stream(seed, name+" arrivals", 0)
	errs := make([]error, len(list))
	var all sync.WaitGroup
	for _, i := range arrivals.Perm(len(list)) {
		all.Go(func() {
			if _, errs[i] = c.Howdah(ctx, list[i].args(generate.Stream(seed, name+" job", i))...); errs[i] != nil {
				cancel()
			}
		})
		select {
		case <-time.After(time.Duration(arrivals.ExpFloat64() * meanGap * float64(time.Second))):
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
