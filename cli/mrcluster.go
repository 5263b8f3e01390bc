package cli

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/internal/serve"
	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	mrclient "github.com/howdah/howdah/mrcluster/client"
	"github.com/howdah/howdah/mrcluster/daemon"
)

// mrclusterCommand is the pool of nodes and its MR-clusters.
func (s *session) mrclusterCommand() *urfave.Command {
	return &urfave.Command{
		Name: "mrcluster", Usage: "share a pool of nodes among MR-clusters that grow and shrink", HideHelpCommand: true,
		Description: `The manager gives each MR-cluster a JobTracker and TaskTrackers of its own on nodes of the pool, and moves nodes to
where they are needed. An MR-cluster is requested by create, deployed by its first job (howdah run --mrcluster NAME), and
given up when it has nothing to do; the request stays until remove. Commands find the manager by
howdah.mrcluster.manager.address.`,
		Action: func(c *urfave.Context) error { return usageError("say what to do: howdah mrcluster --help lists it") },
		Subcommands: []*urfave.Command{
			{Name: "manager", Usage: "run the manager, with howdah.mrcluster.nodes=N also N nodes", HideHelpCommand: true, Action: s.mrclusterManager,
				Flags: []urfave.Flag{pidFlag()}},
			{Name: "agent", Usage: "make this machine a node of a pool", HideHelpCommand: true, Action: s.mrclusterAgent,
				Flags: []urfave.Flag{&urfave.StringSliceFlag{Name: "join", Usage: "find the manager through the gossip of the member at `HOST:PORT` (repeatable)"}, pidFlag()}},
			s.mrclusterCreateCommand(),
			{Name: "list", Usage: "all MR-clusters", HideHelpCommand: true, Action: s.mrclusterList, Flags: []urfave.Flag{jsonFlag()}},
			{Name: "status", Usage: "the pool, or one MR-cluster: its nodes, drains and last changes", ArgsUsage: "[NAME]", HideHelpCommand: true, Action: s.mrclusterStatus,
				Flags: []urfave.Flag{jsonFlag()}},
			{Name: "remove", Usage: "save an MR-cluster's output, give up its nodes and forget it", ArgsUsage: "NAME", HideHelpCommand: true, Action: s.mrclusterRemove,
				Flags: []urfave.Flag{&urfave.BoolFlag{Name: "discard", Usage: "do not save"}}},
		},
	}
}

func (s *session) mrclusterCreateCommand() *urfave.Command {
	return &urfave.Command{
		Name: "create", Usage: "request an MR-cluster", ArgsUsage: "NAME", HideHelpCommand: true, Action: s.mrclusterCreate,
		Flags: []urfave.Flag{
			&urfave.IntFlag{Name: "core", Value: 1, Usage: "core nodes, which it always has while it is deployed; howdah.mrcluster.core.bytes has them counted by what is loaded"},
			&urfave.StringFlag{Name: "grow", Usage: "`KIND` of the nodes by which it grows: transient or transient-core (default: howdah.mrcluster.grow)"},
			&urfave.BoolFlag{Name: "hdfs", Usage: "with an HDFS of its own"},
			&urfave.StringSliceFlag{Name: "load", Usage: "copy `FROM=TO` before the first job (repeatable)"},
			&urfave.StringSliceFlag{Name: "save", Usage: "copy `FROM=TO` before its nodes are given up (repeatable)"},
			&urfave.StringFlag{Name: "binary", Usage: "`PATH` of the howdah that its daemons and tasks run"},
			&urfave.StringSliceFlag{Name: "set", Usage: "`KEY=VALUE` for its daemons (repeatable)"},
		},
	}
}

func (s *session) mrclusterManager(c *urfave.Context) error {
	cfg, err := s.daemon(c)
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return failure.New(failure.IO, "find this program", "", err)
	}
	return serve.Manager{Conf: cfg, Program: program, AgentArgs: s.genericArgs(), Log: s.logger(), Ready: s.out}.Run(c.Context)
}

func (s *session) mrclusterAgent(c *urfave.Context) error {
	cfg, err := s.daemon(c)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(c.Context, syscall.SIGHUP)
	defer stop()
	return serve.Agent(ctx, cfg, c.StringSlice("join"), s.logger())
}

func (s *session) mrclusterCreate(c *urfave.Context) error {
	if err := exactly(c, 1); err != nil {
		return err
	}
	if name := c.Args().First(); strings.HasPrefix(name, "-") {
		return usageError("howdah mrcluster create: a name %s would be taken for an option", name)
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
	return s.withPool(c.Context, func(ctx context.Context, p pool.PoolClient) error {
		_, err := p.Create(ctx, &pool.CreateRequest{Spec: daemon.SpecToWire(&spec)})
		return err
	})
}

// executable makes the path of a program one that agents on this machine understand too.
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
		return "", failure.New(failure.Usage, "find program", whole, errors.New("it cannot be executed"))
	}
	return whole, nil
}

func (s *session) mrclusterRemove(c *urfave.Context) error {
	if err := exactly(c, 1); err != nil {
		return err
	}
	return s.withPool(c.Context, func(ctx context.Context, p pool.PoolClient) error {
		_, err := p.Remove(ctx, &pool.RemoveRequest{Cluster: c.Args().First(), Discard: c.Bool("discard")})
		return err
	})
}

// withPool calls f with a connection to the manager.
func (s *session) withPool(ctx context.Context, f func(context.Context, pool.PoolClient) error) error {
	cfg, err := s.config()
	if err != nil {
		return err
	}
	conn, p, err := mrclient.Dial(cfg)
	if err != nil {
		return err
	}
	defer conn.Close()
	return f(ctx, p)
}
