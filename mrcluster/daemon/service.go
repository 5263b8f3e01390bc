package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/transport/manager"
	"github.com/howdah/howdah/internal/wire/pool"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/provision/node"
	"github.com/howdah/howdah/mrcluster/status"
)

// service implements the manager's calls for agents and clients.
type service struct{ *Manager }

// protocol is the RPC server. manager.Server serves clients, and Report serves agents.
type protocol struct {
	*manager.Server
	service *service
}

func newProtocol(m *Manager) pool.PoolServer {
	s := &service{Manager: m}
	return &protocol{manager.NewServer(s), s}
}

// Report implements pool.PoolServer.
func (p *protocol) Report(ctx context.Context, in *pool.ReportRequest) (*pool.ReportReply, error) {
	return p.service.Report(ctx, in)
}

// Report processes a node's beat. It processes the master's part first, so that the reply takes it
// into account.
func (s *service) Report(ctx context.Context, in *pool.ReportRequest) (*pool.ReportReply, error) {
	if err := s.admit(auth.From(ctx), in); err != nil {
		return nil, err
	}
	report, err := reportFromWire(in)
	if err != nil {
		return nil, err
	}
	return ask(ctx, s.owner, func() (*pool.ReportReply, error) {
		s.hearMaster(auth.From(ctx), in)
		s.ledger.overlay(report)
		out := s.owner.step(mrcluster.Input{Kind: mrcluster.InReport, Report: report})
		if out.Err != nil {
			return nil, out.Err
		}
		return s.tell(&out.Desired), nil
	})
}

// maxAddress is the maximum length of the names and addresses in a report, in bytes.
const maxAddress = 300

// admit returns an error if the report is invalid or the caller presents another node's token. It
// also rejects a node that belongs to a different pool or has obeyed a later manager of this pool.
func (s *service) admit(p auth.Principal, in *pool.ReportRequest) error {
	const op = "report a node"
	if p.Node != "" && !strings.EqualFold(p.Node, in.GetNode()) {
		return failure.New(failure.Permission, op, in.GetNode(), fmt.Errorf("%s may report only itself", p)).
			Fix("create the token with --node " + in.GetNode() + ", or set " + conf.MRClusterAgentName.Name + " to " + p.Node)
	}
	if err := rpc.CheckProtocol(in.GetProtocol()); err != nil {
		return err
	}
	if n := max(len(in.GetNode()), len(in.GetAddr()), len(in.GetAgent())); n > maxAddress {
		return failure.New(failure.Usage, op, in.GetNode()[:min(len(in.GetNode()), maxAddress)],
			fmt.Errorf("a name or address has %d bytes; the limit is %d", n, maxAddress))
	}
	switch {
	case in.GetPool() != "" && in.GetPool() != s.identity.Pool && len(in.GetRunning()) > 0:
		return failure.New(failure.Stale, op, in.GetNode(),
			fmt.Errorf("the node belongs to pool %s, but this is the manager of pool %s", in.GetPool(), s.identity.Pool)).
			Fix("start the manager on the directory of that pool (" + conf.MRClusterManagerDir.Name +
				"), or remove the agent's directory (" +
				conf.MRClusterAgentDir.Name + ") while the agent is stopped")
	case in.GetPool() == s.identity.Pool && in.GetIncarnation() > s.identity.Incarnation:
		return failure.New(failure.Stale, op, in.GetNode(),
			errors.New("a later manager of this pool has controlled the node")).
			Fix("stop this manager, because its directory is an old copy of the later manager's directory")
	}
	return nil
}

// hearMaster processes a master's report about its MR-cluster, if the sender is that master.
func (s *service) hearMaster(p auth.Principal, in *pool.ReportRequest) {
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
			at := manager.EndpointsFromWire(r.GetEndpoints())
			at.Trusted = p.Admin
			s.ledger.endpoints[name] = endpoints{c.Deployment, at}
		}
	}
	for _, d := range t.GetDrain() {
		if known := s.ledger.drains[d.GetNode()]; known != nil && known.id == d.GetId() && known.cluster == name {
			known.left, known.done, known.problem = d.GetLeft(), d.GetDone(), d.GetProblem()
		}
	}
	if t.GetSample() != nil {
		s.owner.step(mrcluster.Input{Kind: mrcluster.InSample, Cluster: name, Deployment: c.Deployment,
			Sample: manager.SampleFromWire(t.GetSample())})
	}
	if o, ok := s.ledger.copies[name]; ok && t.GetCopied() != nil && o.id == t.GetCopied().GetId() {
		delete(s.ledger.copies, name)
		in := mrcluster.Input{Kind: mrcluster.InLoaded, Cluster: name, Deployment: o.deployment,
			Err: t.GetCopied().GetError(), Missing: t.GetCopied().GetMissing()}
		if o.save {
			in.Kind = mrcluster.InSaved
		}
		s.owner.step(in)
	}
}

// tell returns the reply to a report.
func (s *service) tell(d *mrcluster.Desired) *pool.ReportReply {
	r := &pool.ReportReply{Pool: s.identity.Pool, Incarnation: s.identity.Incarnation, Cluster: d.Cluster}
	if d.Cluster == "" {
		return r
	}
	r.Deployment, r.Kind, r.Master, r.Drain, r.MasterNode, r.MasterAddr = d.Deployment, d.Kind.String(), d.Master,
		d.Drain, d.MasterNode, d.MasterAddr
	r.Spec = manager.SpecToWire(d.Spec)
	r.Endpoints = manager.EndpointsToWire(s.endpointsOf(d.Cluster, d.Deployment))
	if !d.Master {
		return r
	}
	r.Staying, r.Saving = d.Staying, d.Saving
	r.Coming = &pool.Coming{Now: int32(d.Coming.Now), Then: int32(d.Coming.Then), AfterMs: d.Coming.After}
	for _, t := range s.issued.List() {
		if t.Revoked != 0 {
			r.Revoked = append(r.Revoked, &pool.Revoked{Id: t.ID, Expires: t.Expires})
		}
	}
	for _, node := range d.Leaving {
		if x := s.ledger.drains[node]; x != nil {
			r.Leaving = append(r.Leaving, &pool.Leaving{Node: node, Id: x.id})
		}
	}
	if o, ok := s.ledger.copies[d.Cluster]; ok && o.deployment == d.Deployment {
		r.Copy = &pool.CopyOrder{Id: o.id, Save: o.save, Copy: manager.CopiesToWire(d.Spec.Load)}
		if o.save {
			r.Copy.Copy = manager.CopiesToWire(d.Spec.Save)
		}
	}
	return r
}

func (s *service) endpointsOf(cluster string, deployment int64) status.Endpoints {
	if e := s.ledger.endpoints[cluster]; e.deployment == deployment {
		return e.at
	}
	return status.Endpoints{}
}

// audit logs a change that a caller requested (see [auth.Audit]).
func (s *service) audit(ctx context.Context, change, cluster string, err error) {
	auth.Audit(ctx, s.cfg.Log, change, cluster[:min(len(cluster), maxAddress)], "", "", err)
}

// Create checks the caller's rights and a request for an MR-cluster, and then creates the request.
func (s *service) Create(ctx context.Context, spec *mrcluster.Spec) error {
	owner, err := s.cfg.Rights.owner(ctx, spec.Name, spec.User)
	if err != nil {
		return err
	}
	spec.User = owner
	if err := node.CheckWishes(spec, auth.From(ctx).Admin); err != nil {
		return err
	}
	if err := checkTargets(spec, nil); err != nil {
		return err
	}
	if err := s.awaitNodes(ctx, spec.Name, min(spec.Core, s.cfg.Nodes)); err != nil {
		return err
	}
	_, err = ask(ctx, s.owner, func() (none struct{}, err error) {
		clusters := s.owner.m.View().Clusters
		if err := s.cfg.Rights.room(auth.From(ctx), spec, clusters); err != nil {
			return none, err
		}
		if err := checkTargets(spec, clusters); err != nil {
			return none, err
		}
		return none, s.owner.try(mrcluster.Input{Kind: mrcluster.InCreate, Spec: spec})
	})
	return err
}

// awaitNodes waits until at least want nodes have joined. Until then, the manager cannot determine
// whether a request is too large for the pool. It waits no longer than a node can take to start. If
// the client's deadline is earlier, awaitNodes returns an error with the reason shortly before the
// deadline.
func (s *service) awaitNodes(ctx context.Context, name string, want int) error {
	wait := time.Duration(s.cfg.Machine.StartTimeout) * time.Millisecond
	end, bounded := ctx.Deadline()
	for began := time.Now(); time.Since(began) < wait; {
		known, err := ask(ctx, s.owner, func() (int, error) { return len(s.owner.m.View().Nodes), nil })
		if err != nil || known >= want {
			return err
		}
		if bounded && time.Until(end) < answerIn {
			return failure.New(failure.Timeout, "create MR-cluster", name,
				fmt.Errorf("the MR-cluster needs %d nodes, but only %d of the manager's %d nodes have started",
					want, known, s.cfg.Nodes)).
				Fix("check the manager's log, and retry when howdah mrcluster status shows them")
		}
		if lifecycle.Sleep(ctx, lookEvery) != nil {
			return failure.New(failure.Timeout, "create MR-cluster", name, ctx.Err())
		}
	}
	return nil
}

// answerIn is the time reserved for a reply to reach the client before its deadline.
const answerIn = 2 * time.Second

// Remove requests the permanent removal of an MR-cluster.
func (s *service) Remove(ctx context.Context, cluster string, discard bool) error {
	err := s.change(ctx, "remove", mrcluster.Input{Kind: mrcluster.InRemove, Cluster: cluster, Discard: discard})
	s.audit(ctx, "remove", cluster, err)
	return err
}

// Grow sets the operator size of an MR-cluster.
func (s *service) Grow(ctx context.Context, cluster string, nodes int) error {
	err := s.change(ctx, "grow", mrcluster.Input{Kind: mrcluster.InGrow, Cluster: cluster, Nodes: nodes})
	s.audit(ctx, fmt.Sprintf("grow to %d", nodes), cluster, err)
	return err
}

// change passes an input to the machine if the caller owns the input's MR-cluster. verb is the
// operation, for the error.
func (s *service) change(ctx context.Context, verb string, in mrcluster.Input) error {
	_, err := ask(ctx, s.owner, func() (none struct{}, err error) {
		c, known := s.owner.m.Cluster(in.Cluster)
		if p := auth.From(ctx); known && !s.cfg.Rights.owns(p, &c.Spec) {
			return none, notYours(verb+" MR-cluster", p, &c.Spec, "ask its owner or an administrator to "+verb+" it")
		}
		return none, s.owner.try(in)
	})
	return err
}

// Job requests the deployment of an MR-cluster if deployment is 0. Otherwise, it keeps the
// MR-cluster alive while that deployment is active. It returns the MR-cluster's state.
func (s *service) Job(ctx context.Context, cluster string, deployment int64) (*status.Cluster, error) {
	return ask(ctx, s.owner, func() (*status.Cluster, error) {
		c, known := s.owner.m.Cluster(cluster)
		if p := auth.From(ctx); known && !s.cfg.Rights.mayUse(p, &c.Spec) {
			return nil, notYours("use MR-cluster", p, &c.Spec,
				"ask for an MR-cluster that is created with --set "+conf.SecurityJobClientProtocolACL.Name+"="+cmp.Or(p.User,
					"USER"))
		}
		if deployment == 0 || deployment == c.Deployment && c.State == mrcluster.Active {
			if err := s.owner.try(mrcluster.Input{Kind: mrcluster.InJob, Cluster: cluster}); err != nil {
				return nil, err
			}
		}
		return s.cluster(cluster)
	})
}

// cluster returns the state of an MR-cluster.
func (s *service) cluster(name string) (*status.Cluster, error) {
	c, ok := s.owner.m.Cluster(name)
	if !ok {
		return nil, failure.New(failure.NotFound, "find MR-cluster", name,
			errors.New("no such MR-cluster")).Fix("howdah mrcluster list shows all MR-clusters")
	}
	return &status.Cluster{ClusterView: c, Endpoints: s.endpointsOf(name, c.Deployment)}, nil
}

// Status returns the state of the pool. If cluster is not "", the state contains only the clusters,
// nodes, and events of that MR-cluster. Status hides the settings of MR-clusters that the caller
// may not use.
func (s *service) Status(ctx context.Context, cluster string) (*status.Pool, error) {
	out, err := ask(ctx, s.owner, func() (*status.Pool, error) {
		if cluster != "" {
			if _, err := s.cluster(cluster); err != nil {
				return nil, err
			}
		}
		return s.status(cluster), nil
	})
	if err != nil {
		return nil, err
	}
	s.cfg.Rights.hide(auth.From(ctx), out)
	return out, nil
}

func (s *service) status(only string) *status.Pool {
	v := s.owner.m.View()
	out := &status.Pool{Name: s.identity.Pool, Incarnation: s.identity.Incarnation, Version: s.cfg.Version,
		StartedMs: s.clock.base, NowMs: v.Now, Weights: s.cfg.Weights, Queue: v.Queue, Global: v.Global,
		Threshold: s.cfg.Machine.Threshold, Reconfigurations: v.Reconfigurations, NextCycleMs: v.NextCycle}
	for i := range v.Clusters {
		if c := &v.Clusters[i]; only == "" || c.Spec.Name == only {
			out.Clusters = append(out.Clusters,
				&status.Cluster{ClusterView: *c, Endpoints: s.endpointsOf(c.Spec.Name, c.Deployment)})
		}
	}
	for i := range v.Nodes {
		if n := &v.Nodes[i]; only == "" || n.Cluster == only {
			out.Nodes = append(out.Nodes, n)
		}
	}
	concerns := func(e *status.Event) bool {
		return only == "" || e.Cluster == only ||
			slices.ContainsFunc(e.Shares, func(x status.Share) bool { return x.Cluster == only })
	}
	for _, f := range slices.Backward(s.ledger.recent) {
		if e := eventOf(&f); concerns(e) {
			out.Events = append(out.Events, e)
		}
		if len(out.Events) == maxRecent {
			break
		}
	}
	return out
}
