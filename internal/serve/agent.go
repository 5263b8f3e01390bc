package serve

import (
	"context"
	"log/slog"
	"os"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/schemes"
	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster/daemon"
	"github.com/howdah/howdah/mrcluster/provision/node"
)

// Agent configures an agent, which makes this machine a node of a pool.
type Agent struct {
	Conf    *conf.Config
	Join    []string // gossip members through which the agent finds the manager
	PIDFile string   // file that receives the process ID; "" means none
	Log     *slog.Logger
}

// Run runs the agent until ctx is done or the agent fails.
func (a Agent) Run(ctx context.Context) error {
	c, log := a.Conf, a.Log
	if err := ownTmp(c); err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return failure.New(failure.IO, "find this program", "", err)
	}
	n, err := daemon.NodeFromConf(c, a.Join)
	if err != nil {
		return err
	}
	var peers daemon.Peers
	follow, err := masterConf(c, log)
	if err != nil {
		return err
	}
	services, err := node.New(node.Config{Dir: n.Dir, Name: n.Name, Host: n.Host, Program: program,
		Own: map[string]string{"jobtracker": conf.MRClusterJobTracker.Get(c),
			"tasktracker": conf.MRClusterTaskTracker.Get(c)},
		Programs: conf.MRClusterPrograms.Get(c), Conf: c, TLS: n.RPC.TLS, Master: peers.Master, Forget: remover(c), Log: log})
	if err != nil {
		return err
	}
	if err := lifecycle.WritePID(a.PIDFile, os.Getpid()); err != nil {
		services.Stop()
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
