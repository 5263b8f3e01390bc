// Package daemon runs the processes that share a pool of nodes among MR-clusters. The Manager
// drives the machine of package mrcluster with a clock, a journal, and a network address. The Agent
// of each node reports to the manager and executes its replies.
//
// Every message contains a complete state and is repeated with every beat. Therefore, a lost
// message or the crash of a manager or agent costs only time.
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
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/internal/inspect"
	"github.com/howdah/howdah/internal/webguard"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/client"
	"github.com/howdah/howdah/mrcluster/provision"
	"github.com/howdah/howdah/mrcluster/weight"
)

// KeyAddr is the configuration key of the manager's address.
const (
	KeyAddr = client.KeyManager
)

// Config is the configuration of a manager. FromConf sets the fields that have configuration keys,
// and the caller sets the others.
type Config struct {
	Machine   mrcluster.Config
	Weights   string // name of the weighting policy
	Weighting mrcluster.Weighting
	Dir       string  // directory of the journal, used by this manager only
	Disk      disk.FS // makes the changes to files in Dir; nil means disk.OS. Tests replace it.
	PIDFile   string  // file that receives the process ID once Dir is locked; "" means none
	Addr      string  // host:port for agents and commands; port 0 = any free port
	HTTPAddr  string  // host:port of the web page; port 0 = any free port
	Gossip    Gossip
	Secret    *auth.Secret // the secret that agents and commands must have; see rpc.Options
	Rights    Rights
	Logins    *auth.Logins   // who may log in with Kerberos
	Addresses auth.Addresses // where clients without TLS reach Addr through a proxy or NAT
	TLS       *certs.TLS     // protects the ports; nil means no TLS
	// Nodes is the number of nodes that the manager starts with Backend and keeps running. 0 means
	// none.
	Nodes   int
	Backend provision.Backend // nil = none
	// Agent is the agent that Backend runs on its nodes. The manager adds its own address.
	Agent   *provision.Agent
	Web     func(*Manager) http.Handler // nil = no web page
	Process *inspect.Process            // what administrators can look into on the web port; nil = only /metrics
	Mode    auth.Mode                   // the security mode, which the manager logs
	Guard   *webguard.Guard             // protects the web server; nil = a guard without host names
	Version string
	Log     *slog.Logger // nil = slog.Default()
}

// defaultHTTPPort is the web port of a manager if none is configured.
const defaultHTTPPort = "50090"

// FromConf returns a manager's configuration. Without configured addresses, the manager listens on
// host. own are weighting policies in addition to the built-in ones.
func FromConf(c *conf.Config, host string, own ...weight.Entry) (Config, error) {
	r := conf.Reader{Conf: c}
	cfg := Config{Machine: machineConf(&r), Weights: conf.MRClusterWeights.Get(c), Dir: ManagerDir(c),
		Nodes:    int(conf.MRClusterNodes.From(&r)),
		Addr:     cmp.Or(conf.MRClusterManagerAddress.Get(c), net.JoinHostPort(host, client.DefaultPort)),
		HTTPAddr: cmp.Or(conf.MRClusterManagerHTTPAddress.Get(c), net.JoinHostPort(host, defaultHTTPPort))}
	options := weight.Defaults()
	options.Psi = conf.MRClusterWeightsPsi.From(&r)
	const keyA = "howdah.mrcluster.weights.a"
	if options.A = conf.MRClusterWeightsA.From(&r); r.Err == nil && options.A == 1 {
		r.Err = c.Refuse(keyA, errors.New("want more than 1"))
	}
	options.Absolute = conf.MRClusterWeightsUsage.From(&r) == "absolute"
	switch conf.MRClusterWeightsQueue.From(&r) {
	case "waiting":
		options.Queue = weight.Waiting
	case "unfinished":
		options.Queue = weight.Unfinished
	}
	if r.Err == nil {
		cfg.Secret, r.Err = auth.Load(c)
	}
	if r.Err == nil {
		cfg.Logins, r.Err = auth.Manager.Logins(c)
	}
	if r.Err == nil {
		cfg.Addresses, r.Err = auth.LoadAddresses(c)
	}
	if r.Err == nil {
		cfg.Gossip, r.Err = gossipConf(c, cfg.Secret)
	}
	cfg.Rights = rightsConf(&r)
	cfg.Mode = auth.NewMode(c, cfg.Secret.Proof(), cfg.Logins.Mode())
	if r.Err == nil {
		cfg.TLS, r.Err = certs.Open(c, cfg.Secret, certs.Holder{Roles: []certs.Role{certs.Manager},
			Hosts: certs.Addresses(append(conf.SecurityWebHosts.Get(c), host, cfg.Addr, cfg.HTTPAddr)...)})
	}
	cfg.Guard = webguard.New(cfg.Secret, append(conf.SecurityWebHosts.Get(c), cfg.HTTPAddr, webguard.Name(cfg.Addr))...)
	cfg.Guard.TLS = cfg.TLS
	r.Note(auth.CheckBind(c, KeyAddr, cfg.Addr))
	r.Note(auth.CheckBind(c, conf.MRClusterManagerHTTPAddress.Name, cfg.HTTPAddr))
	r.Note(auth.CheckBind(c, conf.GossipAddress.Name, cfg.Gossip.Addr))
	if r.Err != nil {
		return cfg, r.Err
	}
	var err error
	if cfg.Weighting, err = weight.Open(cfg.Weights, c, options, own); err != nil {
		return cfg, c.Refuse(conf.MRClusterWeights.Name, err)
	}
	return cfg, nil
}

// ManagerDir returns the directory of a manager's data.
func ManagerDir(c *conf.Config) string {
	if dir := conf.MRClusterManagerDir.Get(c); dir != "" {
		return dir
	}
	return filepath.Join(conf.HadoopTmpDir.Get(c), "mrcluster", "manager")
}

// MachineFromConf returns the configuration of the manager's machine. If a setting is invalid, the
// error contains its key.
func MachineFromConf(c *conf.Config) (mrcluster.Config, error) {
	r := conf.Reader{Conf: c}
	return machineConf(&r), r.Err
}

func machineConf(r *conf.Reader) mrcluster.Config {
	m := mrcluster.DefaultConfig()
	m.Interval = conf.MRClusterIntervalMS.From(r)
	m.Threshold = conf.MRClusterThreshold.From(r)
	m.IdleAfter = conf.MRClusterIdleMS.From(r)
	m.DrainTimeout = conf.MRClusterDrainTimeoutMS.From(r)
	m.StartTimeout = conf.MRClusterStartTimeoutMS.From(r)
	m.StartTimeoutHDFS = conf.MRClusterStartTimeoutHDFSMS.From(r)
	m.Expiry = conf.MRClusterExpiryMS.From(r)
	m.MasterExpiry = conf.MRClusterExpiryMasterMS.From(r)
	m.Retry = conf.MRClusterRetryMS.From(r)
	m.Attempts = int(conf.MRClusterAttempts.From(r))
	m.MaxClusters = int(conf.MRClusterClustersMaximum.From(r))
	m.MaxNodes = int(conf.MRClusterNodesMaximum.From(r))
	if conf.MRClusterWindow.From(r) == "request" {
		m.Window = mrcluster.SinceRequest
	}
	if conf.MRClusterGrow.From(r) == "transient" {
		m.Grow = mrcluster.Transient
	}
	if conf.MRClusterShrink.From(r) == "delayed" {
		m.Shrink = mrcluster.Delayed
	}
	return m
}

// validate returns an error for invalid settings and sets defaults.
func (c *Config) validate() error {
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Guard == nil {
		c.Guard = webguard.New(c.Secret)
	}
	for key, addr := range map[string]string{KeyAddr: c.Addr, conf.MRClusterManagerHTTPAddress.Name: c.HTTPAddr} {
		if _, _, err := net.SplitHostPort(addr); err != nil {
			return failure.New(failure.Config, "start the manager", key, err).Fix("use the form host:port")
		}
	}
	if c.Dir == "" {
		return failure.New(failure.Config, "start the manager", conf.MRClusterManagerDir.Name, nil).Fix("name a directory")
	}
	if c.Nodes > c.Machine.MaxNodes {
		return failure.New(failure.Config, "start the manager", conf.MRClusterNodes.Name,
			nil).Fix("raise howdah.mrcluster.nodes.maximum too")
	}
	return c.Machine.Validate()
}

// beatOf returns the configured interval of agents' reports.
func beatOf(r *conf.Reader) time.Duration {
	return time.Duration(conf.MRClusterHeartbeatMS.From(r)) * time.Millisecond
}
