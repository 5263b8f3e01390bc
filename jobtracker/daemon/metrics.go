package daemon

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/howdah/howdah/internal/prom"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/jobtracker"
)

// metrics counts events since this process started and reads gauges from the machine on request.
// The names of tasks, jobs, beats and the gauges are those of the mapred context in Hadoop's
// JobTracker. Counters add "_total".
type metrics struct {
	all   []prometheus.Collector
	beats prometheus.Counter
	// took observes how long the JobTracker handles a heartbeat, including the write to the journal.
	took prometheus.Observer
	// calls observes how long RPC calls take, by method, and written how long writes to the journal
	// take. lasted observes the durations of attempts that succeeded, by the type of their task.
	calls   *prometheus.HistogramVec
	written prometheus.Observer
	lasted  [2]prometheus.Observer
	// ahead counts the TaskTrackers' reports that contain something that the journal lacks.
	ahead   prometheus.Counter
	stalled atomic.Bool              // the journal's disk rejects writes
	tasks   [2][4]prometheus.Counter // by task type; launched, completed, failed, killed
	jobs    [4]prometheus.Counter    // submitted, completed, failed, killed
}

const prefix = "mapred_jobtracker_"

func newMetrics() *metrics {
	m := &metrics{}
	counter := func(name, help string) prometheus.Counter {
		c := prometheus.NewCounter(prometheus.CounterOpts{Name: prefix + name + "_total", Help: help})
		m.all = append(m.all, c)
		return c
	}
	m.beats = counter("heartbeats", "Heartbeats of TaskTrackers.")
	seconds := func(name, help string, bounds []float64, labels ...string) *prometheus.HistogramVec {
		h := prom.Seconds(prefix+name, help, bounds, labels...)
		m.all = append(m.all, h)
		return h
	}
	m.took = seconds("heartbeat_seconds",
		"Time from the receipt of a heartbeat to its reply, including the write to the journal, in seconds.",
		prom.Latencies).WithLabelValues()
	m.calls = seconds("rpc_seconds", "Time of calls by method, in seconds. WaitForWork waits until there is work.",
		prom.Latencies, "method")
	m.written = seconds("journal_write_seconds", "Time to write and sync facts to the journal, in seconds.",
		prom.Latencies).WithLabelValues()
	durations := seconds("task_seconds", "Durations of attempts that succeeded, by type of task, in seconds.",
		prom.Durations, "type")
	m.ahead = counter("reports_ahead_of_journal",
		"Heartbeats with attempts or registrations that the journal does not know, because it has lost facts.")
	m.all = append(m.all, prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: prefix + "journal_stalled",
		Help: "1 while the disk of the journal rejects writes, so that the JobTracker stalls; otherwise 0."},
		func() float64 { return map[bool]float64{true: 1}[m.stalled.Load()] }))
	for typ, name := range []string{"maps", "reduces"} {
		m.lasted[typ] = durations.WithLabelValues(strings.TrimSuffix(name, "s"))
		for i, what := range []string{"launched", "completed", "failed", "killed"} {
			m.tasks[typ][i] = counter(name+"_"+what, "Number of "+what+" attempts of "+name+".")
		}
	}
	for i, what := range []string{"submitted", "completed", "failed", "killed"} {
		m.jobs[i] = counter("jobs_"+what, "Number of "+what+" jobs.")
	}
	return m
}

// fact counts a fact. For the end of an attempt, start is when the attempt started, in milliseconds
// since the epoch; 0 means unknown.
func (m *metrics) fact(e *event.Event, start int64) {
	switch e.Type {
	case event.JobSubmitted:
		m.jobs[0].Inc()
	case event.JobFinished:
		m.jobs[1+int(e.JobState-job.Succeeded)].Inc()
	case event.AttemptStarted:
		m.attempt(e.Attempt.Type, 0)
	case event.AttemptFinished:
		m.attempt(e.Attempt.Type, 1+int(e.State-job.AttemptSucceeded))
		if e.State == job.AttemptSucceeded && e.Attempt.Type <= job.Reduce && start > 0 {
			m.lasted[e.Attempt.Type].Observe(float64(e.Time-start) / 1000)
		}
	}
}

// attempt counts an attempt of a map or reduce. Like Hadoop, it ignores the setup and cleanup of
// jobs.
func (m *metrics) attempt(t job.TaskType, what int) {
	if t <= job.Reduce {
		m.tasks[t][what].Inc()
	}
}

// gauges collects the current totals of the machine.
type gauges struct {
	d     *Daemon
	descs map[string]*prometheus.Desc
}

var gaugeNames = []string{
	"map_slots", "reduce_slots", "occupied_map_slots", "occupied_reduce_slots", "running_maps", "running_reduces",
	"waiting_maps", "waiting_reduces", "jobs_preparing", "jobs_running", "trackers", "trackers_blacklisted",
	"blacklisted_maps", "blacklisted_reduces",
}

func (g *gauges) Describe(ch chan<- *prometheus.Desc) {
	for _, name := range gaugeNames {
		ch <- g.descs[name]
	}
}

func (g *gauges) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	values, err := look(ctx, g.d.owner, func(m *jobtracker.Machine) (map[string]int64, error) { return totals(m), nil })
	if err != nil {
		return
	}
	for _, name := range gaugeNames {
		ch <- prometheus.MustNewConstMetric(g.descs[name], prometheus.GaugeValue, float64(values[name]))
	}
}

func totals(m *jobtracker.Machine) map[string]int64 {
	c := m.Cluster()
	v := map[string]int64{"trackers": int64(c.Trackers),
		"map_slots": int64(c.Slots[job.Map]), "reduce_slots": int64(c.Slots[job.Reduce]),
		"occupied_map_slots": int64(c.Used[job.Map]), "occupied_reduce_slots": int64(c.Used[job.Reduce])}
	for _, seq := range m.AllJobs() {
		j, _ := m.JobInfo(seq)
		switch {
		case j.State == job.Prep:
			v["jobs_preparing"]++
		case !j.State.Terminal():
			v["jobs_running"]++
			v["running_maps"] += int64(j.Running[job.Map])
			v["running_reduces"] += int64(j.Running[job.Reduce])
			v["waiting_maps"] += int64(j.Waiting[job.Map])
			v["waiting_reduces"] += int64(j.Waiting[job.Reduce])
		}
	}
	for _, h := range m.Trackers() {
		if t, _ := m.TrackerInfo(h); t.Blacklisted != "" {
			v["trackers_blacklisted"]++
			v["blacklisted_maps"] += int64(t.Slots[job.Map])
			v["blacklisted_reduces"] += int64(t.Slots[job.Reduce])
		}
	}
	return v
}

// collectors returns all metrics of the JobTracker.
func (d *Daemon) collectors() []prometheus.Collector {
	g := &gauges{d: d, descs: map[string]*prometheus.Desc{}}
	for _, name := range gaugeNames {
		g.descs[name] = prometheus.NewDesc(prefix+name, "Hadoop's "+name+" of the JobTracker.", nil, nil)
	}
	return append(d.metrics.all, g)
}
