package manager

import (
	"encoding"

	"github.com/howdah/howdah/internal/transport"
	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/status"
)

// SpecToWire translates a request for an MR-cluster.
func SpecToWire(s *mrcluster.Spec) *pool.Spec {
	return &pool.Spec{Name: s.Name, Core: int32(s.Core), Grow: s.Grow.String(), Hdfs: s.HDFS, Load: CopiesToWire(s.Load),
		Save: CopiesToWire(s.Save), Binary: s.Binary, Conf: s.Conf, User: s.User}
}

// SpecFromWire translates a request for an MR-cluster. If the kind of node is unknown, the error is
// of kind Usage.
func SpecFromWire(s *pool.Spec) (*mrcluster.Spec, error) {
	grow, err := KindOf(s.GetGrow())
	return &mrcluster.Spec{Name: s.GetName(), Core: int(s.GetCore()), Grow: grow, HDFS: s.GetHdfs(),
		Load: CopiesFromWire(s.GetLoad()), Save: CopiesFromWire(s.GetSave()), Binary: s.GetBinary(), Conf: s.GetConf(),
		User: s.GetUser()}, err
}

// CopiesToWire translates a list of copies.
func CopiesToWire(copies []mrcluster.Copy) []*pool.Copy {
	return transport.List(copies, func(c mrcluster.Copy) *pool.Copy { return &pool.Copy{From: c.From, To: c.To} })
}

// CopiesFromWire translates a list of copies.
func CopiesFromWire(copies []*pool.Copy) []mrcluster.Copy {
	return transport.List(copies, func(c *pool.Copy) mrcluster.Copy {
		return mrcluster.Copy{From: c.GetFrom(), To: c.GetTo()}
	})
}

// KindOf parses the name of a kind of node. "" means no kind.
func KindOf(name string) (k mrcluster.Kind, err error) {
	if err := k.UnmarshalText([]byte(name)); err != nil {
		return 0, failure.New(failure.Usage, "read kind of node", name, err).
			Fix("use transient (TR) or transient-core (TC)")
	}
	return k, nil
}

// SampleToWire translates a sample.
func SampleToWire(s *mrcluster.Sample) *pool.Sample {
	return &pool.Sample{Jobs: s.Jobs, WaitingJobs: s.WaitingJobs, WaitingTasks: s.WaitingTasks,
		WaitingBytes: s.WaitingBytes, Bytes: s.Bytes, RunningTasks: s.RunningTasks, Slots: s.Slots, JobsDone: s.JobsDone,
		TasksDone: s.TasksDone,
		Written:   s.Written, Storage: s.Storage, Slowdown: s.Slowdown, Lateness: s.Lateness,
		Stored: transport.List(s.Stored, func(b mrcluster.Stored) *pool.Stored {
			return &pool.Stored{Node: b.Node, Bytes: b.Bytes}
		})}
}

// SampleFromWire translates a sample.
func SampleFromWire(s *pool.Sample) *mrcluster.Sample {
	return &mrcluster.Sample{Jobs: s.GetJobs(), WaitingJobs: s.GetWaitingJobs(), WaitingTasks: s.GetWaitingTasks(),
		WaitingBytes: s.GetWaitingBytes(), Bytes: s.GetBytes(), RunningTasks: s.GetRunningTasks(), Slots: s.GetSlots(),
		JobsDone: s.GetJobsDone(), TasksDone: s.GetTasksDone(), Written: s.GetWritten(), Storage: s.GetStorage(),
		Slowdown: s.GetSlowdown(), Lateness: s.GetLateness(),
		Stored: transport.List(s.GetStored(), func(b *pool.Stored) mrcluster.Stored {
			return mrcluster.Stored{Node: b.GetNode(), Bytes: b.GetBytes()}
		})}
}

// EndpointsToWire translates addresses. It returns nil if no server has an address.
func EndpointsToWire(e status.Endpoints) *pool.Endpoints {
	if !e.Known() {
		return nil
	}
	return &pool.Endpoints{JobTracker: e.JobTracker, JobTrackerWeb: e.JobTrackerWeb, NameNode: e.NameNode,
		NameNodeWeb: e.NameNodeWeb, Trusted: e.Trusted}
}

// EndpointsFromWire translates addresses. It returns the zero value for nil.
func EndpointsFromWire(e *pool.Endpoints) status.Endpoints {
	return status.Endpoints{JobTracker: e.GetJobTracker(), JobTrackerWeb: e.GetJobTrackerWeb(), NameNode: e.GetNameNode(),
		NameNodeWeb: e.GetNameNodeWeb(), Trusted: e.GetTrusted()}
}

func clusterToWire(c *status.Cluster) *pool.Cluster {
	return &pool.Cluster{Spec: SpecToWire(&c.Spec), State: c.State.String(), SinceMs: c.Since, Deployment: c.Deployment,
		Target: int32(c.Target), Cores: int32(c.Cores), Held: int32(c.Held), Leaving: int32(c.Leaving), Weight: c.Weight,
		Discrimination: c.Discrimination, Overall: c.Overall, Master: c.Master, Sample: SampleToWire(&c.Sample),
		LastError: c.LastError, Doomed: c.Doomed, Doing: c.Doing, Size: int32(c.Size),
		Endpoints: EndpointsToWire(c.Endpoints)}
}

// read sets v to the value whose name is name. If the name is unknown, read leaves v unchanged,
// because a newer manager might have sent the name.
func read(v encoding.TextUnmarshaler, name string) { _ = v.UnmarshalText([]byte(name)) }

func clusterFromWire(c *pool.Cluster) *status.Cluster {
	spec, _ := SpecFromWire(c.Spec)
	out := &status.Cluster{Endpoints: EndpointsFromWire(c.Endpoints)}
	out.ClusterView = mrcluster.ClusterView{Spec: *spec, State: mrcluster.Queued, Since: c.SinceMs,
		Deployment: c.Deployment, Target: int(c.Target), Cores: int(c.Cores), Held: int(c.Held), Leaving: int(c.Leaving),
		Weight:         c.Weight,
		Discrimination: c.Discrimination, Overall: c.Overall, Master: c.Master, Sample: *SampleFromWire(c.Sample),
		LastError: c.LastError, Doomed: c.Doomed, Doing: c.Doing, Size: int(c.Size)}
	read(&out.State, c.State)
	return out
}

func nodeToWire(n *mrcluster.NodeView) *pool.Node {
	return &pool.Node{Name: n.Name, Addr: n.Addr, State: n.State.String(), SinceMs: n.Since, Cluster: n.Cluster,
		Kind: n.Kind.String(), Master: n.Master, Stored: n.Stored, Left: n.Left, Problem: n.Problem, Doing: n.Doing,
		FailedMs: n.FailedAt}
}

func nodeFromWire(n *pool.Node) *mrcluster.NodeView {
	out := &mrcluster.NodeView{Name: n.Name, Addr: n.Addr, State: mrcluster.Clearing, Since: n.SinceMs, Cluster: n.Cluster,
		Master: n.Master, Stored: n.Stored, Left: n.Left, Problem: n.Problem, Doing: n.Doing, FailedAt: n.FailedMs}
	read(&out.State, n.State)
	read(&out.Kind, n.Kind)
	return out
}

func eventToWire(e *status.Event) *pool.Event {
	return &pool.Event{TimeMs: e.TimeMs, Fact: e.Fact.String(), Cluster: e.Cluster, Node: e.Node, Kind: e.Kind.String(),
		Reason: e.Reason, Share: transport.List(e.Shares, func(s status.Share) *pool.ShareOf {
			return &pool.ShareOf{Cluster: s.Cluster, Nodes: int32(s.Nodes), Weight: s.Weight, Discrimination: s.Discrimination}
		})}
}

func eventFromWire(e *pool.Event) *status.Event {
	out := &status.Event{TimeMs: e.TimeMs, Cluster: e.Cluster, Node: e.Node, Reason: e.Reason,
		Shares: transport.List(e.Share, func(s *pool.ShareOf) status.Share {
			return status.Share{Cluster: s.Cluster, Nodes: int(s.Nodes), Weight: s.Weight, Discrimination: s.Discrimination}
		})}
	read(&out.Fact, e.Fact)
	read(&out.Kind, e.Kind)
	return out
}

func poolToWire(p *status.Pool) *pool.PoolStatus {
	return &pool.PoolStatus{Pool: p.Name, Incarnation: p.Incarnation, Version: p.Version, StartedMs: p.StartedMs,
		NowMs: p.NowMs, Weights: p.Weights, Queue: p.Queue, Global: p.Global, Threshold: p.Threshold,
		Reconfigurations: p.Reconfigurations, NextCycleMs: p.NextCycleMs,
		Cluster: transport.List(p.Clusters, clusterToWire), Node: transport.List(p.Nodes, nodeToWire),
		Event: transport.List(p.Events, eventToWire)}
}

func poolFromWire(p *pool.PoolStatus) *status.Pool {
	return &status.Pool{Name: p.Pool, Incarnation: p.Incarnation, Version: p.Version, StartedMs: p.StartedMs,
		NowMs: p.NowMs, Weights: p.Weights, Queue: p.Queue, Global: p.Global, Threshold: p.Threshold,
		Reconfigurations: p.Reconfigurations, NextCycleMs: p.NextCycleMs,
		Clusters: transport.List(p.Cluster, clusterFromWire), Nodes: transport.List(p.Node, nodeFromWire),
		Events: transport.List(p.Event, eventFromWire)}
}
