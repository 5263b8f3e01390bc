package daemon

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/cgroup"
	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/internal/distcache"
	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/internal/owndir"
	"github.com/howdah/howdah/internal/port"
	"github.com/howdah/howdah/internal/proctree"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/orchestrator"
	"github.com/howdah/howdah/task/shuffle"
	"github.com/howdah/howdah/tasktracker"
)

// Daemon is a TaskTracker. Create it with New, add pages with Handle, then call Run once.
type Daemon struct {
	cfg      Config
	log      *slog.Logger
	name     string // unique within the cluster: tracker_HOST:PORT
	addr     string // host:port of the HTTP server, for other hosts
	listener *port.Listener
	mux      *http.ServeMux
	dirs     localDirs
	jt       jobTracker
	outputs  *shuffle.Server
	fetches  *prometheus.HistogramVec // requests to outputs
	cache    distcache.Store
	programs sync.Mutex // guards the removal of damaged programs
	kept     disk.Checker
	spawner  *proctree.Spawner
	local    *local       // nil if the CPU and memory shares of attempts never change
	groups   *cgroup.Tree // nil if attempts run without control groups
	null     *os.File     // standard input of all children
	trees    sync.Once

	otherLoad atomic.Int32 // share of the node's CPU that other programs use, in millionths

	inputs  chan tasktracker.Input
	alarm   chan struct{} // receives a token when an attempt has failed because of a disk problem
	queries chan func()
	large   chan struct{}   // contains a token for each large message from a child that is in memory
	base    context.Context // canceled when the owner goroutine ends
	end     context.CancelFunc
	work    sync.WaitGroup

	// The fields below belong to the owner goroutine.
	machine  *tasktracker.Machine
	out      []tasktracker.Output
	children map[int32]runner
	jobs     map[int32]*localJob
	leaving  map[int32]*localJob // purged jobs whose files are still being removed
	remains  remains             // files of ended jobs that could not yet be removed
	line     line
	clock    clock
	fatal    error
	stopped  bool

	future map[string]time.Time // for expireLogs: when it first saw log directories with times in the future

	served  served // shared with the HTTP server
	revoked revoked
}

// New validates the configuration, locks the local directories, writes the PID file, removes the
// files of an earlier TaskTracker, and opens the HTTP port.
func New(cfg Config) (_ *Daemon, err error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	d := &Daemon{cfg: cfg, log: cfg.Log, mux: http.NewServeMux(),
		dirs:   localDirs{all: cfg.LocalDirs, minStart: cfg.MinSpaceStart},
		jt:     jobTracker{find: cfg.JobTracker, options: cfg.RPC},
		inputs: make(chan tasktracker.Input, 256), alarm: make(chan struct{}, 1), queries: make(chan func()),
		large:    make(chan struct{}, maxLarge),
		children: map[int32]runner{}, jobs: map[int32]*localJob{}, leaving: map[int32]*localJob{},
		served: served{tokens: map[job.ID][]byte{}}}
	d.cache.Dir, d.cache.Limit, d.cache.Archives = d.dirs.pickCache, cfg.CacheSize, cfg.Archives
	d.cache.Damaged = func(err error) { d.log.Warn("a cached file is damaged; it will be fetched again", "err", err) }
	cfg.Guard.Revoked = d.revoked.has
	if cfg.RPC.Proof != nil && !cfg.RPC.Proof.Secret() {
		cfg.Guard.Ask = d.jt.checkWeb
	}
	d.base, d.end = context.WithCancel(context.Background())
	broken, err := d.dirs.sweep()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			d.dirs.unlock()
		}
	}()
	if err := lifecycle.WritePID(cfg.PIDFile, os.Getpid()); err != nil {
		return nil, err
	}
	for _, err := range broken {
		d.log.Warn("cannot use a local directory", "err", err)
	}
	d.served.root = filepath.Join(d.dirs.all[0], trackerDir, mapOutputs)
	if err := makeOpen(d.served.root); err != nil {
		return nil, err
	}
	if err := d.makeLogDir(); err != nil {
		return nil, err
	}
	if err := d.listen(); err != nil {
		return nil, err
	}
	d.clock = newClock()
	d.machine = tasktracker.New(tasktracker.Config{
		Slots: cfg.Slots, Incarnation: d.clock.read(), Warm: cfg.Warm, WarmDelay: warmDelay.Milliseconds(),
		KillDelay: cfg.KillDelay.Milliseconds(), IdleExit: idleExit.Milliseconds(), JobsPerChild: cfg.ChildJobs,
		Retry: retryFirst.Milliseconds(), MaxRetry: retryMax.Milliseconds(),
		Shares: cfg.Orchestrator.Mode == orchestrator.On || cfg.Orchestrator.Mode == orchestrator.Watch,
	})
	return d, nil
}

// makeLogDir creates the directory that contains the logs of all attempts.
func (d *Daemon) makeLogDir() error {
	for _, dir := range []string{d.cfg.LogDir, filepath.Join(d.cfg.LogDir, userLogs)} {
		if err := owndir.Make(dir, owndir.Crossed(), conf.HadoopLogDir.Name); err != nil {
			return err
		}
	}
	return nil
}

const (
	warmDelay  = 50 * time.Millisecond // lets the attempt that took the last warm child start first
	idleExit   = 10 * time.Second
	retryFirst = 100 * time.Millisecond
	retryMax   = 2 * time.Second // short enough to find a JobTracker at a new address within 10 s

	// goodbye is how long a stopping TaskTracker waits for its children to exit, in addition to
	// Config.KillDelay.
	goodbye = 5 * time.Second
)

// Name returns the tracker's name in the cluster.
func (d *Daemon) Name() string { return d.name }

// Addr returns the host:port of the HTTP server.
func (d *Daemon) Addr() string { return d.addr }

// Handle adds a page to the HTTP server. Call it before Run.
func (d *Daemon) Handle(pattern string, h http.Handler) { d.mux.Handle(pattern, h) }

// Run runs the TaskTracker until ctx is canceled. It then stops the children, removes the jobs'
// files, and returns nil. If the TaskTracker cannot continue, Run returns an error.
func (d *Daemon) Run(ctx context.Context) error {
	s := lifecycle.NewStack(ctx)
	onStop := func(name string, stop func()) {
		s.OnStop(name, func() error { stop(); return nil })
	}
	onStop("local directories", d.dirs.unlock)
	null, err := os.Open(os.DevNull)
	if err != nil {
		err = failure.New(failure.IO, "open", os.DevNull, err)
	} else {
		d.null = null
		s.OnStop("standard input", null.Close)
		err = d.openGroups()
	}
	if err != nil {
		d.listener.Close()
		return errors.Join(err, s.Stop())
	}
	if m := d.cfg.Orchestrator.Mode; d.groups != nil {
		d.local = newLocal(d.cfg.Orchestrator, d.movableMemory())
	} else if m == orchestrator.On || m == orchestrator.Watch {
		d.log.Warn("the orchestrator cannot set limits on this node: tasks have no control groups")
	}
	if d.cfg.Users.changesUsers() {
		d.spawner = proctree.NewConfined(proctree.Namespace)
	} else {
		d.spawner = proctree.NewSpawner(proctree.Namespace)
	}
	onStop("calls", d.jt.close)
	onStop("jobs' files", func() {
		for _, j := range d.jobs {
			d.discard(j)
		}
	})
	onStop("control groups", d.closeGroups)
	onStop("children", d.work.Wait)
	s.Start("http", d.serveHTTP)
	onStop("spawner", d.spawner.Close)
	s.Start("disks", d.watchDisks)
	s.Start("logs", d.retainLogs)
	s.Start("log limits", d.limitLogs)
	s.Start("load", d.watchLoad)
	if d.local != nil {
		s.Start("orchestrator", d.orchestrate)
	}
	d.log.Info("TaskTracker started", "name", d.name, "http", d.addr,
		"map slots", d.cfg.Slots[job.Map], "reduce slots", d.cfg.Slots[job.Reduce], "program", d.cfg.Program.ID,
		"tasks run as", d.cfg.Users.String(), "security", d.cfg.Mode.String())
	s.Start("owner", d.run)
	err = s.Wait()
	d.log.Info("TaskTracker stopped", "name", d.name)
	return err
}

// run is the owner goroutine. When it returns, it cancels base so that callers waiting for the
// owner return.
func (d *Daemon) run(ctx context.Context) error {
	defer d.end()
	d.own(ctx)
	d.leaveCluster()
	return d.fatal
}

// own is the owner's loop. Only this goroutine changes the machine.
func (d *Daemon) own(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	done := ctx.Done()
	var deadline <-chan time.Time
	stop := func() {
		if deadline == nil {
			done = nil
			deadline = time.After(d.cfg.KillDelay + goodbye)
			d.step(&tasktracker.Input{Kind: tasktracker.InStop})
		}
	}
	for !d.stopped {
		select {
		case in := <-d.inputs:
			d.step(&in)
		case f := <-d.queries:
			f()
		case <-timer.C:
			d.step(&tasktracker.Input{Kind: tasktracker.InTick})
		case <-done:
			stop()
		case <-deadline:
			d.log.Error("children are still running; the kernel ends them with this process", "children", len(d.children))
			return
		}
		if d.fatal != nil {
			stop()
		}
		d.rearm(timer)
	}
}

// rearm sets the timer to the machine's next deadline, at most one second ahead. The limit lets the
// clock detect pauses.
func (d *Daemon) rearm(timer *time.Timer) {
	now := d.clock.read()
	d.clock.due = now + 1000
	if next := d.machine.NextDeadline(); next != 0 {
		d.clock.due = max(now, min(next, d.clock.due))
	}
	timer.Reset(time.Duration(d.clock.due-now) * time.Millisecond)
}

// post sends an input to the owner. If the owner has ended, post has no effect.
func (d *Daemon) post(in tasktracker.Input) {
	select {
	case d.inputs <- in:
	case <-d.base.Done():
	}
}

// ask runs f in the owner goroutine. It reports whether f ran.
func (d *Daemon) ask(f func()) bool {
	done := make(chan struct{})
	select {
	case d.queries <- func() { f(); close(done) }:
		<-done
		return true
	case <-d.base.Done():
		return false
	}
}

// step passes an input to the machine and carries out the outputs. It never blocks.
func (d *Daemon) step(in *tasktracker.Input) {
	in.Now = d.clock.now()
	d.out = d.machine.Step(in, d.out[:0])
	for i := range d.out {
		d.carryOut(&d.out[i], in)
	}
	switch {
	case in.Kind == tasktracker.InDesired:
		d.tellShares() // the advice in the response changes the shares
	case in.Kind == tasktracker.InExited:
		delete(d.children, in.Child) // the machine no longer refers to the child
	case in.Kind == tasktracker.InFailed && (in.Failure == failure.DiskFull || in.Failure == failure.IO):
		select {
		case d.alarm <- struct{}{}:
		default:
		}
	}
}

func (d *Daemon) carryOut(o *tasktracker.Output, in *tasktracker.Input) {
	switch o.Kind {
	case tasktracker.OutRegister:
		d.register(o.Incarnation)
	case tasktracker.OutBeat:
		d.beat(toReport(o.Report))
	case tasktracker.OutLocalize:
		d.startLocalizing(o.Job)
	case tasktracker.OutPurge:
		d.purge(o.Job)
	case tasktracker.OutSpawn:
		d.spawn(o.Child, o.Job)
	case tasktracker.OutLaunch:
		d.launch(o.Child, o.Attempt, o.Offset)
	case tasktracker.OutClean:
		d.clean(o.Attempt, o.Keep, in.Kind != tasktracker.InDone)
	case tasktracker.OutExit:
		d.children[o.Child].leave()
	case tasktracker.OutTerm:
		d.children[o.Child].stop()
	case tasktracker.OutKill:
		d.work.Go(d.children[o.Child].kill) // scans all processes if there are no namespaces
	case tasktracker.OutShares:
		d.local.hear(o.Desired)
	case tasktracker.OutStopped:
		d.stopped = true
	case tasktracker.OutIgnored:
		d.log.Debug("ignored", "input", in.Kind, "child", in.Child, "job", in.Job, "why", o.Text)
	}
}
