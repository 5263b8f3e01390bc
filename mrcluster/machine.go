package mrcluster

import (
	"cmp"
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/howdah/howdah/job/failure"
)

// Machine is the manager's state machine. It is not safe for concurrent use.
//
// Call New, then Apply for every fact of an existing journal, then Recovered once (even without a
// journal). After that, change the Machine only through Step.
type Machine struct {
	cfg   Config
	terms []Term // terms of the weighting policy
	now   int64

	// The durable state, which the machine rebuilds from facts.
	clusters         map[string]*cluster
	byName           []*cluster // the same, sorted by name; replaced, never changed in place
	nodes            map[string]*node
	order            []*node // all nodes, ordered by name
	tickets          int64
	deployments      int64
	reconfigurations int64

	// The state that is not durable.
	cycleAt   int64   // time of the next computation of shares
	accounted int64   // time until which discrimination has been summed
	global    float64 // global discrimination factor of the last cycle
	starts    took    // the starts of nodes
	drains    took    // completed drains
	fault     error   // error for the first fact that emit could not apply, which indicates a bug
	out       []Output
}

// New returns a machine for an empty pool.
func New(cfg Config, w Weighting) (*Machine, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if w == nil {
		return nil, failure.New(failure.Config, "start the manager", "", errors.New("no weighting policy is set"))
	}
	return &Machine{cfg: cfg, terms: termsOf(w), clusters: map[string]*cluster{}, nodes: map[string]*node{}}, nil
}

// Recovered completes the recovery. It allows each node a full expiry time to report, repeats the
// orders for interrupted loads and saves, and appends the machine's decisions to out.
func (m *Machine) Recovered(now int64, out []Output) []Output {
	m.now = max(m.now, now)
	m.out = out
	m.cycleAt = m.now + m.cfg.Interval
	m.account()
	for _, n := range m.order {
		n.heard = m.now
	}
	for _, c := range m.byName {
		c.idleSince, c.idleTold = m.now, false
		c.overall, c.fraction, c.elapsed = c.overallNow(), 0, 0
	}
	m.settle()
	return m.out
}

// Step processes an input and appends the machine's decisions to out. All facts precede the replies
// that depend on them. The caller must make the facts durable before it releases the other outputs.
// The machine retains the input's Spec.
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
	return m.out
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
	case InGrow:
		reply.Err = m.grow(in.Cluster, in.Nodes)
	case InReport:
		reply.Err = m.report(in.Report)
	case InSample:
		m.takeSample(in)
	case InLoaded:
		m.loaded(in)
	case InSaved:
		m.saved(in)
	default:
		reply.Err = failure.New(failure.Internal, "step", "", errors.New("the kind of input is unknown"))
	}
	return reply
}

// Err returns an error for the first decision that violated the machine's own rules. It is nil
// unless the machine has a bug.
func (m *Machine) Err() error { return m.fault }

// emit applies a fact and appends it to the output. If Apply rejects the fact, emit records the
// error and returns false.
func (m *Machine) emit(f Fact) bool {
	f.Time, f.Reason = m.now, clip(f.Reason)
	if err := m.Apply(&f); err != nil {
		if m.fault == nil {
			m.fault = err
		}
		return false
	}
	m.out = append(m.out, Output{Kind: OutFact, Fact: &f})
	return true
}

// maxReason is the maximum length of a fact's reason, in bytes. A reason can quote an agent's error.
const maxReason = 4096

// clip truncates s to maxReason bytes without splitting a character.
func clip(s string) string {
	if len(s) <= maxReason {
		return s
	}
	end := maxReason
	for !utf8.RuneStart(s[end]) && end > 0 {
		end--
	}
	return s[:end]
}

// advance sets the time. settle then handles expired deadlines.
func (m *Machine) advance(now int64) {
	m.now = max(m.now, now)
	m.account()
}

// settle makes all decisions that are possible now. Step calls it after every input. It is
// idempotent.
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

// NextDeadline returns the time of the next required InTick, in milliseconds since the epoch.
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
	for _, c := range m.byName {
		sooner(c.retryAt)
		if c.state == Active && c.idleTold {
			sooner(c.idleSince + m.cfg.idleAfter())
		}
	}
	return max(m.now, at)
}

func (m *Machine) put(c *cluster) {
	m.clusters[c.spec.Name] = c
	i, _ := m.seek(c.spec.Name)
	m.byName = slices.Insert(slices.Clone(m.byName), i, c)
}

// drop removes an MR-cluster, which must exist.
func (m *Machine) drop(name string) {
	delete(m.clusters, name)
	i, _ := m.seek(name)
	m.byName = slices.Delete(slices.Clone(m.byName), i, i+1)
}

// seek returns the index of an MR-cluster in byName, or the index at which to insert it.
func (m *Machine) seek(name string) (i int, found bool) {
	return slices.BinarySearchFunc(m.byName, name, func(c *cluster, name string) int {
		return cmp.Compare(c.spec.Name, name)
	})
}
