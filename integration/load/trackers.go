package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/internal/rpc"
)

// trackersReport is the result of a run with simulated TaskTrackers.
type trackersReport struct {
	Machine    string  `json:"machine"`
	Trackers   int     `json:"trackers"`
	Seconds    float64 `json:"seconds"`
	Cores      float64 `json:"jobtracker_cores"`
	RSS        float64 `json:"jobtracker_rss_mb"`
	Generator  float64 `json:"generator_cores"`
	Nice       int     `json:"generator_nice"`
	Inside     spread  `json:"beat_inside"`
	Outside    spread  `json:"beat_outside"`
	Polls      spread  `json:"status"`
	Pages      spread  `json:"pages"`
	Launched   float64 `json:"maps_per_second"`
	Running    float64 `json:"running_maps"` // at the end; 0 means that the overloaded JobTracker did not say
	KilledJobs int64   `json:"killed_jobs"`
	Committed  float64 `json:"commit_job_seconds"` // 0 means that it has not ended
}

// reading is what a moment of a run shows.
type reading struct {
	at        time.Time
	jt        use
	generator time.Duration
	beats     []bucket
	maps      float64 // launched
	running   float64
}

func (c *cluster) read(ctx context.Context) (r reading, err error) {
	text, err := fetch(ctx, http.DefaultClient, c.Web+"/metrics")
	if err != nil {
		return r, err
	}
	if r.beats, err = histogram(text, "mapred_jobtracker_heartbeat_seconds"); err != nil {
		return r, err
	}
	if r.maps, err = value(text, "mapred_jobtracker_maps_launched_total"); err != nil {
		return r, err
	}
	r.running, _ = value(text, "mapred_jobtracker_running_maps") // absent while the JobTracker is overloaded
	if r.jt, err = c.used("jobtracker"); err != nil {
		return r, err
	}
	r.at, r.generator = time.Now(), ownCPU()
	return r, nil
}

// rarely is the percentage by which the heap of this program grows between two garbage collections.
// During a collection, which takes seconds on two processors, simulated TaskTrackers are late, and
// then thousands send their heartbeats at once. Real TaskTrackers do not depend on each other.
const rarely = 400

// manyTrackers measures the JobTracker under the load of simulated TaskTrackers.
func manyTrackers(ctx context.Context, o options, dir string) (*trackersReport, error) {
	// The interval of the heartbeats is the number of TaskTrackers divided by this rate.
	rate := max(1, int(float64(o.trackers)/o.beat.Seconds()))
	c, err := startCluster(ctx, o, dir, 1,
		fmt.Sprintf("%s=%d", conf.JobTrackerHeartbeatsInSecond.Name, rate),
		fmt.Sprintf("%s=%d", conf.JobTrackerRegistrationsSecond.Name, o.trackers),
		fmt.Sprintf("%s=%d", conf.JobTrackerTrackersMaximum.Name, o.trackers+1),
		conf.TaskTrackerMapTasksMaximum.Name+"=0") // only simulated TaskTrackers run maps
	if err != nil {
		return nil, err
	}
	defer c.stop()
	if err := yield(o.nice); err != nil {
		return nil, err
	}
	defer debug.SetGCPercent(debug.SetGCPercent(rarely))
	ctx, cancel := context.WithCancelCause(ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel(nil)

	var beats samples
	if err := startNodes(ctx, c, o, &group, beats.add); err != nil {
		return nil, err
	}
	w := &work{c: c, o: o, files: filepath.Join(dir, "out"), measuring: make(chan struct{})}
	start := sync.OnceFunc(func() { close(w.measuring) })
	defer start()
	w.run(ctx, &group, cancel)
	if err := c.busy(ctx, o); err != nil {
		return nil, err
	}
	before, err := c.read(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range []*samples{&beats, &w.polls, &w.pages} {
		s.reset()
	}
	start()
	if lifecycle.Sleep(ctx, o.seconds) != nil {
		return nil, context.Cause(ctx)
	}
	after, err := c.read(ctx)
	if err != nil {
		return nil, err
	}
	took := after.at.Sub(before.at).Seconds()
	return &trackersReport{Machine: machine(), Trackers: o.trackers, Seconds: took,
		Cores:     (after.jt.cpu - before.jt.cpu).Seconds() / took,
		RSS:       float64(after.jt.memory) / 1e6,
		Generator: (after.generator - before.generator).Seconds() / took, Nice: o.nice,
		Inside: between(before.beats, after.beats), Outside: beats.spread(),
		Polls: w.polls.spread(), Pages: w.pages.spread(), Launched: (after.maps - before.maps) / took,
		Running:    after.running,
		KilledJobs: w.killed.Load(), Committed: float64(w.committed.Load()) / 1000}, nil
}

// perConnection is the mean time between the first calls of two simulated TaskTrackers.
const perConnection = 3 * time.Millisecond

// spread is the time over which the first calls are spread.
func (o options) spread() time.Duration { return max(o.beat, time.Duration(o.trackers)*perConnection) }

// startNodes starts the simulated TaskTrackers. Their first calls are spread over some time, because
// a machine cannot open thousands of connections at once.
func startNodes(ctx context.Context, c *cluster, o options, group *sync.WaitGroup, tap func(time.Duration)) error {
	options, err := rpc.DaemonOptions(c.conf, certs.JobTracker, certs.TaskTracker("localhost"))
	if err != nil {
		return err
	}
	for i := range o.trackers {
		n, err := newNode(c.JobTracker, options, i, o, tap)
		if err != nil {
			return err
		}
		group.Go(func() {
			if lifecycle.Sleep(ctx, time.Duration(rand.Int64N(int64(o.spread())))) == nil {
				n.run(ctx)
			}
		})
	}
	return nil
}

// busy waits until 95% of the map slots are occupied, or for three times the duration of a map after
// all TaskTrackers have started, because an overloaded JobTracker cannot occupy them. The report shows
// the number of running maps. The page can lack the metric while the JobTracker is overloaded.
func (c *cluster) busy(ctx context.Context, o options) error {
	deadline := time.Now().Add(o.spread() + 3*o.task)
	for time.Now().Before(deadline) {
		text, err := fetch(ctx, http.DefaultClient, c.Web+"/metrics")
		if err == nil {
			n, err := value(text, "mapred_jobtracker_running_maps")
			if err == nil && n >= 0.95*float64(o.trackers*o.slots) {
				return nil
			}
		}
		if lifecycle.Sleep(ctx, time.Second) != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}
