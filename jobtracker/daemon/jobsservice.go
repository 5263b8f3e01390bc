package daemon

import (
	"context"
	"time"

	"github.com/howdah/howdah/internal/acl"
	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/transport"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/jobtracker/view"
)

// jobsService implements transport.Jobs for clients.
type jobsService struct{ *Daemon }

func (d *jobsService) NewJob(ctx context.Context, r transport.NewJob) (*transport.Place, error) {
	if err := rpc.CheckProtocol(r.Protocol); err != nil {
		return nil, err
	}
	user, err := d.cfg.Acting.For(ctx, r.User)
	if err != nil {
		return nil, err
	}
	if err := checkName("user", user); err != nil {
		return nil, err
	}
	known, err := d.jobByKey(ctx, r.Key)
	if err != nil {
		return nil, err
	}
	reply := &transport.Place{Program: d.program, ProbePath: d.probe.path, ProbeText: d.probe.text,
		Renewer: d.cfg.Principal}
	if known != 0 {
		reply.Existing = job.ID{Cluster: d.cluster, Seq: known}.String()
		return reply, nil
	}
	leave, err := d.gate.enter() // check the gate before the client stages files
	if err != nil {
		return nil, err
	}
	leave()
	seq, err := d.jobs.reserve()
	if err != nil {
		return nil, err
	}
	if err := d.makeUserArea(user); err != nil {
		return nil, err
	}
	id := job.ID{Cluster: d.cluster, Seq: seq}
	fs, dir, err := d.stagingDir(user, id)
	if err != nil {
		return nil, err
	}
	reply.ID, reply.StagingDir, reply.Receipt = id.String(), fs.URI()+dir, d.receipt(user, id)
	return reply, nil
}

func (d *jobsService) Submit(ctx context.Context, s transport.Submission) (*transport.Submitted, error) {
	var err error
	if s.User, err = d.cfg.Acting.For(ctx, s.User); err != nil {
		return nil, err
	}
	id, err := d.submit(ctx, &s)
	if err != nil {
		return nil, err
	}
	return &transport.Submitted{ID: id, TrackingURL: d.trackingURL(id)}, nil
}

func (d *jobsService) Status(ctx context.Context, id job.ID, q status.Query) (*status.Job, error) {
	if err := d.own("show job", id); err != nil {
		return nil, err
	}
	op := acl.ViewDetails
	if q.Counters && !q.Attempts {
		op = acl.ViewCounters
	}
	if err := d.allow(ctx, op, id, q.User); err != nil {
		return nil, err
	}
	if q.Version != 0 && q.Wait > 0 {
		if _, err := d.jobNews.wait(ctx, id.Seq, q.Version, min(q.Wait, maxPark)); err != nil {
			return nil, err
		}
	}
	version := d.jobNews.version(id.Seq) // read before look, so that a change in between is news for the next call
	s, err := look(ctx, d.owner, func(m *jobtracker.Machine) (*status.Job, error) {
		return d.jobStatus(m, id.Seq, q), nil
	})
	if err != nil {
		return nil, err
	}
	if s == nil {
		return d.retiredStatus(ctx, id, q)
	}
	view.Link(s.Attempts, d.scheme())
	s.Version = version
	return s, nil
}

func (d *jobsService) List(ctx context.Context, f status.Filter) ([]*status.Job, error) {
	has := map[int32]bool{}
	list, err := look(ctx, d.owner, func(m *jobtracker.Machine) (out []listed, err error) {
		for _, seq := range m.AllJobs() {
			has[seq] = true
			j := m.Job(seq)
			if j.State.Terminal() && !f.All || f.Queue != "" && j.Spec.Queue != f.Queue && groupOf(m, seq) != f.Queue {
				continue
			}
			out = append(out, d.listed(m, seq))
		}
		return out, nil
	})
	if err != nil {
		return nil, err
	}
	if f.All {
		list = d.endings.merge(list, f, has)
	}
	return d.shown(ctx, f.User, list)
}

// Kill kills a job. It does nothing if the job has ended, whether the job is still in the machine
// or only in the history.
func (d *jobsService) Kill(ctx context.Context, id job.ID, by transport.By) (err error) {
	defer func() { d.audit(ctx, "kill job", id.String(), by, err) }()
	if err := d.allow(ctx, acl.Kill, id, by.User); err != nil {
		return err
	}
	err = d.change(ctx, "kill job", id, &jobtracker.Input{Kind: jobtracker.InKillJob, Text: cut(by.Why, maxText)})
	if failure.Is(err, failure.NotFound) && d.archive.Has(id) {
		return nil
	}
	return err
}

func (d *jobsService) SetPriority(ctx context.Context, id job.ID, p job.Priority, user string) (err error) {
	defer func() { d.audit(ctx, "set priority "+p.String(), id.String(), transport.By{User: user}, err) }()
	if err := d.allow(ctx, acl.SetPriority, id, user); err != nil {
		return err
	}
	return d.change(ctx, "set priority", id, &jobtracker.Input{Kind: jobtracker.InSetPriority, Priority: p})
}

func (d *jobsService) SetDeadline(ctx context.Context, id job.ID, text, user string) (err error) {
	defer func() {
		d.audit(ctx, "set deadline "+cut(text, maxText), id.String(), transport.By{User: user}, err)
	}()
	if err := d.allow(ctx, acl.SetDeadline, id, user); err != nil {
		return err
	}
	at, err := status.ChangedDeadline(id, text, time.UnixMilli(d.owner.clock.now()))
	if err != nil {
		return err
	}
	return d.change(ctx, "set deadline", id, &jobtracker.Input{Kind: jobtracker.InSetDeadline, Millis: at})
}

// Move moves a job to a queue to which the user may submit, or to a pool that is not a queue. The
// policy decides whether the queue or pool has room for the job.
func (d *jobsService) Move(ctx context.Context, id job.ID, to, user string) (err error) {
	defer func() { d.audit(ctx, "move to "+cut(to, maxName), id.String(), transport.By{User: user}, err) }()
	if err := d.allow(ctx, acl.Move, id, user); err != nil {
		return err
	}
	in := &jobtracker.Input{Kind: jobtracker.InMoveJob, Name: to}
	if d.policies.IsQueue(to) {
		who, err := d.cfg.Acting.For(ctx, user)
		if err != nil {
			return err
		}
		if err := d.policies.CheckSubmit(who, to); err != nil {
			return err
		}
		in.Text = to
	}
	return d.change(ctx, "move job", id, in)
}

// change passes an input about a job to the machine.
func (d *jobsService) change(ctx context.Context, op string, id job.ID, in *jobtracker.Input) error {
	if err := d.own(op, id); err != nil {
		return err
	}
	in.Job = id.Seq
	return d.step(ctx, in)
}

// step passes an input to the machine and discards the reply.
func (d *jobsService) step(ctx context.Context, in *jobtracker.Input) error {
	_, err := input(ctx, d.owner, in, func(*jobtracker.Output) struct{} { return struct{}{} })
	return err
}

func (d *jobsService) KillAttempt(ctx context.Context, id job.AttemptID, fail bool, by transport.By) (err error) {
	op := "kill attempt"
	if fail {
		op = "fail attempt"
	}
	defer func() { d.audit(ctx, op, id.String(), by, err) }()
	if err := d.own(op, id.Job); err != nil {
		return failure.New(failure.Usage, op, id.String(), err)
	}
	in := &jobtracker.Input{Kind: jobtracker.InKillAttempt, Attempt: id.Ref(), Job: id.Job.Seq, Text: cut(by.Why, maxText)}
	need := acl.KillTask
	if fail {
		in.Kind, need = jobtracker.InFailAttempt, acl.FailTask
	}
	if err := d.allow(ctx, need, id.Job, by.User); err != nil {
		return err
	}
	return d.step(ctx, in)
}

// maxEvents is the maximum number of events that Events returns.
const maxEvents = 10_000

func (d *jobsService) Events(ctx context.Context, id job.ID, from, n int32, user string) ([]status.Event, error) {
	if err := d.own("list events", id); err != nil {
		return nil, err
	}
	if err := d.allow(ctx, acl.ViewDetails, id, user); err != nil {
		return nil, err
	}
	first, most := int(max(from, 0)), int(min(max(n, 0), maxEvents))
	var known bool
	events, err := look(ctx, d.owner, func(m *jobtracker.Machine) (out []status.Event, err error) {
		out, known = view.Events(m, id.Seq, first, most, d.scheme())
		return out, nil
	})
	if err != nil || known {
		return events, err
	}
	m, err := d.retired(ctx, id)
	if err != nil {
		return nil, err
	}
	events, _ = view.Events(m, id.Seq, first, most, d.scheme())
	return events, nil
}

func (d *jobsService) Cluster(ctx context.Context) (*status.Cluster, error) {
	n, err := look(ctx, d.owner, func(m *jobtracker.Machine) (int, error) { return len(m.Trackers()), nil })
	if err != nil {
		return nil, err
	}
	// The owner's goroutine does not allocate the memory for thousands of TaskTrackers, because heartbeats
	// wait for it.
	all := make([]status.Tracker, 0, n)
	s, err := look(ctx, d.owner, func(m *jobtracker.Machine) (*status.Cluster, error) {
		for _, h := range m.Trackers() {
			t, _ := m.TrackerInfo(h)
			all = append(all, view.Tracker(m, &t))
		}
		return d.clusterStatus(m), nil
	})
	if err != nil {
		return nil, err
	}
	s.Trackers = make([]*status.Tracker, len(all))
	for i := range all {
		s.Trackers[i] = &all[i]
	}
	d.vouched.mark(s.Trackers)
	s.Disk = diskProblem(d.cfg.Dir, disk.Free)
	return s, nil
}

// own returns an error if the job belongs to another cluster.
func (d *Daemon) own(op string, id job.ID) error {
	if id.Cluster != d.cluster {
		return errNoJob(op, id)
	}
	return nil
}
