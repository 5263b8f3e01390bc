// Package daemon runs what shares a pool of nodes among MR-clusters: the manager, which gives package mrcluster's machine a clock, a
// journal and an address, and the agent of each node, which tells the manager how it is and brings about what it is told.
//
// Everything that is told is absolute and told again with every beat, so a lost message, a manager that was killed or an agent that
// was costs time and nothing else.
package daemon

import (
	"cmp"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/client"
	"github.com/howdah/howdah/mrcluster/provision"
	"github.com/howdah/howdah/mrcluster/weight"
)

// The keys of manager and agents.
const (
	KeyAddr       = client.KeyManager
	KeyGossipAddr = "howdah.gossip.address"
	KeyHTTPAddr   = "howdah.mrcluster.manager.http.address"
	KeyDir        = "howdah.mrcluster.manager.dir"
	KeyNodes      = "howdah.mrcluster.nodes"
	KeyWeights    = "howdah.mrcluster.weights"
)

// Config is everything a manager needs to know. FromConf fills in what keys say; the rest is the caller's to set.
type Config struct {
	Machine   mrcluster.Config
	Weights   string // name of the weighting policy
	Weighting mrcluster.Weighting
	Dir       string // of the journal; of this manager alone
	Addr      string // host:port for agents and commands; port 0 = any
	HTTPAddr  string // host:port of the web page; port 0 = any
	Gossip    Gossip
	// Nodes is how many nodes the manager starts itself and keeps running, by Backend. 0 = all agents are started by others.
	Nodes   int
	Backend provision.Backend // nil = none
	// Agent is what Backend runs on its nodes; the manager adds how to find it.
	Agent   *provision.Agent
	Web     func(*Manager) http.Handler // nil = no page
	Version string
	Log     *slog.Logger // nil = slog.Default()
}

// defaultHTTPPort is that of a manager that has no address configured.
const defaultHTTPPort = "50090"

// FromConf reads the settings of a manager. Where no addresses are configured it listens at host.
func FromConf(c *conf.Config, host string) (Config, error) {
	r := reader{conf.Reader{Conf: c}}
	cfg := Config{Machine: machineConf(&r), Weights: c.Get(KeyWeights), Dir: ManagerDir(c), Nodes: int(r.Int(KeyNodes, 0, 0, 1000)),
		Addr:     cmp.Or(c.Get(KeyAddr), net.JoinHostPort(host, client.DefaultPort)),
		HTTPAddr: cmp.Or(c.Get(KeyHTTPAddr), net.JoinHostPort(host, defaultHTTPPort))}
	options := weight.Defaults()
	options.Psi = r.Float("howdah.mrcluster.weights.psi", options.Psi, 0, 1)
	const keyA = "howdah.mrcluster.weights.a"
	if options.A = r.Float(keyA, options.A, 1, 1e6); r.Err == nil && options.A == 1 {
		r.Err = c.Refuse(keyA, errors.New("want more than 1"))
	}
	r.word("howdah.mrcluster.weights.usage", map[string]func(){
		"normalised": func() { options.Absolute = false },
		"absolute":   func() { options.Absolute = true },
	})
	r.word("howdah.mrcluster.weights.queue", map[string]func(){
		"in-queue":   func() { options.Queue = weight.InQueue },
		"waiting":    func() { options.Queue = weight.Waiting },
		"unfinished": func() { options.Queue = weight.Unfinished },
	})
	if r.Err == nil {
		cfg.Gossip, r.Err = gossipConf(c)
	}
	if r.Err != nil {
		return cfg, r.Err
	}
	var err error
	if cfg.Weighting, err = weight.New(cfg.Weights, options); err != nil {
		return cfg, c.Refuse(KeyWeights, err)
	}
	return cfg, nil
}

// ManagerDir is where a manager keeps everything.
func ManagerDir(c *conf.Config) string {
	if dir := c.Get(KeyDir); dir != "" {
		return dir
	}
	return filepath.Join(c.Get("hadoop.tmp.dir"), "mrcluster", "manager")
}

func machineConf(r *reader) mrcluster.Config {
	const day = 86_400_000
	m := mrcluster.DefaultConfig()
	m.Interval = r.Int("howdah.mrcluster.interval.ms", m.Interval, 10, day)
	m.Threshold = r.Float("howdah.mrcluster.threshold", m.Threshold, 0, 1e12)
	m.IdleAfter = r.Int("howdah.mrcluster.idle.ms", m.IdleAfter, 0, 365*day)
	m.DrainTimeout = r.Int("howdah.mrcluster.drain.timeout.ms", m.DrainTimeout, 10, day)
	m.StartTimeout = r.Int("howdah.mrcluster.start.timeout.ms", m.StartTimeout, 10, day)
	m.StartTimeoutHDFS = r.Int("howdah.mrcluster.start.timeout.hdfs.ms", m.StartTimeoutHDFS, 10, day)
	m.Expiry = r.Int("howdah.mrcluster.expiry.ms", m.Expiry, 10, day)
	m.MasterExpiry = r.Int("howdah.mrcluster.expiry.master.ms", m.MasterExpiry, 10, day)
	m.Retry = r.Int("howdah.mrcluster.retry.ms", m.Retry, 10, day)
	m.Attempts = int(r.Int("howdah.mrcluster.attempts", int64(m.Attempts), 1, 1000))
	m.MaxClusters = int(r.Int("howdah.mrcluster.clusters.maximum", int64(m.MaxClusters), 1, 1_000_000))
	m.MaxNodes = int(r.Int("howdah.mrcluster.nodes.maximum", int64(m.MaxNodes), 1, 1_000_000))
	r.word("howdah.mrcluster.window", map[string]func(){
		"interval": func() { m.Window = mrcluster.LastInterval },
		"request":  func() { m.Window = mrcluster.SinceRequest },
	})
	r.word("howdah.mrcluster.grow", map[string]func(){
		"transient":      func() { m.Grow = mrcluster.Transient },
		"transient-core": func() { m.Grow = mrcluster.TransientCore },
	})
	r.word("howdah.mrcluster.shrink", map[string]func(){
		"kind":    func() { m.Shrink = mrcluster.ByKind },
		"delayed": func() { m.Shrink = mrcluster.Delayed },
	})
	return m
}

// validate refuses what cannot work and fills in what may be left out.
func (c *Config) validate() error {
	if c.Log == nil {
		c.Log = slog.Default()
	}
	for key, addr := range map[string]string{KeyAddr: c.Addr, KeyHTTPAddr: c.HTTPAddr} {
		if _, _, err := net.SplitHostPort(addr); err != nil {
			return failure.New(failure.Config, "start the manager", key, err).Fix("give it as host:port")
		}
	}
	if c.Dir == "" {
		return failure.New(failure.Config, "start the manager", KeyDir, nil).Fix("name a directory")
	}
	if c.Nodes > c.Machine.MaxNodes {
		return failure.New(failure.Config, "start the manager", KeyNodes, nil).Fix("raise howdah.mrcluster.nodes.maximum too")
	}
	return c.Machine.Validate()
}

// beatOf reads how often agents report.
func beatOf(r *reader) time.Duration {
	return time.Duration(r.Int("howdah.mrcluster.heartbeat.ms", 1000, 10, 600_000)) * time.Millisecond
}
