package daemon

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/internal/gossip"
	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/internal/loop"
	"github.com/howdah/howdah/internal/port"
	"github.com/howdah/howdah/internal/prom"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/rpc/health"
	"github.com/howdah/howdah/internal/transport/manager"
	"github.com/howdah/howdah/internal/transport/tokens"
	"github.com/howdah/howdah/internal/trend"
	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/journal"
)

// Manager is the manager of a pool. New opens its directory and its ports, and Run serves until its
// context ends.
type Manager struct {
	cfg      Config
	identity identity
	journal  *journal.Journal
	opened   bool
	owner    *owner
	ledger   *ledger
	clock    *clock
	first    []mrcluster.Output
	rpc, web *port.Listener
	gossip   *gossip.Node
	// succeeded is set after a later manager has taken over the pool, including its nodes and their
	// processes.
	succeeded atomic.Bool
	issued    *auth.Ledger // tokens that users and nodes present
	trend     *trend.Recorder
	times     times
	stalled   atomic.Bool // the journal's disk rejects writes
}

// New opens the journal, rebuilds the machine from it, opens the ports, and joins the gossip. It
// serves no requests until Run. It returns an error of kind Exists if another manager uses the
// directory.
func New(cfg Config) (*Manager, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	m := &Manager{cfg: cfg, trend: trend.New()}
	if err := m.open(); err != nil {
		return nil, errors.Join(err, m.close())
	}
	return m, nil
}

func (m *Manager) open() error {
	if err := m.recover(); err != nil {
		return err
	}
	if err := lifecycle.WritePID(m.cfg.PIDFile, os.Getpid()); err != nil {
		return err
	}
	var err error
	if m.rpc, err = listenAgain(m.cfg.Dir, "manager", KeyAddr, m.cfg.Addr, port.Most); err != nil {
		return err
	}
	m.web, err = listenAgain(m.cfg.Dir, "web", conf.MRClusterManagerHTTPAddress.Name, m.cfg.HTTPAddr, port.Few)
	if err != nil {
		return err
	}
	return m.join()
}

// recover locks the directory, which excludes a second manager on this machine. It then rebuilds
// the machine from the journal and creates the manager's identity.
func (m *Manager) recover() error {
	if m.cfg.Disk == nil {
		m.cfg.Disk = disk.OS
	}
	machine, err := mrcluster.New(m.cfg.Machine, m.cfg.Weighting)
	if err != nil {
		return err
	}
	last, facts := int64(0), 0
	recent := newLedger(0)
	j, torn, err := journal.Open(m.cfg.Dir, conf.MRClusterManagerDir.Name, m.cfg.Disk, func(f *mrcluster.Fact) error {
		last = max(last, f.Time)
		facts++
		recent.replayed(f)
		return machine.Apply(f)
	})
	if err != nil {
		return err
	}
	m.journal, m.opened = j, true
	if torn.Bytes > 0 {
		m.cfg.Log.Warn("the journal ended in an incomplete fact, which was cut off", "journal", torn.Journal,
			"at", torn.At, "bytes", torn.Bytes, "kept", torn.File)
	}
	if m.issued, err = auth.OpenLedger(filepath.Join(m.cfg.Dir, "tokens"), m.cfg.Secret); err != nil {
		return err
	}
	if m.identity, err = nextIdentity(m.cfg.Dir, m.cfg.Disk, time.Now()); err != nil {
		return err
	}
	m.clock = newClock(last)
	m.ledger = newLedger(m.identity.Incarnation)
	m.ledger.recent = recent.recent
	m.owner = newOwner(machine, m.clock)
	m.times = newTimes()
	m.owner.log = prom.Log(j, m.times.written.WithLabelValues())
	m.owner.fact, m.owner.order, m.owner.Disk = m.fact, m.ledger.order, m.diskState
	m.first = machine.Recovered(m.clock.now(), nil)
	m.ledger.recovered(machine)
	m.cfg.Log.Info("journal replayed", "dir", m.cfg.Dir, "facts", facts, "pool", m.identity.Pool, "incarnation",
		m.identity.Incarnation)
	return nil
}

// diskState records and logs whether the journal's disk accepts writes.
func (m *Manager) diskState(err error) {
	m.stalled.Store(err != nil)
	if err != nil {
		m.cfg.Log.Error("cannot write the journal; no call is answered until the disk accepts writes", "error", err)
		return
	}
	m.cfg.Log.Info("the disk accepts the journal again")
}

// fact adds a decision of the machine to the ledger and logs it.
func (m *Manager) fact(f *mrcluster.Fact) {
	if f.Kind == mrcluster.Measured {
		return // not a decision
	}
	m.ledger.fact(f)
	name := f.Cluster
	if f.Spec != nil {
		name = f.Spec.Name
	}
	m.cfg.Log.Info("decided", "fact", f.Kind, "cluster", name, "deployment", f.Deployment, "node", f.Node, "kind",
		f.NodeKind, "shares", f.Shares, "reason", f.Reason)
}

// join joins the gossip, if possible at the address of the previous run. It contacts the configured
// members and those from the previous run.
func (m *Manager) join() error {
	bind := m.cfg.Gossip.Addr
	if bind == "" {
		host, _, _ := net.SplitHostPort(m.rpc.Addr().String())
		bind = net.JoinHostPort(host, "0")
	}
	cfg := gossip.Config{Bind: lastAddr(m.cfg.Dir, "gossip", bind), Seeds: m.cfg.Gossip.Join, Key: m.cfg.Gossip.Key,
		PeersFile: peersFile(m.cfg.Dir), Seek: gossip.Manager,
		Meta: gossip.Meta{Role: gossip.Manager, RPC: m.Addr(), HTTP: m.HTTPAddr(), Epoch: m.identity.Incarnation,
			Pool: m.identity.Pool},
		Log: m.cfg.Log}
	var err error
	if m.gossip, err = gossip.Join(cfg); err != nil && cfg.Bind != bind {
		cfg.Bind = bind
		m.gossip, err = gossip.Join(cfg)
	}
	if err != nil {
		return err
	}
	keepAddr(m.cfg.Dir, "gossip", m.gossip.Addr())
	return nil
}

// Addr returns the address for agents and commands, as reachable from other hosts.
func (m *Manager) Addr() string { return m.reachable(m.rpc.Addr()) }

// HTTPAddr returns the address of the web page, as reachable from other hosts.
func (m *Manager) HTTPAddr() string { return m.reachable(m.web.Addr()) }

// URL returns the address of the web page as a URL.
func (m *Manager) URL() string { return m.cfg.TLS.Scheme() + "://" + m.HTTPAddr() }

// GossipAddr returns the address through which agents join.
func (m *Manager) GossipAddr() string { return m.gossip.Addr() }

// reachable returns an address at which nodes can reach this machine. It differs from a only if a
// means all addresses.
func (m *Manager) reachable(a net.Addr) string {
	tcp, ok := a.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return a.String()
	}
	host := ""
	if m.cfg.Backend != nil {
		host = m.cfg.Backend.Host()
	}
	if host == "" {
		if name, err := os.Hostname(); err == nil {
			host = name
		}
	}
	return net.JoinHostPort(host, strconv.Itoa(tcp.Port))
}

// Pool returns the service for commands and web pages.
func (m *Manager) Pool() manager.Manager { return &service{Manager: m} }

// Run serves until ctx ends or a component fails. Call it at most once.
func (m *Manager) Run(ctx context.Context) error {
	s := lifecycle.NewStack(loop.Patient(ctx)) // contexts of calls do not derive from it
	s.OnStop("journal", m.close)
	s.Start("owner", func(ctx context.Context) error { return m.owner.run(ctx, m.first) })
	s.Start("rpc", func(ctx context.Context) error {
		return rpc.Serve(ctx, m.server(), m.rpc)
	})
	s.Start("web", m.serveWeb)
	s.Start("rivals", m.watchRivals)
	s.Start("trend", m.recordTrend)
	if m.cfg.Nodes > 0 && m.cfg.Backend != nil {
		s.Start("nodes", m.keepNodes)
	}
	m.cfg.Log.Info("manager serves", "rpc", m.Addr(), "web", m.URL(), "gossip", m.GossipAddr(),
		"weights", m.cfg.Weights, "security", m.cfg.Mode.String())
	if m.cfg.Machine.NeverMoves() {
		m.cfg.Log.Warn("MR-clusters cannot grow: the discrimination of an interval never exceeds the threshold",
			"interval ms", m.cfg.Machine.Interval, "threshold s^2", m.cfg.Machine.Threshold)
	}
	return s.Wait()
}

func (m *Manager) server() *rpc.Server {
	s := rpc.NewServer(rpc.Options{Secret: m.cfg.Secret, Revoked: m.issued.Revoked, Logins: m.cfg.Logins,
		Addresses: m.cfg.Addresses, TLS: m.cfg.TLS, Warn: m.cfg.Log.Warn,
		Observer: prom.Observer(m.times.calls)})
	pool.RegisterPoolServer(s, newProtocol(m))
	tokens.Register(s, m.issued, m.cfg.TLS)
	health.Register(s, func() bool { return !m.stalled.Load() })
	return s
}

// Close releases all resources of a manager on which Run is never called.
func (m *Manager) Close() error { return m.close() }

func (m *Manager) close() error {
	if m.gossip != nil {
		m.gossip.Leave()
	}
	for _, l := range []*port.Listener{m.rpc, m.web} {
		if l != nil {
			l.Close() // after Run the listeners are already closed
		}
	}
	if m.opened {
		return m.journal.Close()
	}
	return nil
}

func (m *Manager) serveWeb(ctx context.Context) error {
	routes := http.NewServeMux()
	m.cfg.Process.Routes(routes.Handle, m.collectors()...)
	if m.cfg.Web != nil {
		routes.Handle("/", m.cfg.Web(m))
	}
	m.cfg.Guard.Revoked = m.issued.Revoked
	return m.cfg.Guard.Serve(ctx, m.web, routes)
}
