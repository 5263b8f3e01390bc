package daemon

import (
	"slices"

	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/status"
)

// ledger is the manager's state outside its machine. It is not durable. After a restart, the agents
// report endpoints and drains again, and the machine orders copies again. The field recent is
// restored from the journal, and the counts in decided start at 0. Only the owner goroutine uses
// it.
type ledger struct {
	last      int64 // number of the last drain or copy; begins at the incarnation
	endpoints map[string]endpoints
	drains    map[string]*drain // by node
	copies    map[string]order  // by MR-cluster
	recent    []mrcluster.Fact  // oldest first
	decided   map[mrcluster.FactKind]int64
}

// endpoints contains the addresses of the daemons on an MR-cluster's master.
type endpoints struct {
	deployment int64
	at         status.Endpoints
}

// drain is the state of a leaving node, as reported by the master of its MR-cluster.
type drain struct {
	id      int64
	cluster string
	left    int64
	done    bool
	problem string
}

// order is a copy that the master of an MR-cluster must perform.
type order struct {
	id         int64
	deployment int64
	save       bool
}

// maxRecent is the maximum number of recent decisions on pages.
const maxRecent = 200

func newLedger(incarnation int64) *ledger {
	return &ledger{last: incarnation, endpoints: map[string]endpoints{}, drains: map[string]*drain{},
		copies: map[string]order{}, decided: map[mrcluster.FactKind]int64{}}
}

func (l *ledger) next() int64 {
	l.last++
	return l.last
}

// recovered restores the drains that were in progress when the manager stopped.
func (l *ledger) recovered(m *mrcluster.Machine) {
	for _, n := range m.View().Nodes {
		if n.State == mrcluster.Draining {
			l.drains[n.Name] = &drain{id: l.next(), cluster: n.Cluster, left: n.Left}
		}
	}
}

// replayed keeps a fact for the page of recent decisions, unless the fact is not a decision.
func (l *ledger) replayed(f *mrcluster.Fact) {
	if f.Kind == mrcluster.Snapshot || f.Kind == mrcluster.Measured { // not a decision
		return
	}
	if len(l.recent) == 2*maxRecent {
		l.recent = slices.Delete(l.recent, 0, maxRecent)
	}
	l.recent = append(l.recent, *f)
}

// fact updates the ledger after a decision of the machine.
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

// order records a copy that the machine orders.
func (l *ledger) order(o *mrcluster.Output) {
	l.copies[o.Cluster] = order{l.next(), o.Deployment, o.Kind == mrcluster.OutSave}
}

// overlay adds a node's drain progress, as reported by the master, to the node's report.
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
