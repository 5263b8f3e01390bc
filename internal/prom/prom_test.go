package prom

import (
	"errors"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/factlog"
)

func text(own ...prometheus.Collector) string {
	r := httptest.NewRecorder()
	Handler(Registry(own...)).ServeHTTP(r, httptest.NewRequest("GET", "/metrics", nil))
	return r.Body.String()
}

func TestHandler(t *testing.T) {
	c := prometheus.NewCounter(prometheus.CounterOpts{Name: "beats_total", Help: "Beats."})
	c.Inc()
	require.Contains(t, text(c), "\nbeats_total 1\n")
	require.Contains(t, text(c), "\ngo_goroutines ")
	require.Panics(t, func() { Registry(c, c) })
}

// slow is a journal on a disk that needs 30 ms for a write.
type slow struct{ factlog.Writer }

func (slow) Append([]byte) error { time.Sleep(30 * time.Millisecond); return errors.New("full") }

func TestTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		writes, calls := Seconds("w", "Writes.", Latencies), Seconds("c", "Calls.", Latencies, "method")
		require.EqualError(t, Log(slow{}, writes.WithLabelValues()).Append(nil), "full")
		Observer(calls)("Beat")(4 * time.Millisecond)
		require.Contains(t, text(writes, calls), "\nw_bucket{le=\"0.02\"} 0\nw_bucket{le=\"0.03\"} 1\n")
		require.Contains(t, text(writes, calls), "\nc_bucket{method=\"Beat\",le=\"0.003\"} 0\n"+
			"c_bucket{method=\"Beat\",le=\"0.005\"} 1\n")
	})
}

// A heartbeat may not cost memory.
func TestObserveAllocs(t *testing.T) {
	observe := Observer(Seconds("c", "Calls.", Latencies, "method"))("Beat")
	require.Zero(t, testing.AllocsPerRun(100, func() { observe(time.Millisecond) }))
}

func BenchmarkObserve(b *testing.B) {
	observe := Observer(Seconds("c", "Calls.", Latencies, "method"))("Beat")
	for b.Loop() {
		observe(3 * time.Millisecond)
	}
}
