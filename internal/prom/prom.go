// Package prom serves what daemons measure.
package prom

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Handler serves Prometheus metrics: those of own, and what is true of every process written in Go. Two of own that have a name in common
// are a mistake in the program.
func Handler(own ...prometheus.Collector) http.Handler {
	r := prometheus.NewRegistry()
	r.MustRegister(own...)
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return promhttp.HandlerFor(r, promhttp.HandlerOpts{})
}
