package mapreduce

import "github.com/howdah/howdah/job"

// OutputCommitter controls how a job publishes its output. Use one for output that is not in files
// or is outside the output directory. The runtime still publishes files that tasks create with
// Context.CreateOutput. It does so after CommitJob and writes _SUCCESS last. Set Job.Committer to
// use a committer; each attempt creates a new one.
//
// On a cluster, SetupJob, CommitJob, and AbortJob run in separate attempts, called job_setup and
// job_cleanup in Hadoop. The JobTracker retries these attempts if they fail or their node is lost,
// so the methods must be idempotent. If the setup of a job fails, none of its tasks run. There is
// no recovery method because a restarted JobTracker keeps all finished tasks.
type OutputCommitter interface {
	// SetupJob runs before any task starts.
	SetupJob(c *Context) error
	// SetupTask runs at the start of each map or reduce attempt.
	SetupTask(c *Context) error
	// NeedsTaskCommit reports whether the attempt has anything to commit.
	NeedsTaskCommit(c *Context) (bool, error)
	// CommitTask runs at the end of an attempt if NeedsTaskCommit returns true. The JobTracker
	// permits only one attempt of a task to commit at a time, and no others after one has
	// succeeded.
	CommitTask(c *Context) error
	// AbortTask undoes the work of an attempt that failed, was killed, or must not commit. The
	// attempt calls AbortTask itself if possible. On a cluster, AbortTask also runs before CommitJob
	// or AbortJob for unsuccessful attempts (at most 10,000 of them).
	AbortTask(c *Context) error
	// CommitJob runs after all tasks are done.
	CommitJob(c *Context) error
	// AbortJob runs if the job failed or was killed, even after CommitJob has failed. It does not run
	// if no setup attempt has started. end is job.Failed or job.Killed.
	AbortJob(c *Context, end job.State) error
}
