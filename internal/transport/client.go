package transport

import (
	"context"

	"google.golang.org/grpc"

	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
)

// Client returns the services of the JobTracker at the other end of a connection.
func Client(conn grpc.ClientConnInterface) Jobs { return &caller{client.NewJobsClient(conn)} }

// caller implements Jobs. It translates calls into messages to the JobTracker.
type caller struct{ jobs client.JobsClient }

func (c *caller) NewJob(ctx context.Context, r NewJob) (*Place, error) {
	p, err := c.jobs.NewJob(ctx, &client.NewJobRequest{User: r.User, SubmitKey: r.Key, Protocol: r.Protocol})
	if err != nil {
		return nil, err
	}
	return &Place{ID: p.Id, StagingDir: p.StagingDir, Program: p.Program, ProbePath: p.ProbePath, ProbeText: p.ProbeText,
		Existing: p.Existing, Renewer: p.Renewer, Receipt: p.Receipt}, nil
}

func (c *caller) Submit(ctx context.Context, s Submission) (*Submitted, error) {
	r, err := c.jobs.Submit(ctx, &client.SubmitRequest{Id: s.ID, StagingDir: s.StagingDir, User: s.User, SubmitKey: s.Key,
		Credentials: s.Credentials, TokenServer: s.TokenServers, Receipt: s.Receipt})
	if err != nil {
		return nil, err
	}
	id, err := job.ParseID(r.Id)
	if err != nil {
		return nil, failure.New(failure.Internal, "submit job", s.ID, err)
	}
	return &Submitted{ID: id, TrackingURL: r.TrackingUrl}, nil
}

func (c *caller) Status(ctx context.Context, id job.ID, q status.Query) (*status.Job, error) {
	j, err := c.jobs.Status(ctx, &client.StatusRequest{Id: id.String(), Attempts: q.Attempts, Counters: q.Counters,
		Version: q.Version, WaitMillis: q.Wait.Milliseconds(), User: q.User})
	if err != nil {
		return nil, err
	}
	return jobFromWire(j, q), nil
}

func (c *caller) List(ctx context.Context, f status.Filter) ([]*status.Job, error) {
	r, err := c.jobs.List(ctx, &client.ListRequest{All: f.All, Queue: f.Queue, User: f.User})
	if err != nil {
		return nil, err
	}
	return List(r.Job, func(j *client.JobStatus) *status.Job { return jobFromWire(j, status.Query{}) }), nil
}

func (c *caller) Events(ctx context.Context, id job.ID, from, n int32, user string) ([]status.Event, error) {
	r, err := c.jobs.Events(ctx, &client.EventsRequest{Id: id.String(), From: from, Max: n, User: user})
	if err != nil {
		return nil, err
	}
	return List(r.Event, eventFromWire), nil
}

func (c *caller) Cluster(ctx context.Context) (*status.Cluster, error) {
	r, err := c.jobs.Cluster(ctx, &client.Empty{})
	if err != nil {
		return nil, err
	}
	return clusterFromWire(r), nil
}

func (c *caller) Scheduler(ctx context.Context, user string) (*status.Scheduler, error) {
	r, err := c.jobs.Scheduler(ctx, &client.SchedulerRequest{User: user})
	if err != nil {
		return nil, err
	}
	return schedulerFromWire(r), nil
}

func (c *caller) Queues(ctx context.Context, user string) ([]status.Queue, error) {
	r, err := c.jobs.Queues(ctx, &client.QueuesRequest{User: user})
	if err != nil {
		return nil, err
	}
	return List(r.Queue, queueFromWire), nil
}

func (c *caller) Kill(ctx context.Context, id job.ID, by By) error {
	_, err := c.jobs.Kill(ctx, &client.KillRequest{Id: id.String(), Why: by.Why, User: by.User})
	return err
}

func (c *caller) SetPriority(ctx context.Context, id job.ID, p job.Priority, user string) error {
	_, err := c.jobs.SetPriority(ctx, &client.PriorityRequest{Id: id.String(), Priority: p.String(), User: user})
	return err
}

func (c *caller) SetDeadline(ctx context.Context, id job.ID, deadline, user string) error {
	_, err := c.jobs.SetDeadline(ctx, &client.DeadlineRequest{Id: id.String(), Deadline: deadline, User: user})
	return err
}

func (c *caller) Move(ctx context.Context, id job.ID, queue, user string) error {
	_, err := c.jobs.Move(ctx, &client.MoveRequest{Id: id.String(), Queue: queue, User: user})
	return err
}

func (c *caller) KillAttempt(ctx context.Context, id job.AttemptID, fail bool, by By) error {
	_, err := c.jobs.KillAttempt(ctx, &client.KillAttemptRequest{Attempt: id.String(), Fail: fail, Why: by.Why,
		User: by.User})
	return err
}

func (c *caller) RefreshNodes(ctx context.Context, user string) (string, error) {
	r, err := c.jobs.RefreshNodes(ctx, &client.AdminRequest{User: user})
	return r.GetText(), err
}

func (c *caller) RefreshQueues(ctx context.Context, user string) (string, error) {
	r, err := c.jobs.RefreshQueues(ctx, &client.AdminRequest{User: user})
	return r.GetText(), err
}

func (c *caller) SetScheduler(ctx context.Context, name string, set []job.Property, by By) (string, error) {
	r, err := c.jobs.SetScheduler(ctx, &client.SetSchedulerRequest{Name: name, User: by.User, Why: by.Why,
		Set: List(set, func(p job.Property) *client.Property { return &client.Property{Name: p.Name, Value: p.Value} })})
	return r.GetText(), err
}

func (c *caller) DrainTracker(ctx context.Context, name string, how status.DrainMode, by By) (*status.Tracker, error) {
	t, err := c.jobs.DrainTracker(ctx, &client.DrainRequest{Tracker: name, How: string(how), Why: by.Why, User: by.User})
	if err != nil {
		return nil, err
	}
	return trackerFromWire(t), nil
}

func (c *caller) TakeJobs(ctx context.Context, closed, user string) (Rest, error) {
	r, err := c.jobs.TakeJobs(ctx, &client.TakeJobsRequest{Closed: closed, User: user})
	return Rest{r.GetUnfinished(), r.GetEpoch()}, err
}

func (c *caller) SafeMode(ctx context.Context) (awaited int32, on bool, err error) {
	r, err := c.jobs.SafeMode(ctx, &client.Empty{})
	return r.GetAwaited(), r.GetOn(), err
}
