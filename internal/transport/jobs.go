// Package transport translates between howdah's protocols and the other packages. [Jobs] is the
// interface of a JobTracker without protobuf. [Register] serves an implementation of Jobs, and
// [Client] calls one over a connection.
package transport

import (
	"context"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
)

// Jobs is a JobTracker's interface for clients. It is safe for concurrent use. Errors are of type
// *failure.Error.
type Jobs interface {
	// NewJob reserves an ID and a staging directory for a job.
	NewJob(context.Context, NewJob) (*Place, error)
	// Submit admits a staged job. If the client repeats a submission with the same key, Submit
	// returns the same job.
	Submit(context.Context, Submission) (*Submitted, error)

	// Status returns the status of a job. If the user is not permitted to see the job, the error is
	// of kind Permission.
	Status(context.Context, job.ID, status.Query) (*status.Job, error)
	// List returns the jobs that the filter selects. For jobs that the user is not permitted to
	// see, it returns only a summary.
	List(context.Context, status.Filter) ([]*status.Job, error)
	// Events returns at most n events about ended attempts, starting with event number from.
	Events(ctx context.Context, id job.ID, from, n int32, user string) ([]status.Event, error)
	Cluster(context.Context) (*status.Cluster, error)
	Scheduler(ctx context.Context, user string) (*status.Scheduler, error)
	// Queues returns all queues with the user's rights in each.
	Queues(ctx context.Context, user string) ([]status.Queue, error)

	// Kill kills a job. It does nothing if the job has ended.
	Kill(context.Context, job.ID, By) error
	SetPriority(ctx context.Context, id job.ID, p job.Priority, user string) error
	// SetDeadline changes a job's deadline. deadline has the form of mapreduce.job.deadline, relative
	// to the time of the call, or is status.NoDeadline.
	SetDeadline(ctx context.Context, id job.ID, deadline, user string) error
	// Move moves an unfinished job to another queue or pool.
	Move(ctx context.Context, id job.ID, queue, user string) error
	// KillAttempt ends an attempt. If fail is set, the attempt counts as failed.
	KillAttempt(ctx context.Context, id job.AttemptID, fail bool, by By) error

	// The methods from RefreshNodes to TakeJobs are for administrators. The returned strings are
	// replies to show to the administrator.
	RefreshNodes(ctx context.Context, user string) (string, error)
	RefreshQueues(ctx context.Context, user string) (string, error)
	SetScheduler(ctx context.Context, name string, set []job.Property, by By) (string, error)
	// DrainTracker starts, changes, or ends the drain of a TaskTracker.
	DrainTracker(ctx context.Context, name string, how status.DrainMode, by By) (*status.Tracker, error)
	// TakeJobs makes the JobTracker reject new jobs. closed is the reason; "" makes the JobTracker
	// accept jobs again.
	TakeJobs(ctx context.Context, closed, user string) (Rest, error)
	// SafeMode reports whether the JobTracker is in safe mode. awaited is the number of
	// TaskTrackers that have not reported since the restart.
	SafeMode(context.Context) (awaited int32, on bool, err error)
}

// By contains the user who requests an action and the user's reason.
type By struct{ User, Why string }

// NewJob is a request for a job's ID and staging directory. Key identifies the submission, so that
// the client can repeat it. Protocol is the client's rpc.Protocol.
type NewJob struct {
	User, Key string
	Protocol  int32
}

// Place is the reply to NewJob. It contains the directory in which the client must stage the job.
type Place struct {
	ID         string
	StagingDir string // URI
	Program    string // identity of the JobTracker's own binary
	// ProbePath is the path of a file that contains ProbeText. If the client cannot read that file, it
	// does not share storage with the JobTracker.
	ProbePath, ProbeText string
	Existing             string // ID of an earlier job with the same key; "" means none
	Renewer              string // Kerberos principal that can renew the job's tokens; "" means none
	Receipt              []byte // proves that the user requested the ID
}

// Submission is a staged job.
type Submission struct {
	ID, StagingDir, User, Key string
	Credentials               []byte   // the job's tokens and secrets in Hadoop's file format
	TokenServers              []string // URIs of the file systems whose tokens were issued for this job only
	Receipt                   []byte   // from Place
}

// Submitted is a job that the JobTracker has admitted.
type Submitted struct {
	ID          job.ID
	TrackingURL string
}

// Rest contains the state that shows whether a JobTracker is idle.
type Rest struct {
	Unfinished int32 // number of unfinished jobs, including ongoing submissions
	Epoch      int64 // increases with every start of the JobTracker
}
