package jobtracker

import (
	"errors"
	"fmt"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
)

// Machine is the JobTracker's state machine. It is used by one goroutine at a time.
//
// Life: New, then Apply for every fact of an existing journal, then Recovered once (also when there was no journal), then
// Step for ever. Step decides facts and applies them with the very function that replay uses.
type Machine struct {
	cfg        Config
	policy     scheduler.Policy
	containers bool             // the policy places by memory
	speculator scheduler.Policy // nil = none
	now        int64

	// Durable: what facts rebuild.
	cluster  string
	starts   int64 // how often a JobTracker started on this journal
	jobs     map[int32]*jobState
	order    []int32 // all known jobs, by sequence number
	running  []int32 // those in state Running
	ending   []int32 // those in state Committing or Aborting
	chores   []int32 // those whose set-up or clean-up task waits for a tracker
	finished []int32 // those that are over, in the order in which they ended
	used     seqSet  // job numbers that were ever used
	keys     map[string]int32
	trackers map[int32]*tracker
	handles  []int32 // all known trackers, lost ones too
	live     []int32
	avoided  []int32 // live trackers that the cluster has blacklisted
	lastID   int32   // highest tracker handle
	nameIDs  map[string]int32
	names    []machineName
	rackOf   map[string]string
	topology int64 // grows when rackOf changes
	totals   scheduler.Totals
	pending  [2]int64 // tasks that want an attempt, over all running jobs

	limitsUntil int64 // when limits are lifted unless they are renewed; 0 = there are none, or nobody to renew them

	speculable int // running jobs that allow speculation

	// Not durable.
	excluded  []string
	beats     beatList
	unsure    []*attempt // launched and not yet confirmed, oldest first; cleaned lazily
	unsureAt  int
	grew      bool       // some pending count grew in this step
	nextWake  int        // where in live the next round of waking starts
	answering *tracker   // whose beat this step answers
	told      []*tracker // with news of this step
	fault     error      // first fact that the tables refused: a bug of ours

	out     []Output
	pool    []*event.Event
	poolN   int
	desired Desired
}

// New builds an empty machine. The policy hears Reset in Recovered.
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
		cfg: cfg, policy: policy, containers: usesContainers(policy), cluster: cfg.Cluster, topology: 1,
		jobs: map[int32]*jobState{}, keys: map[string]int32{}, trackers: map[int32]*tracker{},
		nameIDs: map[string]int32{}, rackOf: map[string]string{},
	}, nil
}

// Step takes one input and appends what was decided to out. All facts come before the reply that rests on them; the caller
// makes them durable before it lets anything else out. What the outputs point to is valid until the next Step; the machine
// keeps what Spec and AttemptReport.Manifest of the input point to.
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

// Err is the first fact that the machine decided and its own rules then refused. It is nil unless the machine has a bug.
func (m *Machine) Err() error { return m.fault }

// fact gives an empty fact to fill in and emit.
func (m *Machine) fact(t event.Type) *event.Event {
	if m.poolN == len(m.pool) {
		m.pool = append(m.pool, &event.Event{})
	}
	e := m.pool[m.poolN]
	m.poolN++
	*e = event.Event{Type: t, Time: m.now}
	return e
}

// emit applies a fact, puts it out and tells the policy. A fact that the rules refuse is a bug: it is kept for Err, and the
// state stays as it was.
func (m *Machine) emit(e *event.Event) {
	if err := m.Apply(e); err != nil {
		if m.fault == nil {
			m.fault = err
		}
		return
	}
	m.out = append(m.out, Output{Kind: OutFact, Job: e.Job, Tracker: e.Tracker, Event: e})
	if isChore(e) {
		return // policies know of maps and reduces
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

// wake tells trackers that have news: a change of what they shall run, or a chance to get work. It wakes no more trackers
// for work than tasks are waiting.
func (m *Machine) wake() {
	if m.grew {
		m.grew = false
		m.offer()
	}
	for _, t := range m.told {
		if t.news && t != m.answering && !t.lost {
			m.out = append(m.out, Output{Kind: OutWake, Tracker: t.view.Handle})
			t.woken = true
		}
		t.news = false
	}
	m.told = m.told[:0]
}

// tell marks a tracker as having news.
func (m *Machine) tell(t *tracker) {
	if !t.news {
		t.news = true
		m.told = append(m.told, t)
	}
}

// offer marks trackers with free slots as having news. It starts each time where it ended the last time, so that small jobs
// do not all land on the same trackers.
func (m *Machine) offer() {
	want := m.pending[job.Map] + m.pending[job.Reduce] + int64(len(m.chores))
	for _, h := range m.live {
		if t := m.trackers[h]; t.woken && m.hasChance(t) {
			want--
		}
	}
	n := len(m.live)
	for i := 0; i < n && want > 0; i++ {
		at := (m.nextWake + i) % n
		t := m.trackers[m.live[at]]
		if t == m.answering || t.woken || t.news || !m.hasChance(t) {
			continue
		}
		m.tell(t)
		want--
		if want == 0 {
			m.nextWake = (at + 1) % n
		}
	}
}

// hasChance tells whether a tracker could take some of the waiting work.
func (m *Machine) hasChance(t *tracker) bool {
	return trackerWorks(t) && (m.pending[job.Map]+m.pending[job.Reduce] > 0 || len(m.chores) > 0) && m.hasRoom(t)
}
