// Package promtest checks that daemons export the metrics that build/monitoring queries.
package promtest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var metric = regexp.MustCompile(`\b(mapred|howdah)_[a-z_]+`)

// CheckQueries checks that text, the metrics of a daemon, has each metric with the given prefix
// that a rule or a panel of build/monitoring queries.
func CheckQueries(t *testing.T, prefix, text string) {
	t.Helper()
	queried := 0
	for _, file := range []string{"alerts.yaml", "dashboard.json"} {
		b, err := os.ReadFile(filepath.Join(root(t), "build", "monitoring", file))
		require.NoError(t, err)
		for _, name := range metric.FindAllString(string(b), -1) {
			known := false
			for _, p := range []string{"mapred_jobtracker_", "mapred_tasktracker_", "howdah_mrcluster_"} {
				known = known || strings.HasPrefix(name, p)
			}
			require.True(t, known, "%s queries %s, which no daemon has", file, name)
			if !strings.HasPrefix(name, prefix) {
				continue
			}
			queried++
			base := name
			for _, part := range []string{"_bucket", "_sum", "_count"} {
				base = strings.TrimSuffix(base, part)
			}
			require.True(t, strings.Contains(text, "\n# TYPE "+base+" "), "%s queries %s", file, name)
		}
	}
	require.NotZero(t, queried)
}

// root returns the module's directory, which contains go.mod.
func root(t *testing.T) string {
	dir, err := os.Getwd()
	require.NoError(t, err)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		require.NotEqual(t, dir, filepath.Dir(dir), "no go.mod")
		dir = filepath.Dir(dir)
	}
}
