package serve

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/dirlock"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler/catalog"
)

// TestPIDFileOfARunningDaemonStays checks that a daemon whose directory another daemon has locked
// leaves the other daemon's process ID in the file.
func TestPIDFileOfARunningDaemonStays(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	for name, c := range map[string]struct {
		key string
		run func(ctx context.Context, c *conf.Config, pid string) error
	}{
		"jobtracker": {conf.JobTrackerDir.Name, func(ctx context.Context, c *conf.Config, pid string) error {
			load := func() (*conf.Config, error) { return c, nil }
			return JobTracker{Load: load, Catalog: catalog.Builtin(), Log: log, PIDFile: pid}.Run(ctx)
		}},
		"tasktracker": {"mapreduce.cluster.local.dir", func(ctx context.Context, c *conf.Config, pid string) error {
			return TaskTracker{Conf: c, Log: log, PIDFile: pid}.Run(ctx)
		}},
		"manager": {conf.MRClusterManagerDir.Name, func(ctx context.Context, c *conf.Config, pid string) error {
			return Manager{Conf: c, Log: log, PIDFile: pid}.Run(ctx)
		}},
		"agent": {conf.MRClusterAgentDir.Name, func(ctx context.Context, c *conf.Config, pid string) error {
			return Agent{Conf: c, Log: log, PIDFile: pid}.Run(ctx)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			lock, err := dirlock.Take(dir, 0o700, "other", c.key)
			require.NoError(t, err)
			defer lock.Release()
			pid := filepath.Join(t.TempDir(), "pid")
			require.NoError(t, os.WriteFile(pid, []byte("7\n"), 0o600))
			settings := conf.New()
			settings.Set(c.key, dir, "test")
			settings.Set("howdah.mrcluster.manager.address", "127.0.0.1:1", "test") // an agent needs one
			synctest.Test(t, func(t *testing.T) {
				err := c.run(t.Context(), settings, pid)
				require.True(t, failure.Is(err, failure.Exists), "%v", err)
			})
			b, err := os.ReadFile(pid)
			require.NoError(t, err)
			require.Equal(t, "7\n", string(b))
		})
	}
}
