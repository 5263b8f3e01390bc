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
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/internal/gossip"
	"github.com/howdah/howdah/internal/owndir"
	"github.com/howdah/howdah/internal/passwd"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/job/failure"
)

// NodeConfig is the configuration of a node.
type NodeConfig struct {
	RPC  rpc.Options // for calls to the manager
	Mode auth.Mode   // the security mode, which the agent logs
	Name string      // unique within the pool
	Host string      // the node's own address, for its daemons and for gossip
	Dir  string      // directory of all the node's data
	Beat time.Duration
	// Manager is the manager's address, for an agent that does not use gossip or finds no manager
	// through it. "" means that the agent relies on gossip alone.
	Manager string
	Gossip  Gossip
}

// NodeFromConf returns an agent's configuration. seeds are additional members through which the
// agent joins the gossip.
func NodeFromConf(c *conf.Config, seeds []string) (NodeConfig, error) {
	r := conf.Reader{Conf: c}
	manager := conf.MRClusterManagerAddress.Get(c)
	if _, port, _ := net.SplitHostPort(manager); port == "0" {
		manager = "" // the manager chooses
	}
	n := NodeConfig{Name: conf.MRClusterAgentName.Get(c), Host: conf.MRClusterAgentHost.Get(c),
		Dir: conf.MRClusterAgentDir.Get(c), Beat: beatOf(&r), Manager: manager}
	n.Gossip.Addr, n.Gossip.Join = conf.GossipAddress.Get(c), append(seeds, conf.GossipJoin.Get(c)...)
	if r.Err == nil && n.gossips() {
		n.Gossip.Key, r.Err = auth.NodeGossipKey(c)
	}
	r.Note(auth.CheckNode(c, conf.GossipAddress.Name, n.Gossip.Addr))
	if r.Err != nil {
		return n, r.Err
	}
	if n.Host == "" {
		n.Host = host(n.Gossip.Addr)
	}
	if n.Host == "" {
		n.Host = "127.0.0.1"
	}
	if err := auth.CheckBind(c, conf.MRClusterAgentHost.Name, net.JoinHostPort(n.Host, "0")); err != nil {
		return n, err
	}
	machine, err := os.Hostname()
	if n.Name == "" {
		if err != nil {
			return n, failure.New(failure.Config, "name the node", "", err).Fix("set " + conf.MRClusterAgentName.Name)
		}
		n.Name = machine
	}
	// If a member listens for gossip on all its addresses, others reach it by its host name.
	if net.ParseIP(n.Host).IsUnspecified() {
		if err != nil {
			return n, failure.New(failure.Config, "find the address of node", n.Name, err).Fix("set " +
				conf.MRClusterAgentHost.Name)
		}
		n.Host = machine
	}
	if len(n.Name) > 200 || strings.ContainsAny(n.Name, "/\x00\n ") {
		return n, c.Refuse(conf.MRClusterAgentName.Name,
			errors.New("want a name of at most 200 bytes without spaces and '/'"))
	}
	if n.RPC, err = rpc.DaemonOptions(c, certs.Manager, certs.Agent(n.Name)); err != nil {
		return n, err
	}
	n.Mode = auth.NewMode(c, n.RPC.Proof, "daemons as user "+passwd.Me())
	if n.Dir == "" {
		n.Dir = filepath.Join(conf.HadoopTmpDir.Get(c), "mrcluster", "agent-"+n.Name)
	}
	if !n.gossips() && manager == "" {
		return n, failure.New(failure.Config, "start agent", n.Name,
			errors.New("no manager and no gossip member is configured")).
			Fix("use --join HOST:PORT, or set " + KeyAddr)
	}
	return n, nil
}

// Run joins the pool and serves until ctx ends. cfg.Services must use peers to find masters.
func (n NodeConfig) Run(ctx context.Context, cfg AgentConfig, peers *Peers) error {
	cfg.Node, cfg.Beat, cfg.Dir, cfg.Log = n.Name, n.Beat, n.Dir, orDefault(cfg.Log)
	if err := owndir.Make(n.Dir, owndir.Crossed(), conf.MRClusterAgentDir.Name); err != nil {
		return err
	}
	f := &finder{addr: n.Manager}
	if n.gossips() {
		if err := n.join(f, cfg.Log); err != nil {
			return err
		}
		defer f.close()
		cfg.Addr = f.node.Addr()
	} else {
		cfg.Addr = n.Host
	}
	cfg.Find, cfg.RPC = f.find, n.RPC
	cfg.Log.Info("agent serves", "node", n.Name, "address", cfg.Addr, "dir", n.Dir, "security", n.Mode.String())
	a, err := NewAgent(cfg, peers)
	if err != nil {
		return err
	}
	return a.Run(ctx)
}

func (n NodeConfig) gossips() bool { return len(n.Gossip.Join) > 0 || n.Gossip.Addr != "" }

func (n NodeConfig) join(f *finder, log *slog.Logger) (err error) {
	bind := n.Gossip.Addr
	if bind == "" {
		bind = net.JoinHostPort(n.Host, "0")
	}
	f.node, err = gossip.Join(gossip.Config{Bind: bind, Seeds: n.Gossip.Join, Key: n.Gossip.Key,
		PeersFile: peersFile(n.Dir), Seek: gossip.Manager,
		Meta: gossip.Meta{Role: gossip.Agent, RPC: n.Name}, Log: log})
	return err
}
