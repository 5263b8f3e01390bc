package daemon

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/gossip"
	"github.com/howdah/howdah/job/failure"
)

// The keys of agents.
const (
	KeyAgentDir  = "howdah.mrcluster.agent.dir"
	KeyAgentName = "howdah.mrcluster.agent.name"
	KeyAgentHost = "howdah.mrcluster.agent.host"
)

// NodeConfig is what the configuration says of a node.
type NodeConfig struct {
	Name string // unique in the pool
	Host string // its own address, for what it runs and for gossip
	Dir  string // everything that it keeps
	Beat time.Duration
	// Sample is how often a master's node looks at its MR-cluster. What is looked at between two beats and is not the last is not told.
	Sample time.Duration
	// Manager is its address for agents that do not gossip; "" = gossip tells.
	Manager string
	Gossip  Gossip
}

// NodeFromConf reads the settings of an agent. seeds are members through which it joins the gossip, beside those that are configured.
func NodeFromConf(c *conf.Config, seeds []string) (NodeConfig, error) {
	r := reader{c: c}
	manager := c.Get(KeyAddr)
	if _, port, _ := net.SplitHostPort(manager); port == "0" {
		manager = "" // the manager's own choice
	}
	n := NodeConfig{Name: c.Get(KeyAgentName), Host: c.Get(KeyAgentHost), Dir: c.Get(KeyAgentDir), Beat: beatOf(&r), Sample: sampleOf(&r), Manager: manager}
	if r.err == nil {
		n.Gossip, r.err = gossipConf(c)
	}
	if r.err != nil {
		return n, r.err
	}
	n.Gossip.Join = append(seeds, n.Gossip.Join...)
	if n.Host == "" {
		n.Host = host(n.Gossip.Addr)
	}
	if n.Host == "" {
		n.Host = "127.0.0.1"
	}
	machine, err := os.Hostname()
	if n.Name == "" {
		if err != nil {
			return n, failure.New(failure.Config, "name the node", "", err).Fix("set " + KeyAgentName)
		}
		n.Name = machine
	}
	// Who gossips at all of its addresses is reached by its name.
	if net.ParseIP(n.Host).IsUnspecified() {
		if err != nil {
			return n, failure.New(failure.Config, "find the address of node", n.Name, err).Fix("set " + KeyAgentHost)
		}
		n.Host = machine
	}
	if len(n.Name) > 200 || strings.ContainsAny(n.Name, "/\x00\n ") {
		return n, c.Refuse(KeyAgentName, errors.New("want a name of at most 200 bytes without blanks and '/'"))
	}
	if n.Dir == "" {
		n.Dir = filepath.Join(c.Get("hadoop.tmp.dir"), "mrcluster", "agent-"+n.Name)
	}
	if len(n.Gossip.Join) == 0 && n.Gossip.Addr == "" && manager == "" {
		return n, failure.New(failure.Config, "start agent", n.Name, errors.New("it knows neither a manager nor a member of the gossip")).
			Fix("give --join HOST:PORT, or set " + KeyAddr)
	}
	return n, nil
}

// Run joins the pool and serves until ctx ends. services and lead are as in AgentConfig; peers is what services asks.
func (n NodeConfig) Run(ctx context.Context, cfg AgentConfig, peers *Peers) error {
	cfg.Node, cfg.Beat, cfg.Dir, cfg.Log = n.Name, n.Beat, n.Dir, orDefault(cfg.Log)
	if err := os.MkdirAll(n.Dir, 0o700); err != nil {
		return failure.New(failure.KindOf(err), "make directory", n.Dir, err).Fix("set " + KeyAgentDir + " to a directory that can be written")
	}
	f := &finder{addr: n.Manager}
	if len(n.Gossip.Join) > 0 || n.Gossip.Addr != "" {
		if err := n.join(f, cfg.Log); err != nil {
			return err
		}
		defer f.close()
		cfg.Addr = f.node.Addr()
	} else {
		cfg.Addr = n.Host
	}
	cfg.Find = f.find
	cfg.Log.Info("agent serves", "node", n.Name, "address", cfg.Addr, "dir", n.Dir)
	a, err := NewAgent(cfg, peers)
	if err != nil {
		return err
	}
	return a.Run(ctx)
}

func (n NodeConfig) join(f *finder, log *slog.Logger) (err error) {
	bind := n.Gossip.Addr
	if bind == "" {
		bind = net.JoinHostPort(n.Host, "0")
	}
	f.node, err = gossip.Join(gossip.Config{Bind: bind, Seeds: n.Gossip.Join, Key: n.Gossip.Key, PeersFile: peersFile(n.Dir), Seek: gossip.Manager,
		Meta: gossip.Meta{Role: gossip.Agent, RPC: n.Name}, Problem: complain(log)})
	return err
}
