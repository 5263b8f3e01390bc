package mapreduce

import "github.com/howdah/howdah/job"

// OutputCommitter takes part in how a job's output comes to count: for output that is not in files, or files that are elsewhere.
// What tasks write by Context.CreateOutput is published by the runtime all the same, after CommitJob and with _SUCCESS last. A job
// names one in Job.Committer; each attempt makes its own.
//
// On a cluster SetupJob, CommitJob and AbortJob run in attempts of their own (job_setup and job_cleanup in Hadoop's words), which
// are repeated when they fail or their node is lost: they must bear that. A job whose set-up fails runs no task. A JobTracker
// that restarts loses no finished task, so there is nothing to recover.
type OutputCommitter interface {
	// SetupJob is called once before any task starts.
	SetupJob(c *Context) error
	// SetupTask is called at the start of each attempt.
	SetupTask(c *Context) error
	// NeedsTaskCommit tells whether the attempt has anything to commit.
	NeedsTaskCommit(c *Context) (bool, error)
	// CommitTask is called when the attempt is done. The JobTracker lets one attempt of a task do this at a time, and none after
	// one has succeeded.
	CommitTask(c *Context) error
	// AbortTask takes back what an attempt did that failed, was killed, or was not to commit. The attempt itself calls it if it still
	// can; for all that ended without success it is called once more, in their stead, before CommitJob and AbortJob.
	AbortTask(c *Context) error
	// CommitJob is called when all tasks are done.
	CommitJob(c *Context) error
	// AbortJob is called instead when the job failed or was killed: end is job.Failed or job.Killed.
	AbortJob(c *Context, end job.State) error
}
