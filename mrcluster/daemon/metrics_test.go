package daemon

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/prom"
	"github.com/howdah/howdah/internal/prom/promtest"
	"github.com/howdah/howdah/mrcluster"
)

func TestMetrics(t *testing.T) {
	in(t, 4, func(w *world) {
		w.create(mrcluster.Spec{Name: "a", Core: 2})
		w.create(mrcluster.Spec{Name: "idle", Core: 1})
		w.run("a", 50)
		w.eventually("it to grow", func() bool { return w.status("a").Held == 4 })
		w.nodes[3].stop()
		w.eventually("a node to be lost",
			func() bool { return strings.Contains(metrics(w), `howdah_mrcluster_pool_nodes{state="lost"} 1`) })
		text := metrics(w)
		for _, want := range []string{
			`pool_clusters{state="active"} 1`, `pool_clusters{state="defined"} 1`, `pool_nodes{state="clearing"} 0`,
			"pool_queue_length 0", `nodes{cluster="a"} 3`,
			`nodes{cluster="idle"} 0`, `weight{cluster="a"} 1`, `pool_decisions_total{fact="node-lost"} 1`,
			`pool_decisions_total{fact="cluster-created"} 2`,
		} {
			require.Contains(t, text, "\nhowdah_mrcluster_"+want)
		}
		require.NotContains(t, text, "pool_reconfigurations_total 0\n")
		require.NotContains(t, text, "manager_journal_write_seconds_count 0\n")
		promtest.CheckQueries(t, "howdah_mrcluster_", text)
	})
}

// metrics returns the manager's metrics in Prometheus format. It returns "" while the manager is
// down.
func metrics(w *world) string {
	s, err := w.service()
	if err != nil {
		return ""
	}
	s.times.calls.WithLabelValues("Report") // as a server does, which this test lacks
	r := httptest.NewRecorder()
	prom.Handler(prom.Registry(s.collectors()...)).ServeHTTP(r, httptest.NewRequest("GET", "/metrics", nil))
	return r.Body.String()
}
