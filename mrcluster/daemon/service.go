package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/provision/node"
)

// service answers agents and people.
type service struct {
	pool.UnimplementedPoolServer
	*Manager
}

// Report is one beat of a node: what its master tells comes first, so that the answer rests on it.
func (s *service) Report(ctx context.Context, in *pool.ReportRequest) (*pool.ReportReply, error) {
	if err := s.admit(in); err != nil {
		return nil, err
	}
	report, err := reportFromWire(in)
	if err != nil {
		return nil, err
	}
	var reply *pool.ReportReply
	var refused error
	err = s.owner.ask(ctx, func() {
		s.hearMaster(in)
		s.ledger.overlay(report)
		out := s.owner.step(mrcluster.Input{Kind: mrcluster.InReport, Report: report})
		if out.Err != nil {
			refused = out.Err
			return
		}
		reply = s.tell(&out.Desired)
	})
	return reply, cmp.Or(err, refused)
}

// admit refuses a node that belongs to another pool, or that has heard of a later manager of this one.
func (s *service) admit(in *pool.ReportRequest) error {
	const op = "report a node"
	if err := rpc.CheckProtocol(in.GetProtocol()); err != nil {
		return err
	}
	switch {
	case in.GetPool() != "" && in.GetPool() != s.identity.Pool && len(in.GetRunning()) > 0:
		return failure.New(failure.Stale, op, in.GetNode(), fmt.Errorf("it runs something for pool %s and this is the manager of pool %s", in.GetPool(), s.identity.Pool)).
			Fix("start the manager on the directory of that pool (" + KeyDir + "), or remove the agent's directory (" + KeyAgentDir + ") while it is stopped")
	case in.GetPool() == s.identity.Pool && in.GetIncarnation() > s.identity.Incarnation:
		return failure.New(failure.Stale, op, in.GetNode(), errors.New("it has obeyed a later manager of this pool")).
			Fix("stop this manager: its directory is a copy or an old state of the other one's")
	}
	return nil
}

// hearMaster takes over what a master tells of its MR-cluster, if it is its master.
func (s *service) hearMaster(in *pool.ReportRequest) {
	t := in.GetMaster()
	if t == nil {
		return
	}
	name := t.GetCluster()
	c, ok := s.owner.m.Cluster(name)
	if !ok || c.Deployment != t.GetDeployment() || c.Master != in.GetNode() {
		return
	}
	for _, r := range in.GetRunning() {
		if r.GetCluster() == name && r.GetDeployment() == c.Deployment && r.GetEndpoints() != nil {
			s.ledger.endpoints[name] = endpoints{c.Deployment, r.GetEndpoints()}
		}
	}
	for _, d := range t.GetDrain() {
		if known := s.ledger.drains[d.GetNode()]; known != nil && known.id == d.GetId() && known.cluster == name {
			known.left, known.done, known.problem = d.GetLeft(), d.GetDone(), d.GetProblem()
		}
	}
	if t.GetSample() != nil {
		s.owner.step(mrcluster.Input{Kind: mrcluster.InSample, Cluster: name, Deployment: c.Deployment, Sample: sampleFromWire(t.GetSample())})
	}
	if o, ok := s.ledger.copies[name]; ok && t.GetCopied() != nil && o.id == t.GetCopied().GetId() {
		delete(s.ledger.copies, name)
		in := mrcluster.Input{Kind: mrcluster.InLoaded, Cluster: name, Deployment: o.deployment, Err: t.GetCopied().GetError(), Missing: t.GetCopied().GetMissing()}
		if o.save {
			in.Kind = mrcluster.InSaved
		}
		s.owner.step(in)
	}
}

// tell makes the answer to a report.
func (s *service) tell(d *mrcluster.Desired) *pool.ReportReply {
	r := &pool.ReportReply{Pool: s.identity.Pool, Incarnation: s.identity.Incarnation, Cluster: d.Cluster}
	if d.Cluster == "" {
		return r
	}
	r.Deployment, r.Kind, r.Master, r.Drain, r.MasterNode, r.MasterAddr = d.Deployment, kindName(d.Kind), d.Master, d.Drain, d.MasterNode, d.MasterAddr
	r.Spec = SpecToWire(d.Spec)
	r.Endpoints = s.endpointsOf(d.Cluster, d.Deployment)
	if !d.Master {
		return r
	}
	r.Staying, r.Saving = d.Staying, d.Saving
	for _, node := range d.Leaving {
		if x := s.ledger.drains[node]; x != nil {
			r.Leaving = append(r.Leaving, &pool.Leaving{Node: node, Id: x.id})
		}
	}
	if o, ok := s.ledger.copies[d.Cluster]; ok && o.deployment == d.Deployment {
		r.Copy = &pool.CopyOrder{Id: o.id, Save: o.save, Copy: copiesToWire(d.Spec.Load)}
		if o.save {
			r.Copy.Copy = copiesToWire(d.Spec.Save)
		}
	}
	return r
}

func (s *service) endpointsOf(cluster string, deployment int64) *pool.Endpoints {
	if e := s.ledger.endpoints[cluster]; e.deployment == deployment {
		return e.at
	}
	return nil
}

// Create takes a request for an MR-cluster.
func (s *service) Create(ctx context.Context, in *pool.CreateRequest) (*pool.Empty, error) {
	spec, err := specFromWire(in.GetSpec())
	if err != nil {
		return nil, err
	}
	if err := node.CheckWishes(spec); err != nil {
		return nil, err
	}
	if err := checkTargets(spec, nil); err != nil {
		return nil, err
	}
	if err := s.awaitNodes(ctx, spec.Name, min(spec.Core, s.cfg.Nodes)); err != nil {
		return nil, err
	}
	var refused error
	err = s.owner.ask(ctx, func() {
		if refused = checkTargets(spec, s.owner.m.View().Clusters); refused != nil {
			return
		}
		if out := s.owner.step(mrcluster.Input{Kind: mrcluster.InCreate, Spec: spec}); out.Err != nil {
			refused = out.Err
		}
	})
	return &pool.Empty{}, cmp.Or(err, refused)
}

// awaitNodes lets a request wait until so many of the nodes have come that the manager has started: whether it is too large for the pool is
// not known before. It waits as long as a node may take to start, and no longer than its client, who is told why.
func (s *service) awaitNodes(ctx context.Context, name string, want int) error {
	wait := time.Duration(s.cfg.Machine.StartTimeout) * time.Millisecond
	end, bounded := ctx.Deadline()
	for began := time.Now(); time.Since(began) < wait; {
		known := 0
		if err := s.owner.ask(ctx, func() { known = len(s.owner.m.View().Nodes) }); err != nil || known >= want {
			return err
		}
		if bounded && time.Until(end) < answerIn {
			return failure.New(failure.Timeout, "create MR-cluster", name, fmt.Errorf("it wants %d nodes, and %d of the %d have come that the manager starts", want, known, s.cfg.Nodes)).
				Fix("look at the manager's log, and try again when howdah mrcluster status shows them")
		}
		if lifecycle.Sleep(ctx, lookEvery) != nil {
			return failure.New(failure.Timeout, "create MR-cluster", name, ctx.Err())
		}
	}
	return nil
}

// answerIn is the time that an answer has to reach a client before that gives up.
const answerIn = 2 * time.Second

// Remove gives up an MR-cluster for good.
func (s *service) Remove(ctx context.Context, in *pool.RemoveRequest) (*pool.Empty, error) {
	return s.simply(ctx, mrcluster.Input{Kind: mrcluster.InRemove, Cluster: in.GetCluster(), Discard: in.GetDiscard()})
}

func (s *service) simply(ctx context.Context, in mrcluster.Input) (*pool.Empty, error) {
	var refused error
	err := s.owner.ask(ctx, func() {
		if out := s.owner.step(in); out.Err != nil {
			refused = out.Err
		}
	})
	return &pool.Empty{}, cmp.Or(err, refused)
}

// Job deploys an MR-cluster or keeps it alive.
func (s *service) Job(ctx context.Context, in *pool.JobRequest) (reply *pool.Cluster, err error) {
	var refused error
	err = s.owner.ask(ctx, func() {
		c, _ := s.owner.m.Cluster(in.GetCluster())
		if want := in.GetDeployment(); want == 0 || want == c.Deployment && c.State == mrcluster.Active {
			if out := s.owner.step(mrcluster.Input{Kind: mrcluster.InJob, Cluster: in.GetCluster()}); out.Err != nil {
				refused = out.Err
				return
			}
		}
		reply, refused = s.cluster(in.GetCluster())
	})
	return reply, cmp.Or(err, refused)
}

// cluster gives the state of one MR-cluster.
func (s *service) cluster(name string) (*pool.Cluster, error) {
	c, ok := s.owner.m.Cluster(name)
	if !ok {
		return nil, failure.New(failure.NotFound, "find MR-cluster", name, errors.New("no such MR-cluster")).Fix("howdah mrcluster list shows all")
	}
	return clusterToWire(&c, s.endpointsOf(name, c.Deployment)), nil
}

// Status tells everything, or what concerns one MR-cluster.
func (s *service) Status(ctx context.Context, in *pool.StatusRequest) (reply *pool.PoolStatus, err error) {
	var refused error
	err = s.owner.ask(ctx, func() {
		if name := in.GetCluster(); name != "" {
			if _, refused = s.cluster(name); refused != nil {
				return
			}
		}
		reply = s.status(in.GetCluster())
	})
	return reply, cmp.Or(err, refused)
}

func (s *service) status(only string) *pool.PoolStatus {
	v := s.owner.m.View()
	out := &pool.PoolStatus{Pool: s.identity.Pool, Incarnation: s.identity.Incarnation, Version: s.cfg.Version, StartedMs: s.clock.base, NowMs: v.Now,
		Weights: s.cfg.Weights, Queue: v.Queue, Global: v.Global, Threshold: s.cfg.Machine.Threshold, Reconfigurations: v.Reconfigurations, NextCycleMs: v.NextCycle}
	for i := range v.Clusters {
		if c := &v.Clusters[i]; only == "" || c.Spec.Name == only {
			out.Cluster = append(out.Cluster, clusterToWire(c, s.endpointsOf(c.Spec.Name, c.Deployment)))
		}
	}
	for i := range v.Nodes {
		if n := &v.Nodes[i]; only == "" || n.Cluster == only {
			out.Node = append(out.Node, nodeToWire(n))
		}
	}
	for _, f := range slices.Backward(s.ledger.recent) {
		if e := eventToWire(&f); only == "" || e.Cluster == only || slices.ContainsFunc(e.Share, func(x *pool.ShareOf) bool { return x.Cluster == only }) {
			out.Event = append(out.Event, e)
		}
		if len(out.Event) == maxRecent {
			break
		}
	}
	return out
}
