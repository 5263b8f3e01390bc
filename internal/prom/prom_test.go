package prom

import (
	"net/http/httptest"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
)

func TestHandler(t *testing.T) {
	c := prometheus.NewCounter(prometheus.CounterOpts{Name: "beats", Help: "Beats."})
	c.Inc()
	r := httptest.NewRecorder()
	Handler(c).ServeHTTP(r, httptest.NewRequest("GET", "/metrics", nil))
	require.Contains(t, r.Body.String(), "\nbeats 1\n")
	require.Contains(t, r.Body.String(), "\ngo_goroutines ")
	require.Panics(t, func() { Handler(c, c) })
}
