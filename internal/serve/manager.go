package serve

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
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
	if _, err := daemon.FromConf(m.Conf, ""); err != nil { // before a back end makes anything
		return err
	}
	backend, agent, err := m.backend()
	if err != nil {
		return err
	}
	d, err := m.up(ctx, backend, agent)
	if err != nil {
		return err
	}
	fmt.Fprintf(m.Ready, "manager ready: address %s web http://%s gossip %s\n", d.Addr(), d.HTTPAddr(), d.GossipAddr())
	return d.Run(ctx)
}

// up opens the manager. If that fails, nothing of the back end stays.
func (m Manager) up(ctx context.Context, backend provision.Backend, agent *provision.Agent) (*daemon.Manager, error) {
	d, err := m.open(backend, agent)
	if err != nil && backend != nil {
		m.giveBack(ctx, backend, err)
	}
	return d, err
}

// giveBack removes what a back end has made for a manager that has failed, unless it failed because another one has the directory: that one
// uses it.
func (m Manager) giveBack(ctx context.Context, backend provision.Backend, why error) {
	if failure.Is(why, failure.Exists) {
		return
	}
	if err := backend.Close(ctx); err != nil {
		m.Log.Warn("the back end may have left something", "error", err)
	}
}

// open takes the directory and the ports.
func (m Manager) open(backend provision.Backend, agent *provision.Agent) (*daemon.Manager, error) {
	host := "127.0.0.1"
	if backend != nil {
		host = backend.Host()
	}
	cfg, err := daemon.FromConf(m.Conf, host)
	if err == nil {
		err = within(m.Conf, host, daemon.KeyAddr, cfg.Addr)
	}
	if err == nil {
		err = within(m.Conf, host, daemon.KeyGossipAddr, cfg.Gossip.Addr)
	}
	if err != nil {
		return nil, err
	}
	cfg.Backend, cfg.Agent, cfg.Log, cfg.Version = backend, agent, m.Log, version.Howdah()
	cfg.Web = func(d *daemon.Manager) http.Handler { return webui.Manager(d.Pool()) }
	return daemon.New(cfg)
}

// within refuses an address of this machine that only its own processes reach, where nodes are to find the manager at another one.
func within(c *conf.Config, nodesKnow, key, addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil || !loopback(host) || loopback(nodesKnow) {
		return nil
	}
	return c.Refuse(key, fmt.Errorf("nodes of this back end know this machine as %s and cannot reach that", nodesKnow)).Fix("leave the key out, or name an address that they reach")
}

func loopback(host string) bool { return host == "localhost" || net.ParseIP(host).IsLoopback() }

// backend opens what the configuration names, nil if the manager is to start no nodes.
func (m Manager) backend() (provision.Backend, *provision.Agent, error) {
	nodes, err := m.Conf.Int(daemon.KeyNodes, 0, 0, 1000)
	if err == nil {
		if unknown := backends.Check(cmp.Or(m.Conf.Get(KeyBackend), backends.Default)); unknown != nil {
			err = m.Conf.Refuse(KeyBackend, unknown)
		}
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
