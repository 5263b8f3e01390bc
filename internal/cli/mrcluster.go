package cli

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/internal/arguments"
	"github.com/howdah/howdah/internal/serve"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	mrclient "github.com/howdah/howdah/mrcluster/client"
	"github.com/howdah/howdah/mrcluster/daemon"
)

// mrclusterCommand returns the command that manages a pool of nodes and its MR-clusters.
func (s *session) mrclusterCommand() *urfave.Command {
	return &urfave.Command{
		Name: "mrcluster", Usage: "share a pool of nodes among MR-clusters that grow and shrink", HideHelpCommand: true,
		Description: `The manager runs a JobTracker and TaskTrackers for each MR-cluster on nodes of the pool, and moves
nodes to the MR-clusters that need them. The create command requests an MR-cluster, its first job (howdah run
--mrcluster NAME) deploys it, and the manager releases its nodes when it is idle. The request remains until the remove
command. Commands connect to the manager at howdah.mrcluster.manager.address.`,
		Action: func(c *urfave.Context) error { return usageError("use one of the commands in howdah mrcluster --help") },
		Subcommands: []*urfave.Command{
			{Name: "manager", Usage: "run the manager; with howdah.mrcluster.nodes=N, also run N nodes", HideHelpCommand: true,
				Action: s.mrclusterManager,
				Flags:  append(repairFlags(), pidFlag())},
			{Name: "agent", Usage: "make this machine a node of a pool", HideHelpCommand: true, Action: s.mrclusterAgent,
				Flags: []urfave.Flag{&urfave.StringSliceFlag{Name: "join", Usage: "find the manager through the gossip of the " +
					"member at `HOST:PORT` (repeatable)"}, pidFlag()}},
			s.mrclusterCreateCommand(),
			{Name: "list", Usage: "list all MR-clusters", HideHelpCommand: true, Action: taking(0, s.mrclusterList),
				Flags: []urfave.Flag{arguments.JSONFlag()}},
			{Name: "status", Usage: "show the pool or one MR-cluster with its nodes, drains, and latest changes",
				ArgsUsage: "[NAME]", HideHelpCommand: true, Action: s.mrclusterStatus,
				Flags: []urfave.Flag{arguments.JSONFlag()}},
			{Name: "grow", Usage: "set the minimum number of nodes of an active MR-cluster; 0 returns it to the weights",
				ArgsUsage: "NAME NODES", HideHelpCommand: true, Action: taking(2, s.mrclusterGrow),
				Description: `NODES includes the core nodes. The MR-cluster gets more nodes than that if its weight entitles it to
them. To shrink it again, set a smaller number. With 0, only its weight determines the number of nodes. The number stays
until the next grow command, also while the MR-cluster is not deployed. An example:
howdah mrcluster grow night 8`},
			{Name: "remove", Usage: "save an MR-cluster's output, release its nodes, and delete the request", ArgsUsage: "NAME",
				HideHelpCommand: true, Action: taking(1, s.mrclusterRemove),
				Flags: []urfave.Flag{&urfave.BoolFlag{Name: "discard", Usage: "do not save the output"}}},
		},
	}
}

func (s *session) mrclusterCreateCommand() *urfave.Command {
	return &urfave.Command{
		Name: "create", Usage: "request an MR-cluster", ArgsUsage: "NAME", HideHelpCommand: true,
		Action:      taking(1, s.mrclusterCreate),
		Description: "An example:\nhowdah mrcluster create night --core 4 --hdfs --load file:/data=/data",
		Flags: []urfave.Flag{
			&urfave.IntFlag{Name: "core", Value: 1, Usage: "number of core nodes, which the MR-cluster keeps while " +
				"deployed; with howdah.mrcluster.core.bytes, the default depends on the bytes to load"},
			&urfave.StringFlag{Name: "grow", Usage: "`KIND` of nodes to add when it grows: transient or transient-core " +
				"(default: howdah.mrcluster.grow)"},
			&urfave.BoolFlag{Name: "hdfs", Usage: "deploy its own HDFS"},
			&urfave.StringSliceFlag{Name: "load", Usage: "copy `FROM=TO` before the first job (repeatable)"},
			&urfave.StringSliceFlag{Name: "save", Usage: "copy `FROM=TO` before its nodes are released (repeatable)"},
			&urfave.StringFlag{Name: "binary", Usage: "`PATH` of the howdah program for its daemons and tasks"},
			&urfave.StringSliceFlag{Name: "set", Usage: "set `KEY=VALUE` for its daemons (repeatable)"},
		},
	}
}

func (s *session) mrclusterManager(c *urfave.Context) error {
	if done, err := s.repair(c, daemon.ManagerDir, serve.RepairManager); done {
		return err
	}
	cfg, err := s.daemon(c)
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return failure.New(failure.IO, "find this program", "", err)
	}
	return serve.Manager{Conf: cfg, Program: program, AgentArgs: s.generic.Args(),
		PIDFile: c.String("pid-file"), Log: s.logger(), Ready: s.out}.Run(c.Context)
}

func (s *session) mrclusterAgent(c *urfave.Context) error {
	cfg, err := s.daemon(c)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(c.Context, syscall.SIGHUP)
	defer stop()
	return serve.Agent{Conf: cfg, Join: c.StringSlice("join"), PIDFile: c.String("pid-file"), Log: s.logger()}.Run(ctx)
}

func (s *session) mrclusterCreate(c *urfave.Context) error {
	if name := c.Args().First(); strings.HasPrefix(name, "-") {
		return usageError("howdah mrcluster create: the name must not start with a dash: %s", name)
	}
	spec := mrcluster.Spec{Name: c.Args().First(), Core: c.Int("core"), HDFS: c.Bool("hdfs"), Conf: c.StringSlice("set")}
	if err := spec.Grow.UnmarshalText([]byte(c.String("grow"))); err != nil {
		return usageError("howdah mrcluster create: --grow: %w", err)
	}
	var err error
	if spec.Load, err = copies("load", c.StringSlice("load")); err != nil {
		return err
	}
	if spec.Save, err = copies("save", c.StringSlice("save")); err != nil {
		return err
	}
	if err := outside(&spec); err != nil {
		return err
	}
	if spec.Binary, err = executable(c.String("binary")); err != nil {
		return err
	}
	if !c.IsSet("core") {
		cfg, err := s.config()
		if err != nil {
			return err
		}
		core, err := s.coreFor(c.Context, cfg, spec.Load)
		if err != nil {
			return err
		}
		spec.Core = cmp.Or(core, spec.Core)
	}
	if err := spec.Validate(); err != nil {
		return err
	}
	return s.withPool(c.Context, func(ctx context.Context, p *mrclient.Client) error { return p.Create(ctx, &spec) })
}

// executable returns the absolute path of a program, so that agents on this machine can also find
// it.
func executable(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	whole, err := filepath.Abs(path)
	if err != nil {
		return "", failure.New(failure.Usage, "find program", path, err)
	}
	info, err := os.Stat(whole)
	switch {
	case err != nil:
		return "", failure.New(failure.KindOf(err), "find program", whole, err)
	case info.IsDir() || info.Mode()&0o111 == 0:
		return "", failure.New(failure.Usage, "find program", whole, errors.New("it is not executable"))
	}
	return whole, nil
}

func (s *session) mrclusterGrow(c *urfave.Context) error {
	nodes, err := strconv.Atoi(c.Args().Get(1))
	if err != nil || nodes < 0 {
		return usageError("howdah mrcluster grow: %q is not a number of nodes", c.Args().Get(1))
	}
	return s.withPool(c.Context, func(ctx context.Context, p *mrclient.Client) error {
		return p.Grow(ctx, c.Args().First(), nodes)
	})
}

func (s *session) mrclusterRemove(c *urfave.Context) error {
	return s.withPool(c.Context, func(ctx context.Context, p *mrclient.Client) error {
		return p.Remove(ctx, c.Args().First(), c.Bool("discard"))
	})
}

// withPool calls f with a connection to the manager.
func (s *session) withPool(ctx context.Context, f func(context.Context, *mrclient.Client) error) error {
	cfg, err := s.config()
	if err != nil {
		return err
	}
	p, err := mrclient.Dial(cfg)
	if err != nil {
		return err
	}
	defer p.Close()
	return f(ctx, p)
}
