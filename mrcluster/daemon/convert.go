package daemon

import (
	"errors"
	"fmt"

	"github.com/howdah/howdah/internal/transport/manager"
	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/status"
)

// This file converts between the types of the machine and those of the wire protocol.

// maxRuns is the maximum number of deployments that a node can report.
const maxRuns = 100

func reportFromWire(r *pool.ReportRequest) (*mrcluster.Report, error) {
	out := &mrcluster.Report{Node: r.GetNode(), Addr: r.GetAddr(), Agent: r.GetAgent()}
	if len(r.GetRunning()) > maxRuns {
		return nil, failure.New(failure.Limit, "report a node", r.GetNode(),
			fmt.Errorf("the node reports %d deployments", len(r.GetRunning())))
	}
	for _, x := range r.GetRunning() {
		if x.GetPhase() > uint32(mrcluster.PhaseDrained) {
			return nil, failure.New(failure.Usage, "report a node", r.GetNode(), fmt.Errorf("phase %d is unknown", x.GetPhase()))
		}
		out.Runs = append(out.Runs, mrcluster.Running{Cluster: x.GetCluster(), Deployment: x.GetDeployment(),
			Phase: mrcluster.Phase(x.GetPhase()), Left: x.GetLeft(), Doing: x.GetDoing(), Err: x.GetError()})
	}
	return out, nil
}

// desiredFromWire converts the manager's reply to an agent.
func desiredFromWire(r *pool.ReportReply) (d mrcluster.Desired, err error) {
	d = mrcluster.Desired{Cluster: r.GetCluster(), Deployment: r.GetDeployment(), Master: r.GetMaster(),
		Drain:      r.GetDrain(),
		MasterNode: r.GetMasterNode(), MasterAddr: r.GetMasterAddr(), Staying: r.GetStaying(), Saving: r.GetSaving(),
		Coming: mrcluster.Coming{Now: int(r.GetComing().GetNow()), Then: int(r.GetComing().GetThen()),
			After: r.GetComing().GetAfterMs()}}
	if d.Cluster == "" {
		return mrcluster.Desired{}, nil
	}
	if d.Kind, err = manager.KindOf(r.GetKind()); err != nil {
		return d, err
	}
	if d.Spec, err = manager.SpecFromWire(r.GetSpec()); err != nil {
		return d, err
	}
	for _, l := range r.GetLeaving() {
		d.Leaving = append(d.Leaving, l.GetNode())
	}
	if d.Spec.Name != d.Cluster || d.Deployment < 1 || d.Kind == 0 {
		return d, failure.New(failure.Corrupt, "read the desired state of", d.Cluster,
			errors.New("the manager's answer is inconsistent"))
	}
	return d, d.Spec.Validate()
}

func eventOf(f *mrcluster.Fact) *status.Event {
	e := &status.Event{TimeMs: f.Time, Fact: f.Kind, Cluster: f.Cluster, Node: f.Node, Kind: f.NodeKind, Reason: f.Reason}
	if f.Spec != nil {
		e.Cluster = f.Spec.Name
	}
	for _, s := range f.Shares {
		e.Shares = append(e.Shares, status.Share{Cluster: s.Cluster, Nodes: s.Nodes, Weight: s.Weight,
			Discrimination: s.Discrimination})
	}
	return e
}
