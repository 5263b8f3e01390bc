package daemon

import (
	"context"
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/internal/rpc"
	wire "github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job/heartbeat"
	"github.com/howdah/howdah/tasktracker"
)

// Link connects the state machine of a simulated TaskTracker to a real JobTracker, which cannot
// distinguish it from a Daemon. Benchmarks use it to simulate thousands of TaskTrackers. At most one
// call of Call may run at a time.
type Link struct {
	Name string // of the TaskTracker and its host
	// Tap receives the duration of each successful heartbeat.
	Tap func(time.Duration)

	conn        *grpc.ClientConn
	calls       wire.TrackersClient
	slots       [2]int32
	incarnation int64
	tracker     int32
	stop        context.CancelFunc // ends the WaitForWork call of this registration
	waits       sync.WaitGroup
}

// NewLink prepares a connection to the JobTracker at addr. The caller must call Close.
func NewLink(addr string, o rpc.Options, name string, slots [2]int32) (*Link, error) {
	conn, err := rpc.Dial(addr, o)
	if err != nil {
		return nil, err
	}
	return &Link{Name: name, conn: conn, calls: wire.NewTrackersClient(conn), slots: slots, stop: func() {},
		Tap: func(time.Duration) {}}, nil
}

// Close ends all calls.
func (l *Link) Close() {
	l.stop()
	l.conn.Close()
	l.waits.Wait()
}

// Call makes the call that an OutRegister, OutBeat, or OutLocalize of the machine requests, and
// returns the resulting input. After a registration, it calls news whenever the JobTracker has work
// for the TaskTracker. For OutLocalize, Call also returns the output directory of the job.
func (l *Link) Call(ctx context.Context, o *tasktracker.Output, news func()) (in tasktracker.Input, output string) {
	call, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var err error
	switch o.Kind {
	case tasktracker.OutRegister:
		in, err = l.register(call, o.Incarnation)
		if err == nil {
			l.await(ctx, news)
		}
	case tasktracker.OutBeat:
		in, err = l.beat(call, o.Report)
	case tasktracker.OutLocalize:
		j, err := l.getJob(ctx, o.Job)
		for silent(err) && lifecycle.Sleep(ctx, retryFirst) == nil { // like a Daemon, wait for a busy JobTracker
			j, err = l.getJob(ctx, o.Job)
		}
		if err != nil {
			return tasktracker.Input{Kind: tasktracker.InJobRefused, Job: o.Job, Text: err.Error()}, ""
		}
		return tasktracker.Input{Kind: tasktracker.InJobReady, Job: o.Job, JobInfo: tasktracker.JobInfo{
			Timeout: j.GetTaskTimeout(), TasksPerChild: j.GetTasksPerChild(), OwnProgram: true}}, j.GetOutputDir()
	}
	if err != nil {
		return tasktracker.Input{Kind: tasktracker.InLost, Text: err.Error()}, ""
	}
	return in, ""
}

func (l *Link) getJob(ctx context.Context, seq int32) (*wire.JobInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return l.calls.GetJob(ctx, &wire.GetJobRequest{Tracker: l.tracker, Job: seq})
}

func (l *Link) register(ctx context.Context, incarnation int64) (in tasktracker.Input, err error) {
	l.stop()
	l.incarnation = incarnation
	r, err := l.calls.Register(ctx, &wire.RegisterRequest{Protocol: rpc.Protocol, Name: l.Name, Host: l.Name,
		Rack: "/default-rack", Addr: l.Name + ":50060", Incarnation: incarnation, MapSlots: l.slots[0],
		ReduceSlots: l.slots[1], MemoryMb: 1 << 14, Vcores: 4})
	l.tracker = r.GetTracker()
	return tasktracker.Input{Kind: tasktracker.InRegistered, Tracker: r.GetTracker(), Epoch: r.GetEpoch(),
		Cluster: r.GetCluster()}, err
}

func (l *Link) beat(ctx context.Context, report *heartbeat.Report) (in tasktracker.Input, err error) {
	m := toReport(report)
	if m.Full {
		m.Addr = l.Name + ":50060"
	}
	begun := time.Now()
	d, err := l.calls.Beat(ctx, m)
	if err == nil {
		l.Tap(time.Since(begun))
	}
	return tasktracker.Input{Kind: tasktracker.InDesired, Desired: fromDesired(d)}, err
}

// await keeps one WaitForWork call waiting at the JobTracker until the next registration.
func (l *Link) await(ctx context.Context, news func()) {
	ctx, l.stop = context.WithCancel(ctx)
	tracker, incarnation := l.tracker, l.incarnation
	l.waits.Go(func() {
		awaitWork(ctx, tracker, incarnation, news, func(ctx context.Context, r *wire.WaitRequest) (*wire.WaitReply, error) {
			return l.calls.WaitForWork(ctx, r)
		})
	})
}
