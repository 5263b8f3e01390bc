package daemon

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"google.golang.org/grpc"

	"github.com/howdah/howdah/internal/gossip"
	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/internal/passwd"
	"github.com/howdah/howdah/internal/program"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/jobtracker/daemon/journal"
)

// Daemon is one JobTracker: New opens its directory and its ports, Run serves until it is told to stop.
type Daemon struct {
	cfg     Config
	journal *journal.Journal
	log     factLog // the journal
	owner   *owner
	first   []jobtracker.Output
	rpc     net.Listener
	web     net.Listener

	cluster string
	epoch   int64 // restart count
	started time.Time
	program string
	probe   probe
	me      string // user that this process runs as

	policies     *policies
	profiles     *profiles
	lookAtFiles  time.Duration
	settledAfter time.Duration

	jobs     *jobs
	history  *histories
	metrics  *metrics
	forecast *forecast
	hosts    *hosts
	workers  *workers
	tokens   *tokens
	record   *recorder
	global   *global       // nil = nobody moves shares between tasks
	gate     gate          // through which new jobs come
	submits  chan struct{} // one for each submission that is being read
	streams  chan struct{} // one for each client that reads the whole history
	keys     keyLocks      // submit keys and output directories of submissions

	trackerNews, jobNews, outputNews *bells
}

// New opens the journal, rebuilds the machine from it and binds the ports. For storage that does not answer yet it waits up to a
// minute, or until ctx ends. Nothing is served before Run.
func New(ctx context.Context, cfg Config) (*Daemon, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	d := &Daemon{cfg: cfg, me: passwd.Me(), lookAtFiles: lookAtFiles, settledAfter: settledAfter, profiles: newProfiles(), started: time.Now(), metrics: newMetrics(), submits: make(chan struct{}, maxSubmits), streams: make(chan struct{}, maxStreams)}
	self, err := program.Self()
	if err != nil {
		return nil, err
	}
	d.program = self.ID
	d.warnUnknown(cfg.Conf)
	if err := d.open(ctx); err != nil {
		return nil, errors.Join(err, d.close())
	}
	return d, nil
}

func (d *Daemon) open(ctx context.Context) error {
	if err := os.MkdirAll(d.cfg.Dir, 0o700); err != nil {
		return failure.New(failure.KindOf(err), "make", d.cfg.Dir, err).Fix("set " + KeyDir + " to a directory that can be written")
	}
	d.cfg.Machine.Cluster = clusterID(d.started)
	m, err := d.makeMachine()
	if err != nil {
		return err
	}
	if err := d.recover(m); err != nil {
		return err
	}
	if d.hosts, err = newHosts(&d.cfg); err != nil {
		return err
	}
	if d.probe, err = d.awaitStorage(ctx); err != nil {
		return err
	}
	d.makeStagingRoot(ctx)
	if d.rpc, err = listen(KeyAddr, d.cfg.Addr); err != nil {
		return err
	}
	d.web, err = listen(KeyHTTPAddr, d.cfg.HTTPAddr)
	return err
}

// makeMachine makes an empty machine with the policy that the configuration names.
func (d *Daemon) makeMachine() (*jobtracker.Machine, error) {
	d.policies = &policies{table: d.cfg.Catalog, queues: d.cfg.Queues, admins: administrators(d.cfg.Conf)}
	d.policies.saw(d.policies.stamps(d.cfg.Scheduler, d.cfg.Conf))
	x, err := d.policies.make(d.cfg.Scheduler, d.cfg.Conf, nil, [2]int32{})
	if err != nil {
		return nil, err
	}
	m, err := jobtracker.New(d.cfg.Machine, x.policy)
	if err != nil {
		return nil, err
	}
	m.SetSpeculator(x.speculator)
	d.policies.placed(x, "the configuration")
	d.cfg.Scheduler = x.name
	return m, nil
}

// recover replays the journal into m and gets ready to go on where it ends.
func (d *Daemon) recover(m *jobtracker.Machine) error {
	d.history = newHistories(filepath.Join(d.cfg.Dir, "history"), d.cfg.Log)
	last, replayed := int64(0), 0
	var torn journal.Torn
	var err error
	d.journal, torn, err = journal.Open(d.cfg.Dir, func(e *event.Event) error {
		last = max(last, e.Time)
		replayed++
		d.history.replayed(e)
		return m.Apply(e)
	})
	if err != nil {
		return err
	}
	d.log = d.journal
	d.history.live = true
	if torn.Bytes > 0 {
		d.cfg.Log.Warn("the journal ended in an incomplete record, which was cut off", "bytes", torn.Bytes, "kept", torn.File)
	}
	if d.jobs, err = openJobs(d.cfg.Dir, m, d.cfg.Log); err != nil {
		return err
	}
	if d.cfg.RecordInputs != "" {
		if d.record, err = startRecorder(d.cfg.RecordInputs, d.cfg.Machine, d.policies.present(), m); err != nil {
			return err
		}
	}
	clock := newClock(last)
	d.owner = newOwner(m, clock)
	d.owner.fact, d.owner.out, d.owner.beforeRotate = d.fact, d.out, d.history.sync
	d.owner.record = d.record
	now := clock.now()
	d.record.recovered(now)
	d.first = m.Recovered(now, nil)
	d.forecast = newForecast(m)
	d.cluster, d.epoch = m.ClusterID(), m.Restarts()
	d.trackerNews, d.jobNews, d.outputNews = newBells(d.epoch), newBells(d.epoch), newBells(d.epoch)
	d.global = newGlobal(d.cfg.Orchestrator, now)
	d.workers = newWorkers(d)
	d.tokens = newTokens(d)
	for _, info := range d.jobs.all() {
		d.tokens.add(info)
	}
	d.finishLeft(m)
	d.cfg.Log.Info("journal replayed", "dir", d.cfg.Dir, "facts", replayed, "cluster", d.cluster, "restarts", d.epoch,
		"milliseconds", time.Since(d.started).Milliseconds())
	return nil
}

func listen(key, addr string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, failure.New(failure.Config, "listen at "+key, addr, err).Fix("is another daemon there? choose another address or port 0")
	}
	return l, nil
}

// Addr gives the address of the RPC server as others reach it.
func (d *Daemon) Addr() string { return reachable(d.rpc.Addr()) }

// HTTPAddr gives the address of the web server as others reach it.
func (d *Daemon) HTTPAddr() string { return reachable(d.web.Addr()) }

// reachable puts this machine's name in the place of "all addresses".
func reachable(a net.Addr) string {
	tcp, ok := a.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return a.String()
	}
	name, err := os.Hostname()
	if err != nil {
		return a.String()
	}
	return net.JoinHostPort(name, strconv.Itoa(tcp.Port))
}

// Cluster gives the identifier inside job ids, and how often a JobTracker was started on this directory before.
func (d *Daemon) Cluster() (id string, restarts int64) { return d.cluster, d.epoch }

// Jobs answers clients and web pages alike. Its answers are snapshots; calling it does not change the JobTracker unless the
// call says so.
func (d *Daemon) Jobs() client.JobsServer { return &jobsService{Daemon: d} }

// Run serves until ctx ends or a part fails. It can be called once.
func (d *Daemon) Run(ctx context.Context) error {
	s := lifecycle.NewStack(ctx)
	s.OnStop("journal", d.close)
	s.Start("history", d.history.run)
	s.Start("owner", func(ctx context.Context) error { return d.owner.run(ctx, d.first, d.log) })
	s.Start("workers", d.workers.run)
	s.Start("tokens", d.tokens.run)
	s.Start("hosts", d.watchHosts)
	s.Start("policy", d.watchPolicy)
	s.Start("sweep", d.sweep)
	if d.global != nil {
		s.Start("orchestrator", d.orchestrate)
	}
	s.Start("rpc", func(ctx context.Context) error { return rpc.Serve(ctx, d.server(), d.rpc) })
	s.Start("web", d.serveWeb)
	if d.cfg.GossipAddr != "" {
		s.Start("gossip", d.gossip)
	}
	d.cfg.Log.Info("outputs are published by", "user", committer())
	d.cfg.Log.Info("JobTracker serves", "rpc", d.Addr(), "web", "http://"+d.HTTPAddr(), "scheduler", d.policies.present().name, "cluster", d.cluster)
	return s.Wait()
}

// Close gives everything back when Run is not going to be called.
func (d *Daemon) Close() error { return d.close() }

func (d *Daemon) close() error {
	var err error
	for _, l := range []net.Listener{d.rpc, d.web} {
		if l != nil {
			l.Close() // Run's servers have closed theirs already
		}
	}
	if d.record != nil {
		err = d.record.close(d.cfg.Log)
	}
	if d.journal != nil {
		err = errors.Join(err, d.journal.Close())
	}
	return err
}

func (d *Daemon) server() *grpc.Server {
	s := rpc.NewServer(d.cfg.RPC)
	client.RegisterJobsServer(s, d.Jobs())
	tracker.RegisterTrackersServer(s, &trackersService{Daemon: d})
	return s
}

func (d *Daemon) serveWeb(ctx context.Context) error {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", d.metricsHandler())
	mux.HandleFunc("GET /journal", d.serveJournal)
	if d.cfg.Web != nil {
		mux.Handle("/", d.cfg.Web(d))
	}
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10}
	done := make(chan error, 1)
	go func() { done <- server.Serve(d.web) }()
	select {
	case err := <-done:
		return failure.New(failure.IO, "serve", d.HTTPAddr(), err)
	case <-ctx.Done():
	}
	server.Close()
	<-done
	return nil
}

func (d *Daemon) gossip(ctx context.Context) error {
	node, err := gossip.Join(gossip.Config{
		Bind: d.cfg.GossipAddr, Seeds: d.cfg.GossipJoin, Key: d.cfg.GossipKey, PeersFile: filepath.Join(d.cfg.Dir, "peers"),
		Meta: gossip.Meta{Role: gossip.JobTracker, RPC: d.Addr(), HTTP: d.HTTPAddr(), Epoch: d.epoch},
	})
	if err != nil {
		return err
	}
	d.cfg.Log.Info("gossip joined", "address", node.Addr())
	<-ctx.Done()
	node.Leave()
	return nil
}

// randomHex gives n random bytes as text.
func randomHex(n int) string {
	b := make([]byte, n)
	rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

func errf(kind failure.Kind, op, on, format string, args ...any) *failure.Error {
	return failure.New(kind, op, on, fmt.Errorf(format, args...))
}
