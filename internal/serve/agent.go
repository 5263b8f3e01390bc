package serve

import (
	"context"
	"log/slog"
	"os"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/schemes"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster/daemon"
	"github.com/howdah/howdah/mrcluster/provision/node"
)

// Agent makes this machine a node of a pool until ctx ends. join lists the gossip members through
// which the agent finds the manager.
func Agent(ctx context.Context, c *conf.Config, join []string, log *slog.Logger) error {
	program, err := os.Executable()
	if err != nil {
		return failure.New(failure.IO, "find this program", "", err)
	}
	n, err := daemon.NodeFromConf(c, join)
	if err != nil {
		return err
	}
	var peers daemon.Peers
	follow, err := masterConf(c, log)
	if err != nil {
		return err
	}
	services, err := node.New(node.Config{Dir: n.Dir, Name: n.Name, Host: n.Host, Program: program, Conf: c,
		Master: peers.Master, Forget: remover(c), Log: log})
	if err != nil {
		return err
	}
	return n.Run(ctx, daemon.AgentConfig{Services: services, Lead: lead(c, n, follow), Log: log}, &peers)
}

// remover returns a function that removes directories in the file systems that c configures.
func remover(c *conf.Config) func(ctx context.Context, dir string) error {
	return func(ctx context.Context, dir string) error {
		set, err := schemes.Resolver(c, func(string) {})
		if err != nil {
			return err
		}
		defer set.Close()
		fs, path, err := set.Resolve(dir)
		if err != nil {
			return err
		}
		if err := fs.Delete(ctx, path, true); !failure.Is(err, failure.NotFound) {
			return err
		}
		return nil
	}
}
