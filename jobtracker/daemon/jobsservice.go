package daemon

import (
	"context"
	"time"

	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
)

// jobsService answers clients.
type jobsService struct {
	client.UnimplementedJobsServer
	*Daemon
}

func (d *jobsService) NewJob(ctx context.Context, r *client.NewJobRequest) (*client.NewJobReply, error) {
	if err := rpc.CheckProtocol(r.Protocol); err != nil {
		return nil, err
	}
	if err := checkName("user", r.User); err != nil {
		return nil, err
	}
	known, err := d.jobByKey(ctx, r.SubmitKey)
	if err != nil {
		return nil, err
	}
	reply := &client.NewJobReply{Program: d.program, ProbePath: d.probe.path, ProbeText: d.probe.text, Renewer: d.cfg.Principal}
	if known != 0 {
		reply.Existing = job.ID{Cluster: d.cluster, Seq: known}.String()
		return reply, nil
	}
	leave, err := d.gate.enter() // early, before anything is staged
	if err != nil {
		return nil, err
	}
	leave()
	seq, err := d.jobs.reserve()
	if err != nil {
		return nil, err
	}
	id := job.ID{Cluster: d.cluster, Seq: seq}
	fs, dir, err := d.stagingDir(r.User, id)
	if err != nil {
		return nil, err
	}
	reply.Id, reply.StagingDir = id.String(), fs.URI()+dir
	return reply, nil
}

func (d *jobsService) Submit(ctx context.Context, r *client.SubmitRequest) (*client.SubmitReply, error) {
	id, err := d.submit(ctx, r)
	if err != nil {
		return nil, err
	}
	return &client.SubmitReply{Id: id.String(), TrackingUrl: d.trackingURL(id)}, nil
}

func (d *jobsService) Status(ctx context.Context, r *client.StatusRequest) (*client.JobStatus, error) {
	id, err := d.parseJob("show job", r.Id)
	if err != nil {
		return nil, err
	}
	if r.Version != 0 && r.WaitMillis > 0 {
		if _, err := d.jobNews.wait(ctx, id.Seq, r.Version, millis(r.WaitMillis)); err != nil {
			return nil, err
		}
	}
	version := d.jobNews.version(id.Seq) // before the look: what happens in between is news next time
	s, err := look(ctx, d.owner, func(m *jobtracker.Machine) (*client.JobStatus, error) { return d.jobStatus(m, id.Seq, r), nil })
	if err != nil {
		return nil, err
	}
	if s == nil {
		return d.retiredStatus(id, r)
	}
	s.Version = version
	return s, nil
}

func (d *jobsService) List(ctx context.Context, r *client.ListRequest) (*client.ListReply, error) {
	return look(ctx, d.owner, func(m *jobtracker.Machine) (*client.ListReply, error) {
		reply := &client.ListReply{}
		for _, seq := range m.AllJobs() {
			j := m.Job(seq)
			if j.State.Terminal() && !r.All || r.Queue != "" && j.Spec.Queue != r.Queue && groupOf(m, seq) != r.Queue {
				continue
			}
			reply.Job = append(reply.Job, d.jobStatus(m, seq, &client.StatusRequest{}))
		}
		return reply, nil
	})
}

// Kill of a job that is over does nothing, whether the machine still knows the job or only its history.
func (d *jobsService) Kill(ctx context.Context, r *client.KillRequest) (*client.Empty, error) {
	reply, err := d.change(ctx, "kill job", r.Id, &jobtracker.Input{Kind: jobtracker.InKillJob, Text: cut(r.Why, maxText), User: d.requester(r.User)})
	if failure.Is(err, failure.NotFound) {
		if id, parsed := job.ParseID(r.Id); parsed == nil && d.history.has(id) {
			return &client.Empty{}, nil
		}
	}
	return reply, err
}

func (d *jobsService) SetPriority(ctx context.Context, r *client.PriorityRequest) (*client.Empty, error) {
	p, ok := job.ParsePriority(r.Priority)
	if !ok {
		return nil, errf(failure.Usage, "set priority", r.Id, "%q is no priority", r.Priority).Fix("use one of VERY_HIGH HIGH NORMAL LOW VERY_LOW")
	}
	return d.change(ctx, "set priority", r.Id, &jobtracker.Input{Kind: jobtracker.InSetPriority, Priority: p, User: d.requester(r.User)})
}

// change steps the machine for one job.
func (d *jobsService) change(ctx context.Context, op, text string, in *jobtracker.Input) (*client.Empty, error) {
	id, err := d.parseJob(op, text)
	if err != nil {
		return nil, err
	}
	in.Job = id.Seq
	return input(ctx, d.owner, in, func(*jobtracker.Output) *client.Empty { return &client.Empty{} })
}

func (d *jobsService) KillAttempt(ctx context.Context, r *client.KillAttemptRequest) (*client.Empty, error) {
	id, err := job.ParseAttemptID(r.Attempt)
	if err == nil && id.Job.Cluster != d.cluster {
		err = errNoJob("kill attempt", id.Job)
	}
	if err != nil {
		return nil, failure.New(failure.Usage, "kill attempt", r.Attempt, err)
	}
	in := &jobtracker.Input{Kind: jobtracker.InKillAttempt, Attempt: id.Ref(), Job: id.Job.Seq, Text: cut(r.Why, maxText), User: d.requester(r.User)}
	if r.Fail {
		in.Kind = jobtracker.InFailAttempt
	}
	return input(ctx, d.owner, in, func(*jobtracker.Output) *client.Empty { return &client.Empty{} })
}

// maxEvents bounds one answer of Events.
const maxEvents = 10_000

func (d *jobsService) Events(ctx context.Context, r *client.EventsRequest) (*client.EventsReply, error) {
	id, err := d.parseJob("list events", r.Id)
	if err != nil {
		return nil, err
	}
	from, n := int(max(r.From, 0)), int(min(max(r.Max, 0), maxEvents))
	reply, err := look(ctx, d.owner, func(m *jobtracker.Machine) (*client.EventsReply, error) { return taskEvents(m, id.Seq, from, n), nil })
	if err != nil || reply != nil {
		return reply, err
	}
	m, err := d.retired(id)
	if err != nil {
		return nil, err
	}
	return taskEvents(m, id.Seq, from, n), nil
}

func (d *jobsService) Cluster(ctx context.Context, _ *client.Empty) (*client.ClusterStatus, error) {
	return look(ctx, d.owner, func(m *jobtracker.Machine) (*client.ClusterStatus, error) { return d.clusterStatus(m), nil })
}

// parseJob reads a job's id; one of another cluster is unknown here.
func (d *Daemon) parseJob(op, text string) (job.ID, error) {
	id, err := job.ParseID(text)
	if err != nil {
		return job.ID{}, failure.New(failure.Usage, op, "", err)
	}
	if id.Cluster != d.cluster {
		return job.ID{}, errNoJob(op, id)
	}
	return id, nil
}

func millis(n int64) time.Duration {
	return time.Duration(min(max(n, 0), maxPark.Milliseconds())) * time.Millisecond
}
