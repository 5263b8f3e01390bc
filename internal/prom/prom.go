// Package prom serves the metrics of daemons.
package prom

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Handler returns a handler that serves the Prometheus metrics of own and the standard metrics of
// Go processes. It panics if two collectors in own share a metric name.
func Handler(own ...prometheus.Collector) http.Handler {
	r := prometheus.NewRegistry()
	r.MustRegister(own...)
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return promhttp.HandlerFor(r, promhttp.HandlerOpts{})
}
