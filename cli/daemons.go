package cli

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/cli/minicluster"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/schemes"
	"github.com/howdah/howdah/internal/gossip"
	"github.com/howdah/howdah/internal/serve"
	"github.com/howdah/howdah/job/failure"
	jobtracker "github.com/howdah/howdah/jobtracker/daemon"
	"github.com/howdah/howdah/scheduler/catalog"
	tasktracker "github.com/howdah/howdah/tasktracker/daemon"
	"github.com/howdah/howdah/webui"
)

func pidFlag() urfave.Flag {
	return &urfave.StringFlag{Name: "pid-file", Usage: "write the process id to `FILE`"}
}

func (s *session) jobTrackerCommand() *urfave.Command {
	return &urfave.Command{
		Name: "jobtracker", Usage: "run the master", HideHelpCommand: true,
		Flags: []urfave.Flag{
			&urfave.StringFlag{Name: "scheduler", Usage: "`NAME` of the scheduling policy"},
			&urfave.StringFlag{Name: "record-inputs", Usage: "write every input of the JobTracker's logic to `FILE`"},
			&urfave.StringFlag{Name: "show", Usage: "serve the web pages of the journal in `FILE`, of a simulation for instance, and nothing else"},
			&urfave.StringFlag{Name: "replay-inputs", Usage: "decide again on the inputs in `FILE`, print the hash of the decisions and end"},
			pidFlag(),
		},
		Action: s.jobTracker,
	}
}

func (s *session) jobTracker(c *urfave.Context) error {
	if err := exactly(c, 0); err != nil {
		return err
	}
	if file := c.String("replay-inputs"); file != "" {
		return serve.Replay(file, catalog.Builtin(), s.out, s.err)
	}
	if err := writePID(c.String("pid-file")); err != nil {
		return err
	}
	if file := c.String("show"); file != "" {
		cfg, err := s.config()
		if err != nil {
			return err
		}
		return serve.Pages(c.Context, file, cfg.Get(jobtracker.KeyHTTPAddr), s.out)
	}
	load := func() (*conf.Config, error) {
		cfg, err := s.config()
		if name := c.String("scheduler"); err == nil && name != "" {
			cfg.Set(catalog.Key, name, "--scheduler")
		}
		return cfg, err
	}
	return serve.JobTracker{Load: load, Catalog: catalog.Builtin(), Log: s.logger(),
		RecordInputs: c.String("record-inputs")}.Run(c.Context)
}

func (s *session) taskTrackerCommand() *urfave.Command {
	return &urfave.Command{
		Name: "tasktracker", Usage: "run a worker", HideHelpCommand: true,
		Flags: []urfave.Flag{
			&urfave.StringSliceFlag{Name: "join", Usage: "find the JobTracker through the gossip of the member at `HOST:PORT` (repeatable)"},
			pidFlag(),
		},
		Action: s.taskTracker,
	}
}

func (s *session) taskTracker(c *urfave.Context) error {
	cfg, err := s.daemon(c)
	if err != nil {
		return err
	}
	dc, err := tasktracker.FromConf(cfg)
	if err != nil {
		return err
	}
	dc.Log = s.logger()
	fs, err := schemes.NewDaemon(cfg, schemes.TaskTrackerLogin, func(text string) { dc.Log.Warn(text) })
	if err != nil {
		return err
	}
	defer fs.Close()
	dc.FS, dc.As = fs.Own, fs.Users.As
	find := &finder{address: cfg.Get(jobtracker.KeyAddr), page: configured(cfg, jobtracker.KeyHTTPAddr)}
	dc.JobTracker = find.jobTracker
	d, err := tasktracker.New(dc)
	if err != nil {
		return err
	}
	if err := find.join(cfg, c.StringSlice("join"), dc.LogDir, d.Addr()); err != nil {
		return err
	}
	defer find.leave()
	started := time.Now()
	d.Handle("/", webui.TaskTracker(func() (webui.Tracker, error) { return trackerPage(d, find, started) }))
	d.Handle("GET /metrics", d.MetricsHandler())
	return d.Run(c.Context)
}

// finder knows where the JobTracker is: gossip says so, else the configuration.
type finder struct {
	address string       // configured; "" or "local" = none
	page    string       // configured address of its web page, "" = none
	node    *gossip.Node // nil without gossip
}

const defaultJobTracker = "127.0.0.1:9001"

// join starts gossiping if seeds are given or the configuration wants it.
func (f *finder) join(cfg *conf.Config, seeds []string, dir, http string) error {
	g, err := jobtracker.FromConf(cfg) // the keys of gossip mean the same for all daemons
	if err != nil {
		return err
	}
	seeds = append(seeds, g.GossipJoin...)
	if len(seeds) == 0 && g.GossipAddr == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return failure.New(failure.KindOf(err), "make directory", dir, err)
	}
	f.node, err = gossip.Join(gossip.Config{Bind: g.GossipAddr, Seeds: seeds, Key: g.GossipKey,
		PeersFile: filepath.Join(dir, "peers"), Meta: gossip.Meta{Role: gossip.TaskTracker, HTTP: http}})
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
		return "", failure.New(failure.Unreachable, "find the JobTracker", "by gossip", errors.New("no member serves as one yet"))
	}
	return defaultJobTracker, nil
}

// web gives the address of the JobTracker's page, "" if nobody tells it.
func (f *finder) web() string {
	if f.node != nil {
		if m, ok := f.node.JobTracker(); ok {
			return m.HTTP
		}
	}
	return f.page
}

// configured gives a setting that somebody made, "" for a default.
func configured(c *conf.Config, key string) string {
	if c.IsDefault(key) {
		return ""
	}
	return c.Get(key)
}

func (s *session) logger() *slog.Logger { return slog.New(slog.NewTextHandler(s.err, nil)) }

// daemon is what daemons without arguments begin with: their configuration, and who runs.
func (s *session) daemon(c *urfave.Context) (*conf.Config, error) {
	if err := exactly(c, 0); err != nil {
		return nil, err
	}
	cfg, err := s.config()
	if err != nil {
		return nil, err
	}
	return cfg, writePID(c.String("pid-file"))
}

// writePID tells who runs; "" = nobody wants to know.
func writePID(file string) error {
	if file == "" {
		return nil
	}
	return minicluster.WritePID(file, os.Getpid())
}
