package simulator

import (
	"bytes"
	"io"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/simulator/replay"
	"github.com/howdah/howdah/simulator/trace"
)

// Live is a simulated cluster whose caller controls the clock, submits jobs, and adds and removes
// nodes. Several clusters can share one clock. All times, including those of the jobs, are in ms
// since the epoch. The TaskTrackers are stubs. A Live is not safe for concurrent use.
type Live struct {
	e    *engine
	told int           // number of results returned so far
	kept *bytes.Buffer // the journal; nil if it is not kept
	back *restart      // nil if the JobTracker is up
}

// TaskTime returns the durations in ms of the shuffle and of the rest of a task on a node. shuffle
// and rest are the corresponding durations in the trace. For a map, shuffle is 0, and only the
// second result counts. The simulator calls TaskTime when a task starts. For a reduce that waited
// for maps, it calls TaskTime when the maps end.
type TaskTime func(node int, j *trace.Job, t job.TaskType, shuffle, rest int64) (int64, int64)

// NewLive starts a JobTracker without nodes. It ignores the configuration's Trackers, Nodes, Plan,
// Follow, Switches, and Sample. If taskTime is nil, tasks take as long as in the trace.
func NewLive(c Config, now int64, taskTime TaskTime) (*Live, error) {
	c.Trackers, c.Nodes, c.Plan, c.Follow, c.Switches = 1, nil, nil, nil, nil // passes the checks; nodes are added later
	if err := c.validate(); err != nil {
		return nil, err
	}
	l := &Live{}
	if c.KeepJournal {
		l.kept = &bytes.Buffer{}
		c.Journal = l.kept
	}
	e, err := newEngine(&c, noJobs{})
	if err != nil {
		return nil, err
	}
	if c.Journal == nil {
		e.journal = nil // only the hash in a Result needs it
	}
	e.live, e.now, e.specs = true, now, replay.Specs{}
	e.plan.base = now
	e.shares = c.Shares.begin(e)
	if taskTime != nil {
		e.plan.timer = func(t *task, shuffle, rest int64) (int64, int64) {
			return taskTime(t.node.index, e.jobs[t.id.Job].job, t.id.Type, shuffle, rest)
		}
	}
	e.take(e.m.Recovered(now, e.buffer()))
	if c.Speculator != nil {
		e.m.SetSpeculator(c.Speculator)
	}
	l.e = e
	return l, e.err
}

type noJobs struct{}

func (noJobs) Next() (*trace.Job, error) { return nil, io.EOF }

// Next returns the time of the next event. If no event remains, it returns math.MaxInt64.
func (l *Live) Next() int64 {
	at := int64(never)
	if l.Down() {
		at = l.back.at
	} else if len(l.e.wakeups) > 0 {
		at = min(l.e.wakeups[0].due, l.e.shares.due())
		if l.e.deadline > 0 {
			at = min(at, l.e.deadline)
		}
	}
	return max(at, l.e.now)
}

// RunTo processes all events up to and including time t.
func (l *Live) RunTo(t int64) error {
	for l.e.err == nil && l.Next() <= t {
		if l.Down() {
			l.e.fail(l.recover())
		} else {
			l.e.once()
		}
	}
	l.e.now = max(l.e.now, t)
	return l.e.err
}

// Submit submits the job. If the JobTracker rejects it, the job fails immediately.
func (l *Live) Submit(j *trace.Job) error {
	l.e.next = j
	if err := l.e.fetchSpec(); err != nil {
		l.e.next = nil
		return err
	}
	l.e.submit()
	return l.e.err
}

// Add starts a TaskTracker and returns the number of its node.
func (l *Live) Add() (node int, err error) {
	l.e.join(len(l.e.nodes))
	return len(l.e.nodes) - 1, l.e.err
}

// Remove removes the node. The node's TaskTracker leaves gracefully unless lost is set or the
// JobTracker is down. The node's running tasks run again elsewhere, as do maps whose output was on
// the node and is still needed.
func (l *Live) Remove(node int, lost bool) error {
	kind := faultLeave
	if lost || l.Down() {
		kind = faultLose
	}
	l.e.plan.hit(l.e, l.e.nodes[node], fault{kind: kind})
	return l.e.err
}

// Load sets the share of the node's CPU that other tenants use, from 0 to 1. See Load in Plan.
func (l *Live) Load(node int, share float64, slots bool) {
	n := l.e.nodes[node]
	n.load(l.e, millionths(share), slots)
	l.e.wakeups.fix(n)
}

// Drain starts or changes the drain of the node. DrainOff ends the drain.
func (l *Live) Drain(node int, how jobtracker.Drain) error {
	r := l.e.step(inDrain, &jobtracker.Input{Kind: jobtracker.InDrain, Req: 1, Name: l.e.nodes[node].name, Drain: how})
	if r.Err != nil {
		return r.Err
	}
	return l.e.err
}

// Running returns the number of attempts on the node.
func (l *Live) Running(node int) int { return len(l.e.nodes[node].tasks) }

// Drained reports whether the node has finished draining. If it has, Remove loses no work.
func (l *Live) Drained(node int) bool {
	return l.e.m.DrainInfo(l.e.nodes[node].report.Tracker).Done > 0
}

// View returns the JobTracker as its policy sees it.
func (l *Live) View() scheduler.View { return l.e.m }

// Policy returns the JobTracker's policy.
func (l *Live) Policy() scheduler.Policy { return l.e.m.Policy() }

// SetPolicy replaces the JobTracker's policy, as an administrator can. If the JobTracker is down,
// the policy is ignored.
func (l *Live) SetPolicy(p scheduler.Policy) error {
	if l.Down() {
		return nil
	}
	r := l.e.step(inPolicy, &jobtracker.Input{Kind: jobtracker.InSetPolicy, Req: 1, Policy: p})
	if r.Err != nil {
		return r.Err
	}
	return l.e.err
}

// Job returns the trace's job with the given sequence number, or nil if the job has ended.
func (l *Live) Job(seq int32) *trace.Job {
	if j := l.e.jobs[seq]; j != nil {
		return j.job
	}
	return nil
}

// Unfinished returns the number of unfinished jobs.
func (l *Live) Unfinished() int { return len(l.e.jobs) }

// Finished returns the jobs that ended since the previous call.
func (l *Live) Finished() []trace.JobResult {
	new := l.e.results[l.told:]
	l.told = len(l.e.results)
	return new
}
