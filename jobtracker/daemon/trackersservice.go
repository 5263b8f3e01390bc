package daemon

import (
	"context"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/skip"
	"github.com/howdah/howdah/jobtracker"
)

// maxAddress is the maximum length of the names and addresses in a registration, in bytes. A host
// name in the DNS has at most 253 bytes.
const maxAddress = 300

// trackersService answers TaskTrackers.
type trackersService struct {
	tracker.UnimplementedTrackersServer
	*Daemon
}

func (d *trackersService) Register(ctx context.Context, r *tracker.RegisterRequest) (*tracker.RegisterReply, error) {
	if err := rpc.CheckProtocol(r.Protocol); err != nil {
		return nil, err
	}
	if max(len(r.Name), len(r.Host), len(r.Rack), len(r.Addr)) > maxAddress {
		return nil, errf(failure.Usage, "register", cut(r.Name, 100), "a name or address is longer than %d bytes", maxAddress)
	}
	if !d.registrations.take(time.Now()) {
		return nil, errf(failure.Limit, "register", r.Name, "too many TaskTrackers register at once").
			Fix("wait, or raise " + conf.JobTrackerRegistrationsSecond.Name)
	}
	if err := checkRegistration(auth.From(ctx), r, d.owner.clock.now()); err != nil {
		return nil, err
	}
	if err := d.hosts.check(r.Host); err != nil {
		return nil, err
	}
	in := &jobtracker.Input{Kind: jobtracker.InRegister, Register: &jobtracker.Register{Name: r.Name, Host: r.Host,
		Rack: r.Rack, Addr: r.Addr,
		Incarnation: r.Incarnation, Slots: [2]int32{r.MapSlots, r.ReduceSlots}, Memory: r.MemoryMb, VCores: r.Vcores}}
	handle, err := input(ctx, d.owner, in, func(o *jobtracker.Output) int32 { return o.Tracker })
	if err != nil {
		return nil, err
	}
	d.vouched.note(auth.From(ctx), r.Addr)
	d.cfg.Log.Info("TaskTracker registered", "tracker", r.Name, "http", r.Addr, "maps", r.MapSlots,
		"reduces", r.ReduceSlots)
	return &tracker.RegisterReply{Tracker: handle, Cluster: d.cluster, Epoch: d.epoch, ProbePath: d.probe.path,
		ProbeText: d.probe.text}, nil
}

func (d *trackersService) Beat(ctx context.Context, r *tracker.Report) (*tracker.Desired, error) {
	d.metrics.beats.Inc()
	received := time.Now()
	defer func() { d.metrics.took.Observe(time.Since(received).Seconds()) }()
	in := &jobtracker.Input{Kind: jobtracker.InBeat, Report: fromReport(r)}
	halted := d.global.halted()
	check := func(m *jobtracker.Machine) error { return checkSpeaker(auth.From(ctx), m, r.Tracker) }
	reply, err := inputIf(ctx, d.owner, check, in, func(o *jobtracker.Output) *tracker.Desired {
		if !o.Desired.Register {
			d.vouched.note(auth.From(ctx), r.Addr)
		}
		if !o.Desired.Register && !halted {
			o.Desired.Advice = d.global.beat(d.owner.clock.now(), in.Report.Tracker, in.Report.Shares)
		}
		reply := toDesired(o.Desired)
		d.revocations(r, reply)
		return reply
	})
	if err == nil { // otherwise the machine might not have processed the report yet
		recycle(in.Report)
	}
	return reply, err
}

// maxRevoked is the maximum number of revoked tokens in a reply. Later replies contain the others.
const maxRevoked = 10_000

// revocations adds to a reply the revoked tokens that the TaskTracker does not have yet. The
// TaskTracker's pages must not admit the holders of these tokens.
func (d *trackersService) revocations(r *tracker.Report, reply *tracker.Desired) {
	known := r.Revocations
	if r.Epoch != reply.Epoch { // the tracker has the list of an earlier start
		known = 0
	}
	reply.Revoked = d.issued.RevokedAfter(known, maxRevoked)
	reply.Revocations = known + uint32(len(reply.Revoked))
}

// WaitForWork parks until the machine has news for the tracker or the request's time has passed. If
// the request has no version, WaitForWork returns immediately.
func (d *trackersService) WaitForWork(ctx context.Context, r *tracker.WaitRequest) (*tracker.WaitReply, error) {
	err := d.allow(ctx, func(p auth.Principal, m *jobtracker.Machine) error { return checkSpeaker(p, m, r.Tracker) })
	if err != nil {
		return nil, err
	}
	if r.Version == 0 {
		return &tracker.WaitReply{Version: d.trackerNews.version(r.Tracker), News: true}, nil
	}
	news, err := d.trackerNews.wait(ctx, r.Tracker, r.Version, millis(r.WaitMillis))
	if err != nil {
		return nil, err
	}
	return &tracker.WaitReply{Version: d.trackerNews.version(r.Tracker), News: news}, nil
}

// allow runs check, which decides whether the caller may make a call, and returns its error. For
// administrators, allow returns nil without waiting for the machine.
func (d *trackersService) allow(ctx context.Context, check func(auth.Principal, *jobtracker.Machine) error) error {
	p := auth.From(ctx)
	if p.Admin {
		return nil
	}
	_, err := look(ctx, d.owner, func(m *jobtracker.Machine) (struct{}, error) { return struct{}{}, check(p, m) })
	return err
}

// GetJob returns the data of a job, with its secrets, to the TaskTrackers that run its attempts.
func (d *trackersService) GetJob(ctx context.Context, r *tracker.GetJobRequest) (*tracker.JobInfo, error) {
	info := d.Daemon.jobs.get(r.Job)
	if info == nil {
		return nil, errNoJob("get job", job.ID{Cluster: d.cluster, Seq: r.Job})
	}
	err := d.allow(ctx, func(p auth.Principal, m *jobtracker.Machine) error { return checkReader(p, m, r.Tracker, r.Job) })
	if err != nil {
		return nil, err
	}
	return info, nil
}

// GetSkips returns the records that an attempt must skip. The machine determined them when it
// started the attempt.
func (d *trackersService) GetSkips(ctx context.Context, r *tracker.GetSkipsRequest) (*tracker.Skips, error) {
	id, ok := fromAttempt(r.GetAttempt())
	if !ok {
		return nil, errf(failure.Usage, "get skipped records", "", "the attempt is missing")
	}
	return look(ctx, d.owner, func(m *jobtracker.Machine) (*tracker.Skips, error) {
		if err := checkRunner(auth.From(ctx), m, id); err != nil {
			return nil, err
		}
		return toSkips(m.SkipPlan(id)), nil
	})
}

// maxUnclean is the maximum number of attempts that a cleanup task receives. CommitJob and AbortJob
// handle the others.
const maxUnclean = 10_000

// GetUnclean returns the attempts whose output a cleanup task must remove, but no more than
// maxUnclean.
func (d *trackersService) GetUnclean(ctx context.Context, r *tracker.GetUncleanRequest) (*tracker.Unclean, error) {
	return look(ctx, d.owner, func(m *jobtracker.Machine) (*tracker.Unclean, error) {
		if err := checkReader(auth.From(ctx), m, 0, r.Job); err != nil {
			return nil, err
		}
		out := &tracker.Unclean{}
		m.Attempts(r.Job, func(a jobtracker.AttemptInfo) bool {
			if a.ID.Type <= job.Reduce && a.State.Terminal() && !a.Winner {
				id := &tracker.Attempt{Job: a.ID.Job, Type: uint32(a.ID.Type), Index: a.ID.Index, N: a.ID.N}
				out.Attempt = append(out.Attempt, id)
			}
			return len(out.Attempt) < maxUnclean
		})
		return out, nil
	})
}

// GetAdministrators returns the list of a job's administrators because of its queue, also if the job
// is only in the history. A job can move, so the list of its submission could admit too many users.
func (d *trackersService) GetAdministrators(ctx context.Context, r *tracker.GetAdministratorsRequest) (
	*tracker.Administrators, error) {
	id, err := job.ParseID(r.Id)
	if err != nil {
		return nil, failure.New(failure.Usage, "find the administrators of", cut(r.Id, maxName), err)
	}
	spec, err := d.specOf(ctx, id)
	if err != nil {
		return nil, err
	}
	list := d.policies.Rules().Queues[spec.Queue].Administer
	return &tracker.Administrators{Queue: spec.Queue, List: list.String()}, nil
}

// CanCommit reports whether an attempt of a job with a custom committer can commit now.
func (d *trackersService) CanCommit(ctx context.Context, r *tracker.CanCommitRequest) (*tracker.CanCommitReply, error) {
	id, ok := fromAttempt(r.GetAttempt())
	if !ok {
		return nil, errf(failure.Usage, "commit", "", "the attempt is missing")
	}
	in := &jobtracker.Input{Kind: jobtracker.InCanCommit, Attempt: id}
	check := func(m *jobtracker.Machine) error { return checkRunner(auth.From(ctx), m, id) }
	return inputIf(ctx, d.owner, check, in, func(o *jobtracker.Output) *tracker.CanCommitReply {
		return &tracker.CanCommitReply{Granted: o.Granted}
	})
}

func toSkips(p *skip.Plan, on bool) *tracker.Skips {
	if !on {
		return &tracker.Skips{}
	}
	out := &tracker.Skips{On: true, Test: p.Test}
	for _, r := range p.Skip {
		out.Range = append(out.Range, &tracker.Range{Start: r.Start, Length: r.Length})
	}
	return out
}

// maxCompletions is the maximum number of completions in a reply.
const maxCompletions = 10_000

func (d *trackersService) Completions(ctx context.Context, r *tracker.CompletionsRequest) (
	*tracker.CompletionsReply, error,
) {
	if r.From < 0 || r.Max <= 0 {
		return nil, errf(failure.Usage, "list map outputs", "", "invalid range: from %d, at most %d", r.From, r.Max)
	}
	for parked := false; ; parked = true {
		version := d.outputNews.version(r.Job) // read before look, so that a change in between ends the wait
		reply, err := look(ctx, d.owner, func(m *jobtracker.Machine) (*tracker.CompletionsReply, error) {
			reply := mapOutputs(m, r)
			if reply.Gone {
				return reply, nil
			}
			if err := checkReader(auth.From(ctx), m, r.Tracker, r.Job); err != nil {
				return nil, err
			}
			return reply, nil
		})
		if reply.GetRestart() {
			d.cfg.Log.Warn("a TaskTracker knows more map outputs than the journal; it reads the list again",
				"job", r.Job, "tracker", r.Tracker, "knows", r.From)
		}
		if err != nil || len(reply.Event) > 0 || reply.Gone || reply.Restart || parked || r.WaitMillis <= 0 {
			return reply, err
		}
		if _, err := d.outputNews.wait(ctx, r.Job, version, millis(r.WaitMillis)); err != nil {
			return nil, err
		}
	}
}

// mapOutputs returns the part of a job's list that r requests. The list can be shorter than the
// TaskTracker's cursor only if the journal has lost facts. The TaskTracker must then read the list
// from the start, because the JobTracker can replace the lost entries with others.
func mapOutputs(m *jobtracker.Machine, r *tracker.CompletionsRequest) *tracker.CompletionsReply {
	j := m.Job(r.Job)
	if j == nil || j.State.Terminal() {
		return &tracker.CompletionsReply{Gone: true}
	}
	all := m.Completions(r.Job)
	from := int(r.From)
	if from > len(all) {
		return &tracker.CompletionsReply{Restart: true}
	}
	reply := &tracker.CompletionsReply{}
	for _, c := range all[from:min(len(all), from+min(int(r.Max), maxCompletions))] {
		e := &tracker.Completion{Map: c.Map, Attempt: c.Attempt, Obsolete: c.Obsolete}
		if t, ok := m.TrackerInfo(c.Tracker); ok {
			e.Addr, e.Host = t.Addr, t.Host
		}
		reply.Event = append(reply.Event, e)
	}
	return reply
}

func (d *trackersService) Leave(ctx context.Context, r *tracker.LeaveRequest) (*tracker.LeaveReply, error) {
	known, err := look(ctx, d.owner, func(m *jobtracker.Machine) (bool, error) {
		t, ok := m.TrackerInfo(r.Tracker)
		return ok && t.Incarnation == r.Incarnation, checkSpeaker(auth.From(ctx), m, r.Tracker)
	})
	if err != nil || !known {
		return &tracker.LeaveReply{}, err
	}
	in := &jobtracker.Input{Kind: jobtracker.InTrackerLeave, Tracker: r.Tracker}
	return input(ctx, d.owner, in, func(*jobtracker.Output) *tracker.LeaveReply { return &tracker.LeaveReply{} })
}

func millis(n int64) time.Duration {
	return time.Duration(min(max(n, 0), maxPark.Milliseconds())) * time.Millisecond
}
