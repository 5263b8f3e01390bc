package jobtracker

import (
	"errors"
	"fmt"

	"github.com/howdah/howdah/internal/ordered"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/heartbeat"
	"github.com/howdah/howdah/scheduler"
)

// Machine is the JobTracker's state machine. It is not safe for concurrent use.
//
// Call New, then Apply for every fact of an existing journal, then Recovered once (even without a
// journal). After that, call Step for every input. Step and the replay of a journal apply facts
// with the same function.
type Machine struct {
	cfg        Config
	policy     scheduler.Policy
	containers bool             // the policy uses containers
	speculator scheduler.Policy // nil = none
	now        int64

	// The durable state, which the machine rebuilds from facts.
	cluster  string
	starts   int64 // number of JobTracker starts on this journal
	jobs     ordered.Window[jobState]
	order    []int32          // numbers of all known jobs, ascending
	running  []int32          // jobs in state Running
	ending   []int32          // jobs in state Committing or Aborting
	chores   []int32          // jobs whose setup or cleanup task waits for a tracker
	finished []int32          // finished jobs, ordered by finish time
	used     seqSet           // all job numbers ever used
	keys     map[string]int32 // job numbers by submit key
	trackers ordered.Window[tracker]
	handles  []int32          // all known trackers, including lost ones
	live     []int32          // live trackers
	avoided  []int32          // live trackers that the cluster has blacklisted
	lastID   int32            // highest tracker handle
	nameIDs  map[string]int32 // index in names by tracker name
	names    []machineName
	rackOf   map[string]string // rack by host
	topology int64             // version of rackOf
	totals   scheduler.Totals
	pending  [2]int64 // pending tasks of running jobs, by type; reduces count only after the slow start

	limitsUntil int64 // when the machine lifts all limits; 0 = no attempt has limits; not durable

	speculable int // number of running jobs that allow speculation

	// The state that is not durable.
	excluded  []string
	numbers   []int32 // see ascending
	beats     beatList
	unsure    []*attempt // launched attempts that may be unconfirmed, oldest first; confirmed ones are removed lazily
	unsureAt  int        // index in unsure of the first attempt that is not yet removed
	grew      bool       // this step added pending tasks or room for them, so wake must offer work
	nextWake  int        // index in live where the next offer starts
	open      handles    // trackers with room for work that the machine has not woken
	awaited   int64      // number of trackers with room for work that have not reported since the machine woke them
	answering *tracker   // tracker whose beat this step processes
	told      []*tracker // trackers with news from this step
	lines     []*attempt // see sift
	unheard   []*tracker // trackers that are unheard; others are removed lazily
	ripe      []job.Task // tasks to compact before the next step
	fault     error      // first fact that Apply rejected in Step, which indicates a bug in howdah

	out     []Output
	pool    []*event.Event
	poolN   int
	desired heartbeat.Desired
}

// New returns an empty machine. It does not reset the policy; Recovered does.
func New(cfg Config, policy scheduler.Policy) (*Machine, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if policy == nil {
		return nil, failure.New(failure.Config, "start the JobTracker", "", errors.New("no scheduler given"))
	}
	if cfg.RecoveryGrace == 0 {
		cfg.RecoveryGrace = cfg.Expiry
	}
	return &Machine{
		cfg: cfg, policy: policy, containers: scheduler.UsesContainers(policy), cluster: cfg.Cluster, topology: 1,
		keys: map[string]int32{}, nameIDs: map[string]int32{}, rackOf: map[string]string{},
	}, nil
}

// Step processes an input and appends the machine's decisions to out. All facts precede the replies
// that depend on them. The caller must make the facts durable before it releases the other outputs.
// The values that the outputs point to are valid until the next Step. The machine retains the
// input's Spec and AttemptReport.Manifest.
func (m *Machine) Step(in *Input, out []Output) []Output {
	m.begin(in.Now, out)
	switch in.Kind {
	case InTick:
		m.tick()
		m.reply(in, Output{})
	case InSubmit:
		m.submit(in)
	case InKillJob:
		m.killJob(in)
	case InSetPriority:
		m.setPriority(in)
	case InSetDeadline:
		m.setDeadline(in)
	case InKillAttempt:
		m.endAttempt(in, job.AttemptKilled)
	case InFailAttempt:
		m.endAttempt(in, job.AttemptFailed)
	case InRegister:
		m.register(in)
	case InBeat:
		m.beat(in)
	case InCommitDone:
		m.commitDone(in)
	case InAbortDone:
		m.abortDone(in)
	case InCanCommit:
		m.canCommit(in)
	case InLimits:
		m.limit(in)
	case InDrain:
		m.drain(in)
	case InMoveJob:
		m.moveJob(in)
	case InPublished:
		m.published(in)
	case InGrace:
		m.grace(in.Millis)
		m.reply(in, Output{})
	case InTrackerLeave:
		m.leave(in)
	case InHosts:
		m.excludeHosts(in.Hosts)
		m.reply(in, Output{})
	case InSetPolicy:
		m.changePolicy(in)
	case InSetSpeculator:
		m.changeSpeculator(in)
	default:
		m.refuse(in, failure.New(failure.Internal, "step", fmt.Sprintf("input kind %d", in.Kind), errors.New("unknown kind")))
	}
	return m.end()
}

func (m *Machine) begin(now int64, out []Output) {
	m.compact()
	m.now = max(m.now, now)
	m.out = out
	m.poolN = 0
}

func (m *Machine) end() []Output {
	m.wake()
	m.answering = nil
	out := m.out
	m.out = nil
	return out
}

// Err returns an error for the first decision that violated the machine's own rules. It is nil
// unless the machine has a bug.
func (m *Machine) Err() error { return m.fault }

// fact returns a fact of the given type for the caller to complete and emit.
func (m *Machine) fact(t event.Type) *event.Event {
	if m.poolN == len(m.pool) {
		m.pool = append(m.pool, &event.Event{})
	}
	e := m.pool[m.poolN]
	m.poolN++
	*e = event.Event{Type: t, Time: m.now}
	return e
}

// emit applies a fact, appends it to the outputs, and passes it to the policies unless isChore
// hides it from them. If the rules reject the fact, the machine has a bug. emit then keeps the
// error for Err and leaves the state unchanged.
func (m *Machine) emit(e *event.Event) {
	if err := m.Apply(e); err != nil {
		if m.fault == nil {
			m.fault = err
		}
		return
	}
	m.out = append(m.out, Output{Kind: OutFact, Job: e.Job, Tracker: e.Tracker, Event: e})
	if isChore(e) {
		return // policies observe only maps and reduces
	}
	m.policy.Observe(m, e)
	if m.speculator != nil {
		m.speculator.Observe(m, e)
	}
}

func (m *Machine) reply(in *Input, o Output) {
	if in.Req == 0 {
		return
	}
	o.Kind, o.Req = OutReply, in.Req
	m.out = append(m.out, o)
}

func (m *Machine) refuse(in *Input, err *failure.Error) { m.reply(in, Output{Err: err}) }
