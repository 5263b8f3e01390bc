package cli

import (
	"io"
	"log/slog"
	"os"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/inspect"
	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/internal/serve"
	"github.com/howdah/howdah/scheduler/catalog"
)

func pidFlag() urfave.Flag {
	return &urfave.StringFlag{Name: "pid-file", Usage: "write the process ID to `FILE`"}
}

// repairFlags returns the flags with which a daemon repairs its journal instead of running.
func repairFlags() []urfave.Flag {
	return []urfave.Flag{
		&urfave.BoolFlag{Name: "repair", Usage: "show whether the journal is damaged, and what a cut at the damage " +
			"would lose, and exit"},
		&urfave.BoolFlag{Name: "cut", Usage: "with --repair, cut the journal at the damage and keep the rest in a file"},
	}
}

// repair checks or repairs the journal if the command line asks for it. If done is true, the
// command must not run the daemon.
func (s *session) repair(c *urfave.Context, dir func(*conf.Config) string,
	repair func(dir string, cut bool, out io.Writer) error) (done bool, err error) {
	if !c.Bool("repair") {
		if c.Bool("cut") {
			err = usageError("--cut needs --repair")
		}
		return err != nil, err
	}
	cfg, err := s.config()
	if err != nil {
		return true, err
	}
	return true, repair(dir(cfg), c.Bool("cut"), s.out)
}

func (s *session) jobTrackerCommand() *urfave.Command {
	return &urfave.Command{
		Name: "jobtracker", Usage: "run the master", HideHelpCommand: true,
		Flags: append([]urfave.Flag{
			&urfave.StringFlag{Name: "scheduler", Usage: "`NAME` of the scheduling policy"},
			&urfave.StringFlag{Name: "record-inputs", Usage: "write every input of the JobTracker's logic to `FILE`"},
			&urfave.StringFlag{Name: "show", Usage: "serve only the web pages of the journal in `FILE`, such as a " +
				"simulation's journal"},
			&urfave.StringFlag{Name: "replay-inputs", Usage: "replay the inputs in `FILE`, print the hash of the " +
				"decisions, and exit"},
			pidFlag(),
		}, repairFlags()...),
		Action: taking(0, s.jobTracker),
	}
}

func (s *session) jobTracker(c *urfave.Context) error {
	if file := c.String("replay-inputs"); file != "" {
		return serve.Replay(file, catalog.Builtin(), s.out, s.err)
	}
	if done, err := s.repair(c, conf.JobTrackerDir.Get, serve.RepairJobTracker); done {
		return err
	}
	if file := c.String("show"); file != "" {
		cfg, err := s.config()
		if err == nil {
			err = lifecycle.WritePID(c.String("pid-file"), os.Getpid())
		}
		if err != nil {
			return err
		}
		return serve.Pages(c.Context, cfg, file, s.out)
	}
	load := func() (*conf.Config, error) {
		cfg, err := s.config()
		if name := c.String("scheduler"); err == nil && name != "" {
			cfg.Set(conf.JobTrackerTaskScheduler.Name, name, "--scheduler")
		}
		return cfg, err
	}
	return serve.JobTracker{Load: load, Catalog: catalog.Builtin(), Log: s.logger(),
		RecordInputs: c.String("record-inputs"), PIDFile: c.String("pid-file")}.Run(c.Context)
}

func (s *session) taskTrackerCommand() *urfave.Command {
	return &urfave.Command{
		Name: "tasktracker", Usage: "run a worker", HideHelpCommand: true,
		Flags: []urfave.Flag{
			&urfave.StringSliceFlag{Name: "join", Usage: "find the JobTracker through the gossip of the member at `HOST:PORT` " +
				"(repeatable)"},
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
	return serve.TaskTracker{Conf: cfg, Join: c.StringSlice("join"), PIDFile: c.String("pid-file"),
		Log: s.logger()}.Run(c.Context)
}

func (s *session) historyServerCommand() *urfave.Command {
	return &urfave.Command{
		Name: "historyserver", Usage: "serve ended jobs from histories on disk", HideHelpCommand: true,
		Flags: []urfave.Flag{pidFlag()},
		Action: func(c *urfave.Context) error {
			cfg, err := s.daemon(c)
			if err != nil {
				return err
			}
			return serve.HistoryServer{Conf: cfg, PIDFile: c.String("pid-file"), Log: s.logger()}.Run(c.Context)
		},
	}
}

func (s *session) logger() *slog.Logger { return inspect.NewLog(s.err) }

// daemon returns the configuration of a daemon. It rejects arguments.
func (s *session) daemon(c *urfave.Context) (*conf.Config, error) {
	if err := exactly(c, 0); err != nil {
		return nil, err
	}
	return s.config()
}
