package daemon

import (
	"context"
	"time"

	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/internal/rpc"
	wire "github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/tasktracker"
)

// line is the owner goroutine's state of the connection to the JobTracker.
type line struct {
	tracker     int32
	incarnation int64
	probe       probe
	stopWaiting context.CancelFunc // cancels the waiting WaitForWork call of this registration
	silent      bool               // the last call got no response
}

const (
	callTimeout = 5 * time.Second
	// parkFor is how long a call waits for news. Without news, 10,000 TaskTrackers repeat it 17 times
	// per second.
	parkFor     = 10 * time.Minute
	parkTimeout = parkFor + 15*time.Second
)

// call calls f with a client in the background and posts the input that f returns. If the call
// fails, it posts InLost instead.
func (d *Daemon) call(f func(context.Context, wire.TrackersClient) (tasktracker.Input, error)) {
	d.work.Go(func() {
		ctx, cancel := context.WithTimeout(d.base, callTimeout)
		defer cancel()
		var in tasktracker.Input
		err := d.jt.call(ctx, func(ctx context.Context, c wire.TrackersClient) (err error) {
			in, err = f(ctx, c)
			return err
		})
		if err != nil {
			in = tasktracker.Input{Kind: tasktracker.InLost, Text: err.Error()}
		}
		d.ask(func() { d.noteAnswer(err) })
		d.post(in)
	})
}

// noteAnswer logs when the JobTracker stops responding and when it responds again. If the
// JobTracker rejects the TaskTracker permanently, noteAnswer makes the TaskTracker exit.
func (d *Daemon) noteAnswer(err error) {
	switch {
	case rejected(err):
		d.fatal = err
	case err != nil && !d.line.silent:
		d.log.Warn("the JobTracker does not answer; attempts continue and calls are retried", "err", err)
	case err == nil && d.line.silent:
		d.log.Info("the JobTracker answers again")
	}
	d.line.silent = err != nil
}

// rejected reports whether err means that the JobTracker rejects this TaskTracker permanently.
func rejected(err error) bool {
	return !silent(err) && (failure.Is(err, failure.Stale) || failure.Is(err, failure.Permission))
}

func (d *Daemon) register(incarnation int64) {
	if d.line.stopWaiting != nil {
		d.line.stopWaiting()
		d.line.stopWaiting = nil
	}
	req := &wire.RegisterRequest{Protocol: rpc.Protocol, Name: d.name, Host: d.cfg.Host, Rack: d.cfg.Rack, Addr: d.addr,
		Incarnation: incarnation,
		MapSlots:    d.cfg.Slots[0], ReduceSlots: d.cfg.Slots[1], MemoryMb: d.cfg.Memory, Vcores: d.cfg.VCores,
		Program: d.cfg.Program.ID}
	d.call(func(ctx context.Context, c wire.TrackersClient) (tasktracker.Input, error) {
		r, err := c.Register(ctx, req)
		if err != nil {
			return tasktracker.Input{}, err
		}
		d.ask(func() { d.registered(r, incarnation) })
		return tasktracker.Input{Kind: tasktracker.InRegistered, Tracker: r.GetTracker(), Epoch: r.GetEpoch(),
			Cluster: r.GetCluster()}, nil
	})
}

func (d *Daemon) registered(r *wire.RegisterReply, incarnation int64) {
	d.log.Info("registered", "tracker", r.GetTracker(), "cluster", r.GetCluster(), "incarnation", incarnation)
	d.line.tracker = r.GetTracker()
	d.line.incarnation = incarnation
	d.line.probe = probe{path: r.GetProbePath(), text: r.GetProbeText()}
	if d.cfg.WaitForWork {
		ctx, cancel := context.WithCancel(d.base)
		d.line.stopWaiting = cancel
		d.work.Go(func() { d.waitForWork(ctx, r.GetTracker(), incarnation) })
	}
}

func (d *Daemon) beat(report *wire.Report) {
	if report.Full { // including the first report after a JobTracker restart
		report.Addr = d.addr
	}
	report.Revocations = d.revoked.known(report.Epoch)
	fit(report, d.cfg.RPC.MaxMessage)
	d.call(func(ctx context.Context, c wire.TrackersClient) (tasktracker.Input, error) {
		r, err := c.Beat(ctx, report)
		if err != nil {
			return tasktracker.Input{}, err
		}
		d.revoked.add(r)
		return tasktracker.Input{Kind: tasktracker.InDesired, Desired: fromDesired(r)}, nil
	})
}

// waitForWork keeps one call waiting at the JobTracker, which responds as soon as it has news for
// this TaskTracker. waitForWork then posts InNews.
func (d *Daemon) waitForWork(ctx context.Context, tracker int32, incarnation int64) {
	awaitWork(ctx, tracker, incarnation, func() { d.post(tasktracker.Input{Kind: tasktracker.InNews}) },
		func(ctx context.Context, r *wire.WaitRequest) (reply *wire.WaitReply, err error) {
			err = d.jt.call(ctx, func(ctx context.Context, c wire.TrackersClient) error {
				reply, err = c.WaitForWork(ctx, r)
				return err
			})
			return reply, err
		})
}

// awaitWork repeats a WaitForWork call until ctx is canceled. It calls news after each response that
// announces news.
func awaitWork(ctx context.Context, tracker int32, incarnation int64, news func(),
	call func(context.Context, *wire.WaitRequest) (*wire.WaitReply, error)) {
	for version := uint64(0); ; {
		begun := time.Now()
		limited, cancel := context.WithTimeout(ctx, parkTimeout)
		reply, err := call(limited, &wire.WaitRequest{Tracker: tracker, Incarnation: incarnation, Version: version,
			WaitMillis: parkFor.Milliseconds()})
		cancel()
		if err == nil {
			version = reply.GetVersion()
		}
		wait := time.Duration(0)
		switch {
		case err == nil && reply.GetNews():
			news()
		case time.Since(begun) < retryMax:
			wait = retryMax / 4
		}
		if lifecycle.Sleep(ctx, wait) != nil {
			return
		}
	}
}

// leaveCluster deregisters this TaskTracker from the JobTracker. If the call fails, the JobTracker
// expires the TaskTracker instead.
func (d *Daemon) leaveCluster() {
	if d.line.tracker == 0 || d.line.silent {
		return
	}
	ctx, cancel := context.WithTimeout(d.base, time.Second)
	defer cancel()
	err := d.jt.call(ctx, func(ctx context.Context, c wire.TrackersClient) error {
		_, err := c.Leave(ctx, &wire.LeaveRequest{Tracker: d.line.tracker, Incarnation: d.line.incarnation})
		return err
	})
	if err != nil {
		d.log.Debug("cannot deregister from the JobTracker", "err", err)
	}
}
