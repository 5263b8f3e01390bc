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

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/mapreduce/naps"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/scheduler/estimate"
	"github.com/howdah/howdah/simulator/trace/generate"
)

// Mini is the cluster of real runs: one slot of each kind on each TaskTracker, as on the paper's testbed, and short beats.
var Mini = Cluster{Trackers: 8, Slots: [2]int32{1, 1}, Heartbeat: 300, WaitForWork: true}

const (
	// throttle slows each TaskTracker's map-output server down, in bytes a second: one machine has no network to speak of, and
	// the paper's reduces spent a good part of their time in the shuffle.
	throttle = 64 << 10
	// beats is how many beats a job must have taken to be counted: what beats add is no error of the model.
	beats = 60
	// recordBytes is what a record of the sleep application takes in a map's output.
	recordBytes = 6
)

// work is one of the 18 real jobs: six programs with three inputs. Tasks are processes that sleep; their output is fetched
// through a real, throttled shuffle.
type work struct {
	name            string
	maps, reduces   int
	mapMS, reduceMS float64 // means
	spread          float64 // standard deviation over mean
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

// fetch is how long the last wave's output takes through the throttled servers: each then serves one map's to all reduces.
func (w *work) fetch() float64 { return float64(w.output*w.reduces) / throttle * 1000 }

// profile is what the user tells of the job.
func (w *work) profile() estimate.Profile {
	phase := func(avg float64) estimate.Phase {
		return estimate.Phase{Avg: avg, Max: math.Round(avg * (1 + 2*w.spread))}
	}
	return estimate.Profile{Map: phase(w.mapMS), First: phase(w.fetch()), Typical: phase(w.fetch() * 2), Reduce: phase(w.reduceMS)}
}

// args are the command's arguments. Durations are drawn job by job, so every policy gets the same.
func (w *work) args(r *rand.Rand, factor float64) []string {
	p := w.profile()
	alone := p.Makespan(estimate.Average, [2]int32{int32(w.maps), int32(w.reduces)}, Mini.all())
	due := alone * (1.2 + r.Float64()*(factor-1.2))
	return []string{"run", "-q", "sleep",
		"-D", "mapreduce.job.name=" + w.name, "-D", estimate.Key + "=" + p.String(), "-D", fmt.Sprintf("mapreduce.job.deadline=+%dms", int64(due)),
		"-D", "mapreduce.map.speculative=false", "-D", "mapreduce.reduce.speculative=false",
		"-D", fmt.Sprintf("howdah.sleep.map.records=%d", w.output/recordBytes),
		"-D", naps.KeyMaps + "=" + times(r, w.maps, w.mapMS, w.spread), "-D", naps.KeyReduces + "=" + times(r, w.reduces, w.reduceMS, w.spread),
		"-m", strconv.Itoa(w.maps), "-r", strconv.Itoa(w.reduces)}
}

// RealRun executes 18 jobs (4 if quick) on a minicluster under a policy, reads the cluster's own journal, and replays it.
func RealRun(ctx context.Context, r *lab.Run, p Policy) (*Accuracy, error) {
	const mean, factor = 20.0, 3.0 // seconds between arrivals, deadline factor
	list := works()
	if r.Quick {
		list = []work{list[0], list[6], list[9], list[15]}
	}
	c, err := r.StartCluster(ctx, lab.ClusterOptions{TaskTrackers: Mini.Trackers, Slots: Mini.Slots, Set: append([]string{
		catalog.Key + "=" + p.Name, fmt.Sprintf("howdah.shuffle.throttle=%d", throttle)}, settings(p)...)})
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

func settings(p Policy) (set []string) {
	for i := 0; i+1 < len(p.Set); i += 2 {
		set = append(set, p.Set[i]+"="+p.Set[i+1])
	}
	return set
}

func knobs(r *lab.Run, mean, factor float64) {
	if len(r.Knobs) > 0 {
		return
	}
	r.Knob("cluster", fmt.Sprintf("%d TaskTrackers with 1 + 1 slots on one machine, beats of %d ms", Mini.Trackers, Mini.Heartbeat))
	r.Knob("howdah.shuffle.throttle", fmt.Sprintf("%d bytes/s for each map-output server", throttle))
	r.Knob("jobs", fmt.Sprintf("processes that sleep, real shuffle; those of at least %d beats count", beats))
	r.Knob("mean inter-arrival", fmt.Sprint(mean, " s"))
	r.Knob("deadlines", fmt.Sprintf("1.2 to %g times what the profile promises for all slots", factor))
}

// submitAll submits the jobs in random order, at random times, and waits until the last has ended.
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

// Times is the setting that gives each map or reduce of a sleep job a random time: mean ms, with the spread as standard deviation
// over mean.
func Times(seed uint64, phase string, n int, mean, spread float64) string {
	key := naps.KeyMaps
	if phase == "reduce" {
		key = naps.KeyReduces
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
