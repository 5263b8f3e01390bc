// Package prom serves and measures the metrics of daemons.
package prom

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/howdah/howdah/internal/factlog"
)

// Registry returns a registry of own and the standard metrics of Go processes. It panics if two
// collectors in own share a metric name.
func Registry(own ...prometheus.Collector) *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(own...)
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

// Handler returns a handler that serves metrics in Prometheus' format.
func Handler(g prometheus.Gatherer) http.Handler {
	return promhttp.HandlerFor(g, promhttp.HandlerOpts{})
}

// Latencies are bucket bounds for calls and writes, in seconds.
var Latencies = []float64{.0005, .001, .002, .003, .005, .007, .01, .015, .02, .03, .05, .1, .2, .5, 1, 2, 5}

// Durations are bucket bounds for tasks, in seconds.
var Durations = []float64{.1, .25, .5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600, 4 * 3600}

// Seconds returns a histogram of times in seconds. Observing a time needs no lock and no memory.
func Seconds(name, help string, bounds []float64, labels ...string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: bounds}, labels)
}

// Observer returns a function that adds the time of a call to h, whose only label is the method. It
// implements rpc.Options.Observer.
func Observer(h *prometheus.HistogramVec) func(method string) func(time.Duration) {
	return func(method string) func(time.Duration) {
		o := h.WithLabelValues(method)
		return func(took time.Duration) { o.Observe(took.Seconds()) }
	}
}

// Log returns a writer of a journal that adds the time of each write to h. The facts are on disk at
// the end of a write.
func Log(w factlog.Writer, h prometheus.Observer) factlog.Writer { return timedLog{w, h} }

type timedLog struct {
	factlog.Writer
	took prometheus.Observer
}

func (l timedLog) Append(facts []byte) error {
	began := time.Now()
	defer func() { l.took.Observe(time.Since(began).Seconds()) }()
	return l.Writer.Append(facts)
}
