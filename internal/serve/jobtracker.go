// Package serve runs daemons as processes: what the command line and programs with a policy of their own have in common.
package serve

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/schemes"
	"github.com/howdah/howdah/internal/version"
	"github.com/howdah/howdah/jobtracker/daemon"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/webui"
)

// JobTracker is how a JobTracker is to be run.
type JobTracker struct {
	// Load reads the configuration: at the start, and again when an administrator wants it.
	Load         func() (*conf.Config, error)
	Catalog      catalog.Table
	Log          *slog.Logger
	RecordInputs string // file; "" = none
}

// Run serves until ctx ends or the JobTracker fails.
func (j JobTracker) Run(ctx context.Context) error {
	c, err := j.Load()
	if err != nil {
		return err
	}
	cfg, err := daemon.FromConf(c)
	if err != nil {
		return err
	}
	fs, err := schemes.NewDaemon(c, schemes.JobTrackerLogin, func(text string) { j.Log.Warn(text) })
	if err != nil {
		return err
	}
	defer fs.Close()
	cfg.FS, cfg.As, cfg.Principal = fs.Own, fs.Users.As, fs.Principal
	cfg.Catalog, cfg.Reload, cfg.Log, cfg.Version, cfg.RecordInputs = j.Catalog, j.Load, j.Log, version.Howdah(), j.RecordInputs
	cfg.Web = func(d *daemon.Daemon) http.Handler { return webui.JobTracker(d.Jobs()) }
	d, err := daemon.New(ctx, cfg)
	if err != nil {
		return err
	}
	return d.Run(ctx)
}
