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
	"github.com/howdah/howdah/internal/api"
	"github.com/howdah/howdah/internal/inspect"
	"github.com/howdah/howdah/internal/owndir"
	"github.com/howdah/howdah/internal/version"
	"github.com/howdah/howdah/internal/webui"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster/daemon"
	"github.com/howdah/howdah/mrcluster/provision"
	backends "github.com/howdah/howdah/mrcluster/provision/catalog"
	"github.com/howdah/howdah/mrcluster/weight"
)

// onThisDisk lists the back ends whose nodes share the manager's file system. With these, job
// histories are stored next to the manager's journal by default.
var onThisDisk = []string{backends.Default, "netns"}

// Manager configures a manager of MR-clusters.
type Manager struct {
	Conf      *conf.Config
	Weights   []weight.Entry // weighting policies in addition to the built-in ones
	Program   string         // path of the howdah binary for the agents that the manager starts
	AgentArgs []string       // generic options for the agents
	PIDFile   string         // file that receives the process ID; "" means none
	Log       *slog.Logger
	Ready     io.Writer // receives a line when the manager is ready
}

// Run runs the manager until ctx is done or the manager fails.
func (m Manager) Run(ctx context.Context) error {
	// Check this before a back end creates anything.
	if err := ownTmp(m.Conf); err != nil {
		return err
	}
	if _, err := daemon.FromConf(m.Conf, "127.0.0.1", m.Weights...); err != nil {
		return err
	}
	if err := owndir.Make(daemon.ManagerDir(m.Conf), owndir.Crossed(), conf.MRClusterManagerDir.Name); err != nil {
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
	fmt.Fprintf(m.Ready, "manager ready: address %s web %s gossip %s\n", d.Addr(), d.URL(), d.GossipAddr())
	return d.Run(ctx)
}

// up opens the manager. If that fails, it removes the resources that the back end created.
func (m Manager) up(ctx context.Context, backend provision.Backend, agent *provision.Agent) (*daemon.Manager, error) {
	d, err := m.open(backend, agent)
	if err != nil && backend != nil {
		m.giveBack(ctx, backend, err)
	}
	return d, err
}

// giveBack removes the resources that a back end created for a manager that failed. It keeps them
// if another manager has locked the directory, because that manager uses them.
func (m Manager) giveBack(ctx context.Context, backend provision.Backend, why error) {
	if failure.Is(why, failure.Exists) {
		return
	}
	if err := backend.Close(ctx); err != nil {
		m.Log.Warn("cannot remove all resources of the back end", "error", err)
	}
}

// open checks the addresses, locks the directory and opens the network listeners.
func (m Manager) open(backend provision.Backend, agent *provision.Agent) (*daemon.Manager, error) {
	host := "127.0.0.1"
	if backend != nil {
		host = backend.Host()
	}
	cfg, err := daemon.FromConf(m.Conf, host, m.Weights...)
	if err == nil {
		err = within(m.Conf, host, daemon.KeyAddr, cfg.Addr)
	}
	if err == nil {
		err = within(m.Conf, host, conf.GossipAddress.Name, cfg.Gossip.Addr)
	}
	if err != nil {
		return nil, err
	}
	cfg.Backend, cfg.Agent, cfg.PIDFile = backend, agent, m.PIDFile
	cfg.Log, cfg.Version = m.Log, version.Howdah()
	cfg.Process = &inspect.Process{Name: "Manager", Conf: m.Conf, Log: m.Log}
	cfg.Web = func(d *daemon.Manager) http.Handler {
		routes := http.NewServeMux()
		routes.Handle("/api/", api.Manager(d.Pool(), d.Trend))
		routes.Handle("/", webui.WithFoot(cfg.Mode.Public(), webui.Manager(d.Pool(), d.Trend)))
		return routes
	}
	return daemon.New(cfg)
}

// within returns an error if addr, the value of key, is a loopback address but nodes reach this
// machine at another address, nodesKnow.
func within(c *conf.Config, nodesKnow, key, addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil || !loopback(host) || loopback(nodesKnow) {
		return nil
	}
	return c.Refuse(key,
		fmt.Errorf("nodes of this back end reach this machine at %s and cannot reach this address", nodesKnow)).
		Fix("remove the key, or use an address that the nodes can reach")
}

func loopback(host string) bool { return host == "localhost" || net.ParseIP(host).IsLoopback() }

// backend opens the configured back end and returns it with the agent for its nodes. If the manager
// starts no nodes, backend returns nil for both.
func (m Manager) backend() (provision.Backend, *provision.Agent, error) {
	nodes, err := conf.MRClusterNodes.Get(m.Conf)
	if err == nil {
		if unknown := backends.Check(cmp.Or(conf.MRClusterBackend.Get(m.Conf), backends.Default)); unknown != nil {
			err = m.Conf.Refuse(conf.MRClusterBackend.Name, unknown)
		}
	}
	if err != nil || nodes == 0 {
		return nil, nil, err
	}
	agent := &provision.Agent{Program: m.Program, Args: append([]string{"mrcluster", "agent"}, m.AgentArgs...)}
	agent.Args = append(agent.Args, "-D", conf.MRClusterAgentName.Name+"={name}", "-D",
		conf.MRClusterAgentHost.Name+"={host}",
		"-D", conf.MRClusterAgentDir.Name+"={dir}/agent",
		"-D", "howdah.gossip.address={host}:0")
	name := conf.MRClusterBackend.Get(m.Conf)
	if conf.MRClusterHistoryDir.Get(m.Conf) == "" && slices.Contains(onThisDisk, name) {
		dir, err := filepath.Abs(daemon.ManagerDir(m.Conf))
		if err != nil {
			return nil, nil, failure.New(failure.IO, "find the directory", daemon.ManagerDir(m.Conf), err)
		}
		dir = filepath.Join(dir, "history")
		// The directory is private, because the names of its files contain job names.
		if err := owndir.Make(dir, owndir.Private, conf.MRClusterManagerDir.Name); err != nil {
			return nil, nil, err
		}
		agent.Args = append(agent.Args, "-D", conf.MRClusterHistoryDir.Name+"=file:"+dir)
	}
	b, err := backends.Open(conf.MRClusterBackend.Get(m.Conf), m.Conf,
		provision.Options{Dir: daemon.ManagerDir(m.Conf), Agent: agent, Log: m.Log})
	return b, agent, err
}
