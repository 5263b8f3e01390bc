package daemon

import (
	"slices"

	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/mrcluster"
)

// ledger is what the manager knows beside its machine. All of it is told again after a restart, so none of it is durable. It
// belongs to the owner's goroutine.
type ledger struct {
	last      int64 // number of the last drain or copy; numbers of two managers differ
	endpoints map[string]endpoints
	drains    map[string]*drain // by node
	copies    map[string]order  // by MR-cluster
	recent    []mrcluster.Fact  // the latest last
	decided   map[mrcluster.FactKind]int64
}

// endpoints are where an MR-cluster's master listens.
type endpoints struct {
	deployment int64
	at         *pool.Endpoints
}

// drain is a node on its way out, as its MR-cluster's master tells.
type drain struct {
	id      int64
	cluster string
	left    int64
	done    bool
	problem string
}

// order is a copy that the master of an MR-cluster is to make.
type order struct {
	id         int64
	deployment int64
	save       bool
}

// maxRecent bounds the decisions that pages show.
const maxRecent = 200

func newLedger(incarnation int64) *ledger {
	return &ledger{last: incarnation, endpoints: map[string]endpoints{}, drains: map[string]*drain{}, copies: map[string]order{}, decided: map[mrcluster.FactKind]int64{}}
}

func (l *ledger) next() int64 {
	l.last++
	return l.last
}

// recovered takes up what was under way when the manager went down.
func (l *ledger) recovered(m *mrcluster.Machine) {
	for _, n := range m.View().Nodes {
		if n.State == mrcluster.Draining {
			l.drains[n.Name] = &drain{id: l.next(), cluster: n.Cluster, left: n.Left}
		}
	}
}

// replayed keeps a fact of the journal for the page.
func (l *ledger) replayed(f *mrcluster.Fact) {
	if f.Kind == mrcluster.Snapshot || f.Kind == mrcluster.Measured { // no decisions
		return
	}
	if len(l.recent) == 2*maxRecent {
		l.recent = slices.Delete(l.recent, 0, maxRecent)
	}
	l.recent = append(l.recent, *f)
}

// fact follows what the machine decides.
func (l *ledger) fact(f *mrcluster.Fact) {
	l.replayed(f)
	l.decided[f.Kind]++
	switch f.Kind {
	case mrcluster.NodeDraining:
		l.drains[f.Node] = &drain{id: l.next(), cluster: f.Cluster}
	case mrcluster.NodeKept, mrcluster.NodeReleased, mrcluster.NodeLost:
		delete(l.drains, f.Node)
	case mrcluster.ClusterEnded, mrcluster.ClusterRetried:
		for node, d := range l.drains {
			if d.cluster == f.Cluster {
				delete(l.drains, node)
			}
		}
		delete(l.endpoints, f.Cluster)
		delete(l.copies, f.Cluster)
	case mrcluster.ClusterActive, mrcluster.ClusterSaving, mrcluster.ClusterRemoved:
		delete(l.copies, f.Cluster)
	}
}

// order takes what the machine wants to have copied.
func (l *ledger) order(o *mrcluster.Output) {
	l.copies[o.Cluster] = order{l.next(), o.Deployment, o.Kind == mrcluster.OutSave}
}

// overlay adds to a node's report what the master of its MR-cluster says of its drain.
func (l *ledger) overlay(r *mrcluster.Report) {
	d := l.drains[r.Node]
	if d == nil {
		return
	}
	for i := range r.Runs {
		if run := &r.Runs[i]; run.Cluster == d.cluster {
			run.Left = d.left
			if d.problem != "" {
				run.Err = d.problem
			}
			if d.done {
				run.Phase = mrcluster.PhaseDrained
			}
		}
	}
}
