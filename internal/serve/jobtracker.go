// Package serve runs daemons as processes. Both the command line and programs with custom policies
// use it.
package serve

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/schemes"
	"github.com/howdah/howdah/internal/api"
	"github.com/howdah/howdah/internal/inspect"
	"github.com/howdah/howdah/internal/passwd"
	"github.com/howdah/howdah/internal/rest"
	"github.com/howdah/howdah/internal/version"
	"github.com/howdah/howdah/internal/webui"
	"github.com/howdah/howdah/jobtracker/daemon"
	"github.com/howdah/howdah/scheduler/catalog"
)

// JobTracker configures a JobTracker process.
type JobTracker struct {
	// Load reads the configuration at startup and whenever an administrator requests a reload.
	Load         func() (*conf.Config, error)
	Catalog      catalog.Table
	Log          *slog.Logger
	RecordInputs string // name of the file that receives the JobTracker's inputs; "" means none
	PIDFile      string // file that receives the process ID; "" means none
}

// Run runs the JobTracker until ctx is done or the JobTracker fails.
func (j JobTracker) Run(ctx context.Context) error {
	c, err := j.Load()
	if err != nil {
		return err
	}
	if err := ownTmp(c); err != nil {
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
	cfg.Catalog, cfg.Reload, cfg.Log = j.Catalog, j.Load, j.Log
	cfg.Version, cfg.RecordInputs = version.Howdah(), j.RecordInputs
	cfg.PIDFile, cfg.Process = j.PIDFile, &inspect.Process{Name: "JobTracker", Conf: c, Log: j.Log}
	cfg.Web = func(d *daemon.Daemon) http.Handler {
		routes := http.NewServeMux()
		r := &rest.Server{History: d.History(), Live: d.Jobs(), User: passwd.Me(), Version: cfg.Version, Started: time.Now()}
		routes.Handle("/ws/", r.Handler())
		_, restarts := d.Cluster()
		a := &api.Server{Jobs: d.Jobs(), Confs: d.History(), Live: d.Jobs(), Use: d.Trend, Events: d.Events(),
			Epoch: restarts}
		routes.Handle("/api/", a.Handler())
		routes.Handle("/", webui.WithFoot(cfg.Mode.Public(), webui.JobTracker(d.Jobs(), webui.Parts{
			Confs: d.History(), Record: d.Trend, Rights: d, Logs: d, Schedulers: j.Catalog.Names()})))
		return routes
	}
	d, err := daemon.New(ctx, cfg)
	if err != nil {
		return err
	}
	limitMemory(ctx)
	return d.Run(ctx)
}
