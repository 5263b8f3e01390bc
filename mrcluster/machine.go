package mrcluster

import (
	"errors"

	"github.com/howdah/howdah/internal/ordered"
	"github.com/howdah/howdah/job/failure"
)

// Machine is the manager. It is used by one goroutine at a time.
//
// Life: New, then Apply for every fact of an existing journal, then Recovered once (also when there was no journal), then
// Step for ever.
type Machine struct {
	cfg   Config
	terms []Term // of the weighting policy
	now   int64

	// Durable: what facts rebuild.
	clusters         map[string]*cluster
	nodes            map[string]*node
	order            []*node // all nodes, by name
	tickets          int64
	deployments      int64
	reconfigurations int64

	// Not durable.
	cycleAt   int64   // when shares are worked out next
	accounted int64   // until when discrimination is summed up
	global    float64 // the global discrimination factor of the last cycle
	fault     error   // first fact that the tables refused: a bug of ours
	out       []Output
}

// New builds an empty manager.
func New(cfg Config, w Weighting) (*Machine, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if w == nil {
		return nil, failure.New(failure.Config, "start the manager", "", errors.New("no weighting policy given"))
	}
	return &Machine{cfg: cfg, terms: termsOf(w), clusters: map[string]*cluster{}, nodes: map[string]*node{}}, nil
}

// Recovered ends the replay. Nodes get a full expiry to be heard of, and work that was under way is asked for again.
func (m *Machine) Recovered(now int64, out []Output) []Output {
	m.now = max(m.now, now)
	m.out = out
	m.cycleAt = m.now + m.cfg.Interval
	m.account()
	for _, n := range m.order {
		n.heard = m.now
	}
	for _, c := range ordered.All(m.clusters) {
		c.idleSince, c.idleTold = m.now, false
		c.overall, c.fraction, c.elapsed = c.overallNow(), 0, 0
	}
	m.settle()
	return m.end()
}

// Step takes one input and appends what was decided to out. All facts come before the reply that rests on them; the caller
// makes them durable before it lets anything else out. The machine keeps what Spec of the input points to.
func (m *Machine) Step(in *Input, out []Output) []Output {
	m.out = out
	m.advance(in.Now)
	reply := m.take(in)
	m.settle()
	if in.Kind == InReport && reply.Err == nil {
		reply.Desired = m.desired(m.nodes[in.Report.Node])
	}
	if in.Req != 0 {
		reply.Kind, reply.Req = OutReply, in.Req
		m.out = append(m.out, reply)
	}
	return m.end()
}

func (m *Machine) end() []Output {
	out := m.out
	m.out = nil
	return out
}

func (m *Machine) take(in *Input) (reply Output) {
	switch in.Kind {
	case InTick:
	case InCreate:
		reply.Err = m.create(in.Spec)
	case InJob:
		reply.Err = m.job(in.Cluster)
	case InRemove:
		reply.Err = m.remove(in.Cluster, in.Discard)
	case InReport:
		reply.Err = m.report(in.Report)
	case InSample:
		m.takeSample(in)
	case InLoaded:
		m.loaded(in)
	case InSaved:
		m.saved(in)
	default:
		reply.Err = failure.New(failure.Internal, "step", "", errors.New("unknown kind of input"))
	}
	return reply
}

// Err is the first fact that the manager decided and its own rules then refused. It is nil unless there is a bug.
func (m *Machine) Err() error { return m.fault }

// emit applies a fact and puts it out.
func (m *Machine) emit(f Fact) bool {
	f.Time = m.now
	if err := m.Apply(&f); err != nil {
		if m.fault == nil {
			m.fault = err
		}
		return false
	}
	m.out = append(m.out, Output{Kind: OutFact, Fact: &f})
	return true
}

// advance moves the clock; what is due by then is done by settle.
func (m *Machine) advance(now int64) {
	m.now = max(m.now, now)
	m.account()
}

// settle does everything that can be done now: it is called after every input, and calling it twice changes nothing more.
func (m *Machine) settle() {
	m.expire()
	m.follow()
	if m.now >= m.cycleAt {
		m.cycle()
		m.cycleAt = m.now + m.cfg.Interval
	}
	m.admit()
	m.makeRoom()
	m.shrink()
	m.place()
}

// NextDeadline is when an InTick is due, in ms since the epoch.
func (m *Machine) NextDeadline() int64 {
	at := m.cycleAt
	sooner := func(t int64) {
		if t > m.now {
			at = min(at, t)
		}
	}
	for _, n := range m.order {
		if n.state != Lost {
			sooner(n.heard + m.expiry(n))
		}
		switch n.state {
		case Lost:
			sooner(n.since + m.cfg.MasterExpiry)
		case Starting:
			sooner(n.since + m.cfg.startTimeout(n.cluster))
		case Draining:
			sooner(n.since + m.cfg.DrainTimeout)
		}
		sooner(n.avoid)
		sooner(n.keep)
	}
	for _, c := range m.byName() {
		sooner(c.retryAt)
		if c.state == Active && c.idleSince > 0 && c.idleTold {
			sooner(c.idleSince + m.cfg.idleAfter())
		}
	}
	return max(m.now, at)
}

// byName gives all MR-clusters by name.
func (m *Machine) byName() []*cluster {
	out := make([]*cluster, 0, len(m.clusters))
	for _, c := range ordered.All(m.clusters) {
		out = append(out, c)
	}
	return out
}
