package daemon

import (
	"errors"
	"fmt"

	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
)

// This file translates between the machine's words and those on the wire.

// SpecToWire gives a request as it is sent.
func SpecToWire(s *mrcluster.Spec) *pool.Spec {
	return &pool.Spec{Name: s.Name, Core: int32(s.Core), Grow: kindName(s.Grow), Hdfs: s.HDFS, Load: copiesToWire(s.Load), Save: copiesToWire(s.Save),
		Binary: s.Binary, Conf: s.Conf}
}

func specFromWire(s *pool.Spec) (*mrcluster.Spec, error) {
	grow, err := kindOf(s.GetGrow())
	if err != nil {
		return nil, err
	}
	return &mrcluster.Spec{Name: s.GetName(), Core: int(s.GetCore()), Grow: grow, HDFS: s.GetHdfs(), Load: copiesFromWire(s.GetLoad()),
		Save: copiesFromWire(s.GetSave()), Binary: s.GetBinary(), Conf: s.GetConf()}, nil
}

func copiesToWire(list []mrcluster.Copy) (out []*pool.Copy) {
	for _, c := range list {
		out = append(out, &pool.Copy{From: c.From, To: c.To})
	}
	return out
}

func copiesFromWire(list []*pool.Copy) (out []mrcluster.Copy) {
	for _, c := range list {
		out = append(out, mrcluster.Copy{From: c.GetFrom(), To: c.GetTo()})
	}
	return out
}

// kindName is "" for no kind.
func kindName(k mrcluster.Kind) string {
	text, _ := k.MarshalText() // never fails
	return string(text)
}

func kindOf(name string) (k mrcluster.Kind, err error) {
	if err := k.UnmarshalText([]byte(name)); err != nil {
		return 0, failure.New(failure.Usage, "read kind of node", name, err).Fix("transient (TR) and transient-core (TC) are known")
	}
	return k, nil
}

func sampleToWire(s *mrcluster.Sample) *pool.Sample {
	out := &pool.Sample{Jobs: s.Jobs, WaitingJobs: s.WaitingJobs, WaitingTasks: s.WaitingTasks, WaitingBytes: s.WaitingBytes, Bytes: s.Bytes, RunningTasks: s.RunningTasks,
		Slots: s.Slots, JobsDone: s.JobsDone, TasksDone: s.TasksDone, Written: s.Written, Storage: s.Storage, Slowdown: s.Slowdown}
	for _, b := range s.Stored {
		out.Stored = append(out.Stored, &pool.Stored{Node: b.Node, Bytes: b.Bytes})
	}
	return out
}

func sampleFromWire(s *pool.Sample) *mrcluster.Sample {
	out := &mrcluster.Sample{Jobs: s.GetJobs(), WaitingJobs: s.GetWaitingJobs(), WaitingTasks: s.GetWaitingTasks(), WaitingBytes: s.GetWaitingBytes(), Bytes: s.GetBytes(),
		RunningTasks: s.GetRunningTasks(), Slots: s.GetSlots(), JobsDone: s.GetJobsDone(), TasksDone: s.GetTasksDone(), Written: s.GetWritten(),
		Storage: s.GetStorage(), Slowdown: s.GetSlowdown()}
	for _, b := range s.GetStored() {
		out.Stored = append(out.Stored, mrcluster.Stored{Node: b.GetNode(), Bytes: b.GetBytes()})
	}
	return out
}

// maxRuns bounds what one node may say that it runs.
const maxRuns = 100

func reportFromWire(r *pool.ReportRequest) (*mrcluster.Report, error) {
	out := &mrcluster.Report{Node: r.GetNode(), Addr: r.GetAddr(), Agent: r.GetAgent()}
	if len(r.GetRunning()) > maxRuns {
		return nil, failure.New(failure.Limit, "report a node", r.GetNode(), fmt.Errorf("it runs %d things", len(r.GetRunning())))
	}
	for _, x := range r.GetRunning() {
		if x.GetPhase() > uint32(mrcluster.PhaseDrained) {
			return nil, failure.New(failure.Usage, "report a node", r.GetNode(), fmt.Errorf("phase %d is unknown", x.GetPhase()))
		}
		out.Runs = append(out.Runs, mrcluster.Running{Cluster: x.GetCluster(), Deployment: x.GetDeployment(), Phase: mrcluster.Phase(x.GetPhase()),
			Left: x.GetLeft(), Doing: x.GetDoing(), Err: x.GetError()})
	}
	return out, nil
}

// desiredFromWire is what an agent reads.
func desiredFromWire(r *pool.ReportReply) (d mrcluster.Desired, err error) {
	d = mrcluster.Desired{Cluster: r.GetCluster(), Deployment: r.GetDeployment(), Master: r.GetMaster(), Drain: r.GetDrain(),
		MasterNode: r.GetMasterNode(), MasterAddr: r.GetMasterAddr(), Staying: r.GetStaying(), Saving: r.GetSaving()}
	if d.Cluster == "" {
		return mrcluster.Desired{}, nil
	}
	if d.Kind, err = kindOf(r.GetKind()); err != nil {
		return d, err
	}
	if d.Spec, err = specFromWire(r.GetSpec()); err != nil {
		return d, err
	}
	for _, l := range r.GetLeaving() {
		d.Leaving = append(d.Leaving, l.GetNode())
	}
	if d.Spec.Name != d.Cluster || d.Deployment < 1 || d.Kind == 0 {
		return d, failure.New(failure.Corrupt, "read what to run", d.Cluster, errors.New("the manager's answer contradicts itself"))
	}
	return d, d.Spec.Validate()
}

func nodeToWire(n *mrcluster.NodeView) *pool.Node {
	return &pool.Node{Name: n.Name, Addr: n.Addr, State: n.State.String(), SinceMs: n.Since, Cluster: n.Cluster, Kind: kindName(n.Kind), Master: n.Master,
		Stored: n.Stored, Left: n.Left, Problem: n.Problem, Doing: n.Doing, FailedMs: n.FailedAt}
}

func clusterToWire(c *mrcluster.ClusterView, at *pool.Endpoints) *pool.Cluster {
	return &pool.Cluster{Spec: SpecToWire(&c.Spec), State: c.State.String(), SinceMs: c.Since, Deployment: c.Deployment, Target: int32(c.Target),
		Cores: int32(c.Cores), Held: int32(c.Held), Leaving: int32(c.Leaving), Weight: c.Weight, Discrimination: c.Discrimination, Overall: c.Overall,
		Master: c.Master, Sample: sampleToWire(&c.Sample), LastError: c.LastError, Doomed: c.Doomed, Doing: c.Doing, Endpoints: at}
}

func eventToWire(f *mrcluster.Fact) *pool.Event {
	e := &pool.Event{TimeMs: f.Time, Fact: f.Kind.String(), Cluster: f.Cluster, Node: f.Node, Kind: kindName(f.NodeKind), Reason: f.Reason}
	if f.Spec != nil {
		e.Cluster = f.Spec.Name
	}
	for _, s := range f.Shares {
		e.Share = append(e.Share, &pool.ShareOf{Cluster: s.Cluster, Nodes: int32(s.Nodes), Weight: s.Weight, Discrimination: s.Discrimination})
	}
	return e
}
