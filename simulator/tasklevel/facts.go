package tasklevel

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker/history"
	"github.com/howdah/howdah/simulator/trace"
)

// sum computes a hash over all events, in fixed-size records.
type sum struct {
	h   hash.Hash
	buf []byte
}

const (
	sumRecord = 20
	sumBlock  = 4096 * sumRecord
)

func newSum() *sum { return &sum{h: sha256.New(), buf: make([]byte, 0, sumBlock)} }

// add adds an event to the hash. It packs the time, limited to 48 bits, together with the event
// kind and the slot kind.
func (s *sum) add(now int64, k kind, t job.Task, tracker int32, slot job.TaskType) {
	n := len(s.buf)
	if n == sumBlock {
		s.h.Write(s.buf)
		n = 0
	}
	s.buf = s.buf[:n+sumRecord]
	b := s.buf[n : n+sumRecord]
	binary.LittleEndian.PutUint64(b, uint64(now)<<16|uint64(k)<<8|uint64(slot))
	binary.LittleEndian.PutUint64(b[8:], uint64(uint32(t.Job))<<32|uint64(uint32(t.Index)))
	binary.LittleEndian.PutUint32(b[16:], uint32(tracker))
}

// String returns the hash in hexadecimal. Callers must not add events afterward.
func (s *sum) String() string {
	s.h.Write(s.buf)
	s.buf = s.buf[:0]
	return hex.EncodeToString(s.h.Sum(nil))
}

// facts passes events to the policy in the form of the real JobTracker's facts and, if requested,
// writes them to the journal. It reuses one value of each type, so unchanged fields remain set.
type facts struct {
	job, started, finished, task event.Event

	w   *journal
	err error
}

type journal struct {
	e   *engine
	buf []byte
}

func (f *facts) begin(e *engine) {
	f.started = event.Event{Type: event.AttemptStarted, Locality: job.NoData}
	f.finished = event.Event{Type: event.AttemptFinished}
	f.task = event.Event{Type: event.TaskFinished, TaskState: job.TaskSucceeded}
	if e.cfg.Journal == nil {
		return
	}
	f.w = &journal{e: e, buf: history.AppendHeader(nil)}
	f.write(&event.Event{Type: event.Started, Time: e.now, Name: trace.SimulatedCluster})
	for i := range e.trackers {
		t := &e.trackers[i]
		f.write(&event.Event{Type: event.TrackerJoined, Time: e.now, Tracker: t.Handle, Name: t.Name, Host: t.Host,
			Rack: t.Rack, Incarnation: 1, Slots: t.Slots})
	}
}

// write appends the fact to the journal.
func (f *facts) write(x *event.Event) {
	if f.err != nil {
		return
	}
	if f.w.buf, f.err = history.AppendRecord(f.w.buf, x); len(f.w.buf) >= 1<<16 && f.err == nil {
		f.err = f.flush()
	}
}

// flush writes the buffered facts and returns the first error.
func (f *facts) flush() error {
	if f.w == nil || f.err != nil {
		return f.err
	}
	_, err := f.w.e.cfg.Journal.Write(f.w.buf)
	f.w.buf = f.w.buf[:0]
	if err != nil {
		return failure.New(failure.IO, "write journal", "", err)
	}
	return nil
}

func (e *engine) tell(x *event.Event) {
	x.Time = e.now
	if e.facts.w != nil && x.Type != event.JobRetired { // a JobTracker that opens the journal shows all jobs
		e.facts.write(x)
	}
	e.policy.Observe(e, x)
}

func (e *engine) tellJob(t event.Type, j *jobState) {
	x := &e.facts.job
	*x = event.Event{Type: t, Job: j.view.Seq}
	switch t {
	case event.JobSubmitted:
		x.Spec = j.view.Spec
	case event.JobFinished:
		x.JobState = job.Succeeded
	}
	e.tell(x)
}

func (e *engine) tellStarted(t *task) {
	x, a := &e.facts.started, &t.attempt
	x.Job, x.Attempt, x.Tracker, x.Slot = a.ID.Job, a.ID, a.Tracker, a.Slot
	e.tell(x)
}

func (e *engine) tellFinished(t *task) {
	x, a := &e.facts.finished, &t.attempt
	x.Job, x.Attempt, x.Tracker, x.State = a.ID.Job, a.ID, a.Tracker, a.State
	x.Kind = 0
	if a.State == job.AttemptKilled {
		x.Kind = failure.Killed
	}
	x.ShuffleDone, x.SortDone = a.ShuffleDone, a.SortDone
	e.tell(x)
}

func (e *engine) tellTask(t *task) {
	x, a := &e.facts.task, &t.attempt
	x.Job, x.Attempt, x.Tracker = a.ID.Job, a.ID, a.Tracker
	e.tell(x)
}
