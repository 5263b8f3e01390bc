package serve

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/version"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster/daemon"
	"github.com/howdah/howdah/mrcluster/provision"
	backends "github.com/howdah/howdah/mrcluster/provision/catalog"
	"github.com/howdah/howdah/mrcluster/provision/node"
	"github.com/howdah/howdah/webui"
)

// KeyBackend names where the nodes live that a manager starts.
const KeyBackend = "howdah.mrcluster.backend"

// onThisDisk are the back ends whose nodes have the manager's file system: there histories are kept beside its journal.
var onThisDisk = []string{backends.Default, "netns"}

// Manager is how a manager of MR-clusters is to be run.
type Manager struct {
	Conf      *conf.Config
	Program   string   // howdah, for the agents that it starts
	AgentArgs []string // generic options for these
	Log       *slog.Logger
	Ready     io.Writer // gets a line when it serves
}

// Run serves until ctx ends or the manager fails.
func (m Manager) Run(ctx context.Context) error {
	backend, agent, err := m.backend()
	if err != nil {
		return err
	}
	host := ""
	if backend != nil {
		host = backend.Host()
	}
	cfg, err := daemon.FromConf(m.Conf, cmp.Or(host, "127.0.0.1"))
	if err != nil {
		return err
	}
	cfg.Backend, cfg.Agent, cfg.Log, cfg.Version = backend, agent, m.Log, version.Howdah()
	cfg.Web = func(d *daemon.Manager) http.Handler { return webui.Manager(d.Pool()) }
	d, err := daemon.New(cfg)
	if err != nil {
		return err
	}
	fmt.Fprintf(m.Ready, "manager ready: address %s web http://%s gossip %s\n", d.Addr(), d.HTTPAddr(), d.GossipAddr())
	return d.Run(ctx)
}

// backend opens what the configuration names, nil if the manager is to start no nodes.
func (m Manager) backend() (provision.Backend, *provision.Agent, error) {
	nodes, err := m.Conf.Int(daemon.KeyNodes, 0, 0, 1000)
	if err == nil {
		err = backends.Check(cmp.Or(m.Conf.Get(KeyBackend), backends.Default))
	}
	if err != nil || nodes == 0 {
		return nil, nil, err
	}
	agent := &provision.Agent{Program: m.Program, Args: append([]string{"mrcluster", "agent"}, m.AgentArgs...)}
	agent.Args = append(agent.Args, "-D", daemon.KeyAgentName+"={name}", "-D", daemon.KeyAgentHost+"={host}", "-D", daemon.KeyAgentDir+"={dir}/agent",
		"-D", "howdah.gossip.address={host}:0")
	if name := m.Conf.Get(KeyBackend); m.Conf.Get(node.KeyHistory) == "" && slices.Contains(onThisDisk, name) {
		dir, err := filepath.Abs(daemon.ManagerDir(m.Conf))
		if err != nil {
			return nil, nil, failure.New(failure.IO, "find the directory", daemon.ManagerDir(m.Conf), err)
		}
		agent.Args = append(agent.Args, "-D", node.KeyHistory+"=file:"+filepath.Join(dir, "history"))
	}
	b, err := backends.Open(m.Conf.Get(KeyBackend), m.Conf, provision.Options{Dir: daemon.ManagerDir(m.Conf), Agent: agent, Log: m.Log})
	return b, agent, err
}
