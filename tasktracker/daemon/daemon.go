package daemon

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/howdah/howdah/internal/cgroup"
	"github.com/howdah/howdah/internal/distcache"
	"github.com/howdah/howdah/internal/proctree"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/orchestrator"
	"github.com/howdah/howdah/shuffle"
	"github.com/howdah/howdah/tasktracker"
)

// Daemon is a TaskTracker. Make it with New, add pages with Handle, then Run it once.
type Daemon struct {
	cfg      Config
	log      *slog.Logger
	name     string // unique in the cluster: tracker_HOST:PORT
	addr     string // host:port of the HTTP server as others reach it
	listener net.Listener
	mux      *http.ServeMux
	dirs     localDirs
	jt       jobTracker
	outputs  *shuffle.Server
	cache    distcache.Store
	spawner  *proctree.Spawner
	local    *local       // nil = shares of CPU and memory stay what they are
	groups   *cgroup.Tree // nil = attempts run without control groups
	null     *os.File     // standard input of children
	trees    sync.Once

	otherLoad atomic.Int32 // share of the node's CPU that others use, in millionths

	inputs  chan tasktracker.Input
	alarm   chan struct{} // an attempt had trouble with a disk
	queries chan func()
	base    context.Context // ends with the owner goroutine
	end     context.CancelFunc
	work    sync.WaitGroup

	// What follows belongs to the owner goroutine.
	machine  *tasktracker.Machine
	out      []tasktracker.Output
	children map[int32]runner
	jobs     map[int32]*localJob
	leaving  map[int32]*localJob // purged, and its files are being removed
	line     line
	clock    clock
	fatal    error
	stopped  bool

	served served // shared with the HTTP server
}

// New checks the configuration, takes the local directories for itself, clears them of what a former TaskTracker left there, and
// listens.
func New(cfg Config) (_ *Daemon, err error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	d := &Daemon{cfg: cfg, log: cfg.Log, mux: http.NewServeMux(), dirs: localDirs{all: cfg.LocalDirs, minStart: cfg.MinSpaceStart},
		jt:     jobTracker{find: cfg.JobTracker, options: cfg.RPC},
		inputs: make(chan tasktracker.Input, 256), alarm: make(chan struct{}, 1), queries: make(chan func()),
		children: map[int32]runner{}, jobs: map[int32]*localJob{}, leaving: map[int32]*localJob{},
		served: served{tokens: map[job.ID][]byte{}}}
	d.cache.Dir, d.cache.Limit = d.dirs.pickCache, cfg.CacheSize
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
	for _, err := range broken {
		d.log.Warn("local directory is not used", "err", err)
	}
	d.served.root = filepath.Join(d.dirs.all[0], trackerDir, mapOutputs)
	if err := os.MkdirAll(d.served.root, 0o755); err != nil {
		return nil, failure.New(failure.KindOf(err), "make map output directory", d.served.root, err)
	}
	if err := os.MkdirAll(d.cfg.LogDir, 0o755); err != nil {
		return nil, failure.New(failure.KindOf(err), "make log directory", d.cfg.LogDir, err).Fix("check hadoop.log.dir")
	}
	if err := d.listen(); err != nil {
		return nil, err
	}
	d.clock = newClock()
	d.machine = tasktracker.New(tasktracker.Config{
		Slots: cfg.Slots, Incarnation: d.clock.read(), Warm: cfg.Warm, WarmDelay: warmDelay.Milliseconds(),
		KillDelay: cfg.KillDelay.Milliseconds(), IdleExit: idleExit.Milliseconds(), Retry: retryFirst.Milliseconds(), MaxRetry: retryMax.Milliseconds(),
	})
	return d, nil
}

const (
	warmDelay  = 50 * time.Millisecond // the attempt that took the warm child starts first
	idleExit   = 10 * time.Second
	retryFirst = 100 * time.Millisecond
	retryMax   = 2 * time.Second // a JobTracker that returns elsewhere is to be found within 10 s

	// goodbye bounds what a TaskTracker that stops waits for beyond the time that its children get.
	goodbye = 5 * time.Second
)

// Name gives the tracker's name in the cluster.
func (d *Daemon) Name() string { return d.name }

// Addr gives host:port of the HTTP server.
func (d *Daemon) Addr() string { return d.addr }

// Handle adds a page. It is called before Run.
func (d *Daemon) Handle(pattern string, h http.Handler) { d.mux.Handle(pattern, h) }

// Run works until ctx ends, then leaves the cluster in good order: children are stopped and the jobs' files removed. The
// error is nil then, and otherwise why the TaskTracker cannot go on.
func (d *Daemon) Run(ctx context.Context) error {
	defer d.dirs.unlock()
	null, err := os.Open(os.DevNull)
	if err != nil {
		d.listener.Close()
		return failure.New(failure.IO, "open", os.DevNull, err)
	}
	defer null.Close()
	d.null = null
	if err := d.openGroups(); err != nil {
		d.listener.Close()
		return err
	}
	if m := d.cfg.Orchestrator.Mode; d.groups != nil {
		d.local = newLocal(d.cfg.Orchestrator, d.movableMemory())
	} else if m == orchestrator.On || m == orchestrator.Watch {
		d.log.Warn("shares of tasks are not moved here, because they have no control groups")
	}
	d.spawner = proctree.NewSpawner(proctree.Namespace)
	stopHTTP := d.serveHTTP()
	d.work.Go(d.watchDisks)
	d.work.Go(d.retainLogs)
	d.work.Go(d.watchLoad)
	if d.local != nil {
		d.work.Go(d.orchestrate)
	}
	d.log.Info("TaskTracker started", "name", d.name, "http", d.addr, "map slots", d.cfg.Slots[job.Map], "reduce slots", d.cfg.Slots[job.Reduce],
		"program", d.cfg.Program.ID)

	d.own(ctx)
	d.leaveCluster()
	d.end()
	d.spawner.Close()
	stopHTTP()
	d.work.Wait()
	d.closeGroups()
	for _, j := range d.jobs {
		d.discard(j)
	}
	d.jt.close()
	d.log.Info("TaskTracker stopped", "name", d.name)
	return d.fatal
}

// own is the owner goroutine: all that changes the machine happens here.
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
			d.log.Error("children did not end in time; the kernel ends them with this process", "children", len(d.children))
			return
		}
		if d.fatal != nil {
			stop()
		}
		d.rearm(timer)
	}
}

// rearm sets the timer for the machine's next deadline, and for at most a second, by which the clock notices pauses.
func (d *Daemon) rearm(timer *time.Timer) {
	now := d.clock.read()
	d.clock.due = now + 1000
	if next := d.machine.NextDeadline(); next != 0 {
		d.clock.due = max(now, min(next, d.clock.due))
	}
	timer.Reset(time.Duration(d.clock.due-now) * time.Millisecond)
}

// post hands an input to the owner. It gives up when there is no owner any more.
func (d *Daemon) post(in tasktracker.Input) {
	select {
	case d.inputs <- in:
	case <-d.base.Done():
	}
}

// ask runs f in the owner goroutine and reports whether it did.
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

// step feeds the machine and carries out what it wants. Nothing in here waits for anybody.
func (d *Daemon) step(in *tasktracker.Input) {
	in.Now = d.clock.now()
	d.out = d.machine.Step(in, d.out[:0])
	for i := range d.out {
		d.carryOut(&d.out[i], in)
	}
	switch {
	case in.Kind == tasktracker.InExited:
		delete(d.children, in.Child) // the machine does not speak of it any more
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
		report := toReport(o.Report)
		report.OtherLoad = d.otherLoad.Load()
		report.Shares, report.Unheld = d.local.report(), d.local.unheldLimits()
		d.beat(report)
	case tasktracker.OutLocalise:
		d.startLocalising(o.Job)
	case tasktracker.OutPurge:
		d.purge(o.Job)
	case tasktracker.OutSpawn:
		d.spawn(o.Child, o.Job)
	case tasktracker.OutLaunch:
		d.launch(o.Child, o.Attempt)
	case tasktracker.OutClean:
		d.clean(o.Attempt, o.Keep, in.Kind != tasktracker.InDone)
	case tasktracker.OutExit:
		d.children[o.Child].leave()
	case tasktracker.OutTerm:
		d.children[o.Child].stop()
	case tasktracker.OutKill:
		d.work.Go(d.children[o.Child].kill) // where there are no namespaces this looks at every process
	case tasktracker.OutStopped:
		d.stopped = true
	case tasktracker.OutIgnored:
		d.log.Debug("ignored", "input", in.Kind, "child", in.Child, "job", in.Job, "why", o.Text)
	}
}
