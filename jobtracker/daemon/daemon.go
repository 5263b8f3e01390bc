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
	"sync"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/factlog"
	"github.com/howdah/howdah/internal/feed"
	"github.com/howdah/howdah/internal/gossip"
	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/internal/loop"
	"github.com/howdah/howdah/internal/owndir"
	"github.com/howdah/howdah/internal/port"
	"github.com/howdah/howdah/internal/program"
	"github.com/howdah/howdah/internal/prom"
	"github.com/howdah/howdah/internal/redact"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/rpc/health"
	"github.com/howdah/howdah/internal/transport"
	usertokens "github.com/howdah/howdah/internal/transport/tokens"
	"github.com/howdah/howdah/internal/trend"
	"github.com/howdah/howdah/internal/webguard"
	"github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/jobtracker/archive"
	"github.com/howdah/howdah/jobtracker/daemon/journal"
	"github.com/howdah/howdah/jobtracker/policies"
)

// Daemon is a JobTracker. New opens its directory and its ports. Run serves until its context ends.
type Daemon struct {
	cfg Config
	identity
	rpc, web *port.Listener

	journal  *journal.Journal
	log      factlog.Writer // the journal
	owner    *owner
	first    []jobtracker.Output // the outputs of Recovered, which Run processes first
	policies *policies.Keeper
	archive  *archive.Archive
	loads    chan struct{} // one token for each job that is being read from the history
	states   chan struct{} // one token for each client that is reading the state for predictions
	opaque   []byte        // random key of the names that hide other users' jobs in that state
	observers

	jobs     *jobs
	hosts    *hosts
	workers  *workers
	tokens   *tokens
	vouched  vouched
	logSlots chan struct{} // has an element for each request for a log
	issued   *auth.Ledger  // tokens that users and nodes present
	areas    sync.Mutex    // guards the creation of users' staging directories
	mask     *redact.Mask  // masks the secrets in jobs' configurations
	endings  endings
	ahead    int // number of reports that contain more than the journal; only the owner's goroutine changes it
	intake
	news
}

// identity holds the values that identify this JobTracker.
type identity struct {
	cluster string // part of the IDs of this JobTracker's jobs
	epoch   int64  // restart count
	started time.Time
	program string // ID of this program
	probe   probe
}

// observers receive the decisions of the state machine.
type observers struct {
	profiles *profiles
	metrics  *metrics
	forecast *forecast
	trend    *trend.Recorder
	events   *feed.Feed
	early    early
	record   *recorder
	global   *global // nil means that no manager moves shares between tasks
}

// intake controls the admission of new jobs.
type intake struct {
	gate  gate
	turns *turns
	keys  keyLocks // submit keys of submissions
	// outputs locks the output directories of submissions. It is separate from keys, because a client
	// can choose a key that looks like a directory.
	outputs keyLocks
	// registrations limits how often TaskTrackers register, because every registration is a fact.
	registrations *rate
}

// news wakes callers that wait for news about a tracker, a job, or a job's map outputs.
type news struct{ trackerNews, jobNews, outputNews *bells }

// New opens the journal, rebuilds the state machine from it, and binds the ports. If storage does
// not answer yet, New waits up to a minute, or until ctx ends. The JobTracker does not answer calls
// before Run.
func New(ctx context.Context, cfg Config) (*Daemon, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	d := &Daemon{cfg: cfg}
	d.started, d.profiles, d.metrics = time.Now(), newProfiles(), newMetrics()
	d.turns, d.loads = newTurns(), make(chan struct{}, maxLoads)
	d.logSlots = make(chan struct{}, logsAtOnce)
	d.states, d.opaque = make(chan struct{}, maxStates), []byte(randomHex(32))
	d.registrations = newRate(cfg.Registrations)
	d.endings.most = cfg.RetiredJobs
	self, err := program.Self()
	if err != nil {
		return nil, err
	}
	d.program = self.ID
	if d.mask, err = redact.New(cfg.Conf); err != nil {
		return nil, err
	}
	if err := d.open(ctx); err != nil {
		return nil, errors.Join(err, d.close())
	}
	return d, nil
}

func (d *Daemon) open(ctx context.Context) error {
	if err := owndir.Make(d.cfg.Dir, owndir.Private, conf.JobTrackerDir.Name); err != nil {
		return err
	}
	d.cfg.Machine.Cluster = clusterID(d.started)
	m, err := d.makeMachine()
	if err != nil {
		return err
	}
	if err := d.recover(m); err != nil {
		return err
	}
	if err := lifecycle.WritePID(d.cfg.PIDFile, os.Getpid()); err != nil {
		return err
	}
	if d.hosts, err = newHosts(&d.cfg); err != nil {
		return err
	}
	if d.probe, err = d.awaitStorage(ctx); err != nil {
		return err
	}
	if err := d.makeStagingRoot(ctx); err != nil {
		return err
	}
	if d.rpc, err = port.Listen(conf.JobTrackerAddress.Name, d.cfg.Addr, port.Most); err != nil {
		return err
	}
	d.web, err = port.Listen(conf.JobTrackerHTTPAddress.Name, d.cfg.HTTPAddr, port.Few)
	return err
}

// makeMachine creates the policies and returns an empty machine with the configured policy.
func (d *Daemon) makeMachine() (*jobtracker.Machine, error) {
	var err error
	if d.policies, err = policies.New(policies.Config{Conf: d.cfg.Conf, Catalog: d.cfg.Catalog, Scheduler: d.cfg.Scheduler,
		Reload: d.cfg.Reload, Log: d.cfg.Log}); err != nil {
		return nil, err
	}
	x := d.policies.Present()
	m, err := jobtracker.New(d.cfg.Machine, x.Policy)
	if err != nil {
		return nil, err
	}
	m.SetSpeculator(x.Speculator)
	return m, nil
}

// recover replays the journal into m and prepares the JobTracker to continue.
func (d *Daemon) recover(m *jobtracker.Machine) error {
	d.archive = archive.New(filepath.Join(d.cfg.Dir, "history"), d.cfg.Log)
	d.archive.Disk, d.archive.Shown = d.cfg.Disk, d.journalOf
	if err := d.requireJournal(); err != nil {
		return err
	}
	last, replayed := int64(0), 0
	var torn journal.Torn
	var err error
	d.journal, torn, err = journal.Open(d.cfg.Dir, d.cfg.Disk, func(e *event.Event) error {
		last = max(last, e.Time)
		replayed++
		d.archive.Replayed(e)
		return m.Apply(e)
	})
	if err != nil {
		return err
	}
	d.log = d.journal
	if torn.Bytes > 0 {
		d.cfg.Log.Warn("the journal ended in an incomplete record, which was cut off", "journal", torn.Journal,
			"at", torn.At, "bytes", torn.Bytes, "kept", torn.File)
	}
	if d.issued, err = auth.OpenLedger(filepath.Join(d.cfg.Dir, "tokens"), d.cfg.RPC.Secret); err != nil {
		return err
	}
	if d.jobs, err = openJobs(d.cfg.Dir, d.cfg.Disk, m, d.cfg.Log); err != nil {
		return err
	}
	d.jobs.limit(d.cfg.UserJobs, d.cfg.UserConf, func(info *tracker.JobInfo) string {
		return d.archive.ConfFile(job.ID{Cluster: m.ClusterID(), Seq: info.Job})
	})
	if d.cfg.RecordInputs != "" {
		if d.record, err = startRecorder(d.cfg.RecordInputs, d.cfg.Machine, d.policies.Present(), m); err != nil {
			return err
		}
	}
	clock := newClock(last)
	d.owner = newOwner(m, clock)
	d.owner.report = d.checkAhead
	d.owner.fact, d.owner.out, d.owner.BeforeRotate, d.owner.Disk = d.fact, d.out, d.archive.Sync, d.diskState
	d.archive.Live(d.owner.Do)
	d.policies.Drive(d.owner)
	d.owner.record = d.record
	now := clock.now()
	d.record.recovered(now)
	d.first = m.Recovered(now, nil)
	d.forecast, d.trend, d.events = newForecast(m), trend.New(), feed.New(keptEvents)
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

// diskState records whether the journal's disk accepts writes.
func (d *Daemon) diskState(err error) {
	if err != nil {
		d.metrics.stalled.Store(true)
		d.cfg.Log.Error("cannot write the journal; no call is answered until the disk accepts writes", "error", err)
		return
	}
	d.metrics.stalled.Store(false)
	d.cfg.Log.Info("the disk accepts the journal again")
}

// Addr returns the address at which other machines can reach the RPC server.
func (d *Daemon) Addr() string { return reachable(d.rpc.Addr()) }

// HTTPAddr returns the address at which other machines can reach the web server.
func (d *Daemon) HTTPAddr() string { return reachable(d.web.Addr()) }

// reachable returns a in a form that other machines can use. It replaces an unspecified IP address
// with this machine's name.
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

// Cluster returns the cluster identifier that appears in job IDs, and the number of times the
// JobTracker has been restarted with this directory.
func (d *Daemon) Cluster() (id string, restarts int64) { return d.cluster, d.epoch }

// Jobs returns the service for clients and web pages. Its results are snapshots. The context of a
// call identifies the caller (auth.With).
func (d *Daemon) Jobs() transport.Jobs { return &jobsService{Daemon: d} }

// Run serves until ctx ends or a component fails. Call it at most once.
func (d *Daemon) Run(ctx context.Context) error {
	s := lifecycle.NewStack(loop.Patient(ctx)) // the contexts of calls do not derive from it
	s.OnStop("journal", d.close)
	s.Start("archive", d.archive.Run)
	s.Start("owner", func(ctx context.Context) error {
		return d.owner.run(ctx, d.first, prom.Log(d.log, d.metrics.written))
	})
	s.Start("unfinished", d.settleUnfinished)
	s.Start("retired", d.loadRetired)
	s.Start("workers", d.workers.run)
	s.Start("tokens", d.tokens.run)
	s.Start("hosts", d.watchHosts)
	s.Start("policy", d.policies.Watch)
	s.Start("sweep", d.sweep)
	s.Start("trend", d.recordTrend)
	if d.cfg.Advice.Every > 0 {
		s.Start("advice", d.followAdvice)
	}
	if d.global != nil {
		s.Start("orchestrator", d.orchestrate)
	}
	s.Start("rpc", func(ctx context.Context) error { return rpc.Serve(ctx, d.server(), d.rpc) })
	s.Start("web", d.serveWeb)
	if d.cfg.GossipAddr != "" {
		s.Start("gossip", d.gossip)
	}
	d.cfg.Log.Info("JobTracker serves", "rpc", d.Addr(), "web", d.scheme()+"://"+d.HTTPAddr(),
		"scheduler", d.policies.Present().Name, "cluster", d.cluster, "security", d.cfg.Mode.String())
	return s.Wait()
}

// Close releases all resources. Use it only if Run will not be called.
func (d *Daemon) Close() error { return d.close() }

func (d *Daemon) close() error {
	var err error
	for _, l := range []*port.Listener{d.rpc, d.web} {
		if l != nil {
			l.Close() // closing a listener again is harmless if Run's servers have closed it
		}
	}
	if d.record != nil {
		err = d.record.close(d.cfg.Log)
	}
	if d.jobs != nil {
		d.jobs.close()
	}
	if d.journal != nil {
		err = errors.Join(err, d.journal.Close())
	}
	return err
}

func (d *Daemon) server() *rpc.Server {
	options := d.cfg.RPC
	options.Revoked, options.MayCall, options.Warn = d.issued.Revoked, d.policies.MayCall, d.cfg.Log.Warn
	options.Observer = prom.Observer(d.metrics.calls)
	s := rpc.NewServer(options)
	transport.Register(s, d.Jobs())
	usertokens.Register(s, d.issued, d.cfg.RPC.TLS)
	tracker.RegisterTrackersServer(s, &trackersService{Daemon: d})
	health.Register(s, func() bool { return !d.metrics.stalled.Load() })
	return s
}

func (d *Daemon) serveWeb(ctx context.Context) error {
	routes := http.NewServeMux()
	d.cfg.Process.Routes(routes.Handle, d.collectors()...)
	routes.Handle("GET /journal", webguard.Users(d.archive))
	routes.Handle("GET /what-if", webguard.Users(http.HandlerFunc(d.whatIf)))
	if d.cfg.Web != nil {
		routes.Handle("/", webguard.Users(d.cfg.Web(d)))
	}
	d.cfg.Guard.Revoked, d.cfg.Guard.MayCall = d.issued.Revoked, d.policies.MayCall
	return d.cfg.Guard.Serve(ctx, d.web, routes)
}

func (d *Daemon) gossip(ctx context.Context) error {
	node, err := gossip.Join(gossip.Config{
		Bind: d.cfg.GossipAddr, Seeds: d.cfg.GossipJoin, Key: d.cfg.GossipKey, PeersFile: filepath.Join(d.cfg.Dir, "peers"),
		Meta: gossip.Meta{Role: gossip.JobTracker, RPC: d.Addr(), HTTP: d.HTTPAddr(), Epoch: d.epoch},
		Log:  d.cfg.Log,
	})
	if err != nil {
		return err
	}
	d.cfg.Log.Info("gossip joined", "address", node.Addr())
	<-ctx.Done()
	node.Leave()
	return nil
}

// randomHex returns n random bytes as hexadecimal text.
func randomHex(n int) string {
	b := make([]byte, n)
	rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

func errf(kind failure.Kind, op, on, format string, args ...any) *failure.Error {
	return failure.New(kind, op, on, fmt.Errorf(format, args...))
}
