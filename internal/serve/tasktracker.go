package serve

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/schemes"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/gossip"
	"github.com/howdah/howdah/internal/inspect"
	"github.com/howdah/howdah/internal/program"
	"github.com/howdah/howdah/internal/webguard"
	"github.com/howdah/howdah/internal/webui"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/orchestrator"
	"github.com/howdah/howdah/tasktracker/daemon"
)

// TaskTracker configures a TaskTracker process.
type TaskTracker struct {
	Conf    *conf.Config
	Join    []string // gossip members through which the TaskTracker finds the JobTracker
	PIDFile string   // file that receives the process ID; "" means none
	// Estimators are the program's own estimators of MROrchestrator.
	Estimators []orchestrator.Entry
	// Program is the program of the jobs whose clients do not ship one; the zero value means the
	// running executable.
	Program program.Program
	Log     *slog.Logger
}

// Run runs the TaskTracker until ctx is done or the TaskTracker fails.
func (t TaskTracker) Run(ctx context.Context) error {
	if err := ownTmp(t.Conf); err != nil {
		return err
	}
	cfg, err := daemon.FromConf(t.Conf)
	if err != nil {
		return err
	}
	if cfg.Orchestrator.Config.Own, err = t.estimator(); err != nil {
		return err
	}
	fs, err := schemes.NewDaemon(t.Conf, schemes.TaskTrackerLogin, func(text string) { t.Log.Warn(text) })
	if err != nil {
		return err
	}
	defer fs.Close()
	cfg.FS, cfg.As, cfg.PIDFile, cfg.Log, cfg.Program = fs.Own, fs.Users.As, t.PIDFile, t.Log, t.Program
	find := &finder{address: conf.JobTrackerAddress.Get(t.Conf), page: configured(t.Conf, conf.JobTrackerHTTPAddress.Name)}
	cfg.JobTracker = find.jobTracker
	d, err := daemon.New(cfg)
	if err != nil {
		return err
	}
	if err := find.join(t.Conf, t.Join, cfg.LogDir, d.Addr(), t.Log); err != nil {
		return err
	}
	defer find.leave()
	started := time.Now()
	d.Handle("/", webui.WithFoot(cfg.Mode.Public(),
		webui.TaskTracker(func() (webui.Tracker, error) { return trackerPage(d, find, started) })))
	d.Handle("GET /static/", webguard.Users(webui.Static())) // for the log pages
	(&inspect.Process{Name: "TaskTracker", Conf: t.Conf, Log: t.Log}).Routes(d.Handle, d.Collectors()...)
	return d.Run(ctx)
}

// estimator returns the program's own estimator that the configuration selects, or nil if it selects
// none.
func (t TaskTracker) estimator() (orchestrator.Estimator, error) {
	name := conf.OrchestratorEstimatorOwn.Get(t.Conf)
	if name == "" {
		return nil, nil
	}
	for _, e := range t.Estimators {
		if e.Name == name {
			return e.Estimate, nil
		}
	}
	return nil, t.Conf.Refuse(conf.OrchestratorEstimatorOwn.Name,
		errors.New("the TaskTracker's program has no such estimator")).
		Fix("start the TaskTracker from a program that has it (package tasktracker/tasktrackermain)")
}

// A finder finds the JobTracker by gossip or, if that finds none, in the configuration. If the
// configuration names none either, the result is an error or, without gossip, conf.LocalJobTracker.
type finder struct {
	address string       // configured address; "" or "local" means not set
	page    string       // configured address of the JobTracker's web page; "" means not set
	node    *gossip.Node // nil without gossip
}

// join starts gossiping if seeds is not empty, or if the configuration sets seeds or a gossip
// address. It stores the file of peers in dir.
func (f *finder) join(cfg *conf.Config, seeds []string, dir, http string, log *slog.Logger) error {
	addr := conf.GossipAddress.Get(cfg)
	seeds = append(seeds, conf.GossipJoin.Get(cfg)...)
	if len(seeds) == 0 && addr == "" {
		return nil
	}
	if err := auth.CheckNode(cfg, conf.GossipAddress.Name, addr); err != nil {
		return err
	}
	key, err := auth.NodeGossipKey(cfg)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return failure.New(failure.KindOf(err), "make directory", dir, err)
	}
	f.node, err = gossip.Join(gossip.Config{Bind: addr, Seeds: seeds, Key: key,
		PeersFile: filepath.Join(dir, "peers"), Meta: gossip.Meta{Role: gossip.TaskTracker, HTTP: http}, Log: log})
	return err
}

func (f *finder) leave() {
	if f.node != nil {
		f.node.Leave()
	}
}

func (f *finder) jobTracker(_ context.Context) (string, error) {
	if f.node != nil {
		if m, ok := f.node.JobTracker(); ok {
			return m.RPC, nil
		}
	}
	switch {
	case f.address != "" && f.address != "local":
		return f.address, nil
	case f.node != nil:
		return "", failure.New(failure.Unreachable, "find the JobTracker", "by gossip",
			errors.New("no member is a JobTracker"))
	}
	return conf.LocalJobTracker, nil
}

// web returns the address of the JobTracker's web page, or "" if it is unknown.
func (f *finder) web() string {
	if f.node != nil {
		if m, ok := f.node.JobTracker(); ok {
			return m.HTTP
		}
	}
	return f.page
}

// configured returns the value of key, or "" if key is not set and therefore has its default value.
func configured(c *conf.Config, key string) string {
	if c.IsDefault(key) {
		return ""
	}
	return c.Get(key)
}
