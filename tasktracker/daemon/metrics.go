package daemon

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/howdah/howdah/internal/prom"
	"github.com/howdah/howdah/job"
)

const metricPrefix = "mapred_tasktracker_"

// Collectors returns the TaskTracker's metrics. Those in the mapred context of Hadoop's TaskTracker
// keep their names.
func (d *Daemon) Collectors() []prometheus.Collector {
	return []prometheus.Collector{&gauges{d}, d.fetches}
}

// newFetches returns a histogram of the times that requests for map output take.
func newFetches() *prometheus.HistogramVec {
	return prom.Seconds(metricPrefix+"shuffle_request_seconds",
		"Time to serve a reducer's request for map outputs, in seconds.", prom.Latencies)
}

// timed returns a handler that calls h and observes the time of each request.
func timed(h http.Handler, took prometheus.Observer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		defer func() { took.Observe(time.Since(began).Seconds()) }()
		h.ServeHTTP(w, r)
	})
}

// gauges reads the TaskTracker's state once for all values in a response.
type gauges struct{ d *Daemon }

func describe(name, help string) *prometheus.Desc {
	return prometheus.NewDesc(metricPrefix+name, help, nil, nil)
}

var (
	mapsRunning    = describe("maps_running", "Map slots in use.")
	reducesRunning = describe("reduces_running", "Reduce slots in use.")
	mapSlots       = describe("map_task_slots", "Map slots.")
	reduceSlots    = describe("reduce_task_slots", "Reduce slots.")
	childProcesses = describe("child_processes", "Processes of tasks, warm ones included.")
	unhealthy      = describe("unhealthy", "1 while the TaskTracker accepts no work.")
	cacheBytes     = describe("cache_bytes", "Size of the distributed cache's copies, in bytes.")
	cacheCopies    = describe("cache_copies", "Number of files and archives in the distributed cache.")

	tasksCompleted = describe("tasks_completed_total", "Attempts that succeeded.")
	tasksFailed    = describe("tasks_failed_total", "Attempts that failed.")
	tasksTimedOut  = describe("tasks_failed_timeout_total",
		"Attempts that failed because they did not report progress in time.")
	tasksKilled   = describe("tasks_killed_total", "Attempts that were killed.")
	outputBytes   = describe("shuffle_output_bytes_total", "Served map output, in bytes.")
	outputsServed = describe("shuffle_success_outputs_total", "Map outputs served.")
	outputsFailed = describe("shuffle_failed_outputs_total", "Map outputs that could not be served.")
	shuffleBusy   = describe("shuffle_handler_busy_total", "Rejected requests for map output.")
)

// Describe implements prometheus.Collector.
func (g *gauges) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{mapsRunning, reducesRunning, mapSlots, reduceSlots, childProcesses, unhealthy,
		cacheBytes, cacheCopies, tasksCompleted, tasksFailed,
		tasksTimedOut, tasksKilled, outputBytes, outputsServed, outputsFailed, shuffleBusy} {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (g *gauges) Collect(ch chan<- prometheus.Metric) {
	s, ok := g.d.Status()
	if !ok {
		return
	}
	sick := 0.0
	if s.Unhealthy != "" {
		sick = 1
	}
	cached, copies := g.d.cache.Size()
	for _, m := range []struct {
		d *prometheus.Desc
		v float64
	}{
		{mapsRunning, float64(s.Used[job.Map])}, {reducesRunning, float64(s.Used[job.Reduce])},
		{mapSlots, float64(s.Slots[job.Map])}, {reduceSlots, float64(s.Slots[job.Reduce])},
		{childProcesses, float64(len(s.PIDs))}, {unhealthy, sick},
		{cacheBytes, float64(cached)}, {cacheCopies, float64(copies)},
	} {
		ch <- prometheus.MustNewConstMetric(m.d, prometheus.GaugeValue, m.v)
	}
	shuffled := g.d.outputs.Stats()
	for _, m := range []struct {
		d *prometheus.Desc
		v int64
	}{
		{tasksCompleted, s.Ended.Succeeded}, {tasksFailed, s.Ended.Failed}, {tasksTimedOut, s.Ended.TimedOut},
		{tasksKilled, s.Ended.Killed},
		{outputBytes, shuffled.OutputBytes.Load()}, {outputsServed, shuffled.SuccessOutputs.Load()},
		{outputsFailed, shuffled.FailedOutputs.Load()}, {shuffleBusy, shuffled.Busy.Load()},
	} {
		ch <- prometheus.MustNewConstMetric(m.d, prometheus.CounterValue, float64(m.v))
	}
}
