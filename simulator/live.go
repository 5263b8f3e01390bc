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

// Live is a simulated cluster under somebody else's clock: he says when jobs are submitted and when nodes come and go, and
// several of them can share one clock. All times are ms since the epoch, those of the jobs too.
// Its TaskTrackers are stubs. It is used by one goroutine.
type Live struct {
	e    *engine
	told int           // results that were handed out
	kept *bytes.Buffer // the journal, nil = it is not kept
	back *restart      // nil = the JobTracker is there
}

// TaskTime says how long a task takes on a node, given what the trace says: shuffle and rest of a reduce, or only rest of a map.
// It is asked when the task starts, of a reduce that waited for maps when they end.
type TaskTime func(node int, j *trace.Job, t job.TaskType, shuffle, rest int64) (int64, int64)

// NewLive starts a JobTracker without nodes. Of the configuration, Trackers, Nodes, Plan and Sample mean nothing here. taskTime
// may be nil: as the trace says.
func NewLive(c Config, now int64, taskTime TaskTime) (*Live, error) {
	c.Trackers, c.Nodes, c.Plan = 1, nil, nil // for the checks; nodes are added
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
	e.now, e.specs = now, replay.Specs{}
	e.plan.base = now
	if taskTime != nil {
		e.plan.timer = func(t *task, shuffle, rest int64) (int64, int64) {
			return taskTime(t.node.index, e.jobs[t.id.Job].times.Job(), t.id.Type, shuffle, rest)
		}
	}
	e.take(e.m.Recovered(now, e.buffer()))
	if c.Speculator != nil {
		e.m.SetSpeculator(c.Speculator)
	}
	l.e = e
	return l, e.err
}

// noJobs is a source without jobs.
type noJobs struct{}

func (noJobs) Next() (*trace.Job, error) { return nil, io.EOF }

// Next is when something happens next; never, the largest number, if nothing does.
func (l *Live) Next() int64 {
	at := int64(never)
	if l.Down() {
		at = l.back.at
	} else if len(l.e.wakeups) > 0 {
		at = l.e.wakeups[0].due
		if l.e.deadline > 0 {
			at = min(at, l.e.deadline)
		}
	}
	return max(at, l.e.now)
}

// RunTo lets everything happen up to and at a time.
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

// Submit hands in a job. A job that the JobTracker does not take has failed at once.
func (l *Live) Submit(j *trace.Job) error {
	l.e.next = j
	if err := l.e.fetchSpec(); err != nil {
		l.e.next = nil
		return err
	}
	l.e.submit()
	return l.e.err
}

// Add starts a TaskTracker and gives the number of its node.
func (l *Live) Add() (node int, err error) {
	l.e.join(len(l.e.nodes))
	return len(l.e.nodes) - 1, l.e.err
}

// Remove takes a node away, in good order or, with lost, without a word: what ran there runs again elsewhere, and maps whose
// output lay there too.
func (l *Live) Remove(node int, lost bool) error {
	kind := faultLeave
	if lost || l.Down() {
		kind = faultLose
	}
	l.e.plan.hit(l.e, l.e.nodes[node], fault{kind: kind})
	return l.e.err
}

// Drain empties a node, so that it may be removed without loss, or with DrainOff lets it work again.
func (l *Live) Drain(node int, how jobtracker.Drain) error {
	r := l.e.step(inDrain, &jobtracker.Input{Kind: jobtracker.InDrain, Req: 1, Name: l.e.nodes[node].name, Drain: how})
	if r.Err != nil {
		return r.Err
	}
	return l.e.err
}

// Running is how many attempts a node has.
func (l *Live) Running(node int) int { return len(l.e.nodes[node].tasks) }

// Drained reports whether nothing on a node is needed any more.
func (l *Live) Drained(node int) bool {
	return l.e.m.DrainInfo(l.e.nodes[node].report.Tracker).Done > 0
}

// View is the JobTracker as its policy sees it.
func (l *Live) View() scheduler.View { return l.e.m }

// Job gives the trace's job that has a sequence number, nil if it is over.
func (l *Live) Job(seq int32) *trace.Job {
	if j := l.e.jobs[seq]; j != nil {
		return j.times.Job()
	}
	return nil
}

// Unfinished is how many jobs are not over.
func (l *Live) Unfinished() int { return len(l.e.jobs) }

// Finished gives the jobs that ended since it was last asked.
func (l *Live) Finished() []trace.JobResult {
	new := l.e.results[l.told:]
	l.told = len(l.e.results)
	return new
}

// Hash is the hash of the journal so far: equal hashes mean equal decisions.
func (l *Live) Hash() string {
	l.e.journal.flush()
	return l.e.journal.hash()
}
