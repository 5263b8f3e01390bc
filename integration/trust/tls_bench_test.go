//go:build integration

package trust

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
)

// BenchmarkSmallJob runs a small job alternately on a cluster without TLS and on one with TLS. It
// reports the median times and the median ratio of two consecutive runs.
func BenchmarkSmallJob(b *testing.B) {
	in := filepath.Join(b.TempDir(), "in")
	require.NoError(b, os.WriteFile(in, []byte(strings.Repeat("the quick brown fox runs away again\n", 28)), 0o644))
	var clusters []*minicluster.Cluster
	for _, mode := range []string{"off", "auto"} {
		clusters = append(clusters, minicluster.Start(b, minicluster.Options{TaskTrackers: 2,
			Set: []string{"howdah.security.tls=" + mode}}))
	}
	var took [2][]float64
	var ratios []float64
	run := func(i int) float64 {
		out := filepath.Join(b.TempDir(), "out")
		begun := time.Now()
		r := clusters[i].Howdah("run", "-q", "wordcount", in, out)
		ms := float64(time.Since(begun).Microseconds()) / 1000
		require.Zero(b, r.Code, "%s", r.Err)
		require.NoError(b, os.RemoveAll(filepath.Dir(out)))
		return ms
	}
	for b.Loop() {
		for i := range took {
			took[i] = append(took[i], run(i))
		}
		n := len(took[0]) - 1
		ratios = append(ratios, took[1][n]/took[0][n])
	}
	median := func(x []float64) float64 { slices.Sort(x); return x[len(x)/2] }
	b.ReportMetric(median(took[0]), "ms-off")
	b.ReportMetric(median(took[1]), "ms-TLS")
	b.ReportMetric(median(ratios), "ratio")
}
