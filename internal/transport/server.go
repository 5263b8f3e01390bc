package transport

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/grpc"

	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
)

// Register makes the server s pass clients' calls to jobs.
func Register(s grpc.ServiceRegistrar, jobs Jobs) {
	client.RegisterJobsServer(s, &answerer{jobs: jobs})
}

// answerer translates messages from clients into calls to Jobs. It rejects messages with invalid
// IDs.
type answerer struct {
	client.UnimplementedJobsServer
	jobs Jobs
}

// parseJob parses the job ID in a message. op is the operation, for the error.
func parseJob(op, text string) (job.ID, error) {
	id, err := job.ParseID(text)
	if err != nil {
		return id, failure.New(failure.Usage, op, "", err)
	}
	return id, nil
}

// reply converts answer, the result of a call, to a message. If err is not nil, it returns err.
func reply[A, M any](answer A, err error, message func(A) *M) (*M, error) {
	if err != nil {
		return nil, err
	}
	return message(answer), nil
}

func empty(err error) (*client.Empty, error) {
	if err != nil {
		return nil, err
	}
	return &client.Empty{}, nil
}

func text(s string) *client.AdminReply { return &client.AdminReply{Text: s} }

func (a *answerer) NewJob(ctx context.Context, r *client.NewJobRequest) (*client.NewJobReply, error) {
	p, err := a.jobs.NewJob(ctx, NewJob{User: r.User, Key: r.SubmitKey, Protocol: r.Protocol})
	return reply(p, err, func(p *Place) *client.NewJobReply {
		return &client.NewJobReply{Id: p.ID, StagingDir: p.StagingDir, Program: p.Program, ProbePath: p.ProbePath,
			ProbeText: p.ProbeText,
			Existing:  p.Existing, Renewer: p.Renewer, Receipt: p.Receipt}
	})
}

func (a *answerer) Submit(ctx context.Context, r *client.SubmitRequest) (*client.SubmitReply, error) {
	s, err := a.jobs.Submit(ctx, Submission{ID: r.Id, StagingDir: r.StagingDir, User: r.User, Key: r.SubmitKey,
		Credentials: r.Credentials, TokenServers: r.TokenServer, Receipt: r.Receipt})
	return reply(s, err, func(s *Submitted) *client.SubmitReply {
		return &client.SubmitReply{Id: s.ID.String(), TrackingUrl: s.TrackingURL}
	})
}

func (a *answerer) Status(ctx context.Context, r *client.StatusRequest) (*client.JobStatus, error) {
	id, err := parseJob("show job", r.Id)
	if err != nil {
		return nil, err
	}
	j, err := a.jobs.Status(ctx, id, status.Query{Attempts: r.Attempts, Counters: r.Counters, Version: r.Version,
		Wait: millis(r.WaitMillis), User: r.User})
	return reply(j, err, jobToWire)
}

// maxMillis is the maximum duration in a client's request, in ms.
const maxMillis = 1 << 40

func millis(n int64) time.Duration {
	return time.Duration(min(max(n, 0), maxMillis)) * time.Millisecond
}

func (a *answerer) List(ctx context.Context, r *client.ListRequest) (*client.ListReply, error) {
	jobs, err := a.jobs.List(ctx, status.Filter{All: r.All, Queue: r.Queue, User: r.User})
	return reply(jobs, err, func(jobs []*status.Job) *client.ListReply {
		return &client.ListReply{Job: List(jobs,
			jobToWire)}
	})
}

func (a *answerer) Events(ctx context.Context, r *client.EventsRequest) (*client.EventsReply, error) {
	id, err := parseJob("list events", r.Id)
	if err != nil {
		return nil, err
	}
	events, err := a.jobs.Events(ctx, id, r.From, r.Max, r.User)
	return reply(events, err, func(e []status.Event) *client.EventsReply {
		return &client.EventsReply{Event: List(e,
			eventToWire)}
	})
}

func (a *answerer) Cluster(ctx context.Context, _ *client.Empty) (*client.ClusterStatus, error) {
	c, err := a.jobs.Cluster(ctx)
	return reply(c, err, clusterToWire)
}

func (a *answerer) Scheduler(ctx context.Context, r *client.SchedulerRequest) (*client.SchedulerStatus, error) {
	s, err := a.jobs.Scheduler(ctx, r.User)
	return reply(s, err, schedulerToWire)
}

func (a *answerer) Queues(ctx context.Context, r *client.QueuesRequest) (*client.QueuesReply, error) {
	q, err := a.jobs.Queues(ctx, r.User)
	return reply(q, err, func(q []status.Queue) *client.QueuesReply {
		return &client.QueuesReply{Queue: List(q,
			queueToWire)}
	})
}

func (a *answerer) Kill(ctx context.Context, r *client.KillRequest) (*client.Empty, error) {
	id, err := parseJob("kill job", r.Id)
	if err != nil {
		return nil, err
	}
	return empty(a.jobs.Kill(ctx, id, By{r.User, r.Why}))
}

func (a *answerer) SetPriority(ctx context.Context, r *client.PriorityRequest) (*client.Empty, error) {
	p, ok := job.ParsePriority(r.Priority)
	if !ok {
		return nil, failure.New(failure.Usage, "set priority", r.Id, fmt.Errorf("%q is not a priority", r.Priority)).
			Fix("use VERY_HIGH, HIGH, NORMAL, LOW or VERY_LOW")
	}
	id, err := parseJob("set priority", r.Id)
	if err != nil {
		return nil, err
	}
	return empty(a.jobs.SetPriority(ctx, id, p, r.User))
}

func (a *answerer) SetDeadline(ctx context.Context, r *client.DeadlineRequest) (*client.Empty, error) {
	id, err := parseJob("set deadline", r.Id)
	if err != nil {
		return nil, err
	}
	return empty(a.jobs.SetDeadline(ctx, id, r.Deadline, r.User))
}

func (a *answerer) Move(ctx context.Context, r *client.MoveRequest) (*client.Empty, error) {
	id, err := parseJob("move job", r.Id)
	if err != nil {
		return nil, err
	}
	return empty(a.jobs.Move(ctx, id, r.Queue, r.User))
}

func (a *answerer) KillAttempt(ctx context.Context, r *client.KillAttemptRequest) (*client.Empty, error) {
	id, err := job.ParseAttemptID(r.Attempt)
	if err != nil {
		return nil, failure.New(failure.Usage, "kill attempt", r.Attempt, err)
	}
	return empty(a.jobs.KillAttempt(ctx, id, r.Fail, By{r.User, r.Why}))
}

func (a *answerer) RefreshNodes(ctx context.Context, r *client.AdminRequest) (*client.AdminReply, error) {
	t, err := a.jobs.RefreshNodes(ctx, r.User)
	return reply(t, err, text)
}

func (a *answerer) RefreshQueues(ctx context.Context, r *client.AdminRequest) (*client.AdminReply, error) {
	t, err := a.jobs.RefreshQueues(ctx, r.User)
	return reply(t, err, text)
}

func (a *answerer) SetScheduler(ctx context.Context, r *client.SetSchedulerRequest) (*client.AdminReply, error) {
	set := List(r.Set, func(p *client.Property) job.Property {
		return job.Property{Name: p.GetName(),
			Value: p.GetValue()}
	})
	t, err := a.jobs.SetScheduler(ctx, r.Name, set, By{User: r.User, Why: r.Why})
	return reply(t, err, text)
}

func (a *answerer) DrainTracker(ctx context.Context, r *client.DrainRequest) (*client.TrackerStatus, error) {
	t, err := a.jobs.DrainTracker(ctx, r.Tracker, status.DrainMode(r.How), By{r.User, r.Why})
	return reply(t, err, trackerToWire)
}

func (a *answerer) TakeJobs(ctx context.Context, r *client.TakeJobsRequest) (*client.TakeJobsReply, error) {
	rest, err := a.jobs.TakeJobs(ctx, r.Closed, r.User)
	return reply(rest, err, func(r Rest) *client.TakeJobsReply {
		return &client.TakeJobsReply{Unfinished: r.Unfinished, Epoch: r.Epoch}
	})
}

func (a *answerer) SafeMode(ctx context.Context, _ *client.Empty) (*client.SafeModeReply, error) {
	awaited, on, err := a.jobs.SafeMode(ctx)
	return reply(awaited, err, func(n int32) *client.SafeModeReply { return &client.SafeModeReply{On: on, Awaited: n} })
}
