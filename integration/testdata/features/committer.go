package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mapreduce"
)

// committed counts lines. Its committer records each successful call of its methods as a file in
// the directory that features.ledger names. The settings features.SetupJob, features.CommitTask,
// and so on make a call misbehave. Their values are fail, fail-once, exit-once, and hang-once.
// "Once" means in a task's first attempt.
var committed = &mapreduce.Job{Name: "committed", Mapper: picky.Mapper, Reducer: picky.Reducer,
	Committer: func() mapreduce.OutputCommitter { return ledger{} }}

type ledger struct{}

// note creates a file that records a call. Its name contains the method, the task, and the attempt.
func (ledger) note(c *mapreduce.Context, what string) error {
	dir := c.Conf.Get("features.ledger")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(dir, fmt.Sprintf("%s %s %d", what, c.Task().Attempt.TaskID.String()[len("task_"):],
		c.Task().Attempt.N)))
	if err != nil {
		return err
	}
	return f.Close()
}

// do fails, exits, or hangs if the job's settings say so. Otherwise, it records the call.
func (l ledger) do(c *mapreduce.Context, what string) error {
	how := c.Conf.Get("features." + what)
	if how == "fail" || how == "fail-once" && c.Task().Attempt.N == 0 {
		return errors.New("the ledger refuses " + what)
	}
	if c.Task().Attempt.N == 0 {
		switch how {
		case "exit-once":
			os.Exit(8)
		case "hang-once":
			_ = l.note(c, "hangs in "+what)
			time.Sleep(time.Hour)
		}
	}
	return l.note(c, what)
}

func (l ledger) SetupJob(c *mapreduce.Context) error              { return l.do(c, "SetupJob") }
func (l ledger) SetupTask(c *mapreduce.Context) error             { return l.do(c, "SetupTask") }
func (l ledger) NeedsTaskCommit(*mapreduce.Context) (bool, error) { return true, nil }
func (l ledger) CommitTask(c *mapreduce.Context) error            { return l.do(c, "CommitTask") }
func (l ledger) AbortTask(c *mapreduce.Context) error             { return l.do(c, "AbortTask") }
func (l ledger) CommitJob(c *mapreduce.Context) error             { return l.do(c, "CommitJob") }
func (l ledger) AbortJob(c *mapreduce.Context, end job.State) error {
	return l.do(c, "AbortJob-"+end.String())
}
