package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	urfave "github.com/urfave/cli/v2"

	jobclient "github.com/howdah/howdah/client"
	"github.com/howdah/howdah/dfs/schemes"
	"github.com/howdah/howdah/internal/jsonout"
	"github.com/howdah/howdah/internal/runner"
	"github.com/howdah/howdah/internal/visible"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
)

// historyArgs are the arguments of -history: a job, its output directory, or a journal file and a
// job in it.
const historyArgs = "[all] ID|OUTPUTDIR|JOURNAL [ID]"

// jhistFlag is the option of -history that writes jobs in Hadoop's format, and jhistArgs are its
// arguments: jobs, or a journal file and jobs in it.
const (
	jhistFlag = "jhist"
	jhistArgs = "-jhist DIR ID|OUTPUTDIR|JOURNAL [ID]..."
)

// jobHistory prints the history of a finished or running job: times, numbers of tasks, and failures
// with their TaskTrackers. With all, it lists every attempt.
func (s *session) jobHistory(c *urfave.Context, jobs *jobclient.Client) error {
	args := c.Args().Slice()
	all := len(args) > 0 && args[0] == "all"
	if all {
		args = args[1:]
	}
	if len(args) != 1 {
		return usageError("howdah job -history " + historyArgs)
	}
	id, err := s.jobNamed(c.Context, jobs, args[0])
	if err != nil {
		return err
	}
	j, err := jobs.History(c.Context, id)
	if err != nil {
		return err
	}
	return s.show(c, jsonout.OfJob(j, true), func() error { return writeHistory(s.out, j, all) })
}

// jobNamed returns the ID of a job. name is this ID or a directory. For a directory, jobNamed
// returns the ID of the latest job that wrote to it.
func (s *session) jobNamed(ctx context.Context, jobs *jobclient.Client, name string) (job.ID, error) {
	if id, err := job.ParseID(name); err == nil {
		return id, nil
	}
	c, err := s.filesConfig(ctx)
	if err != nil {
		return job.ID{}, err
	}
	files, err := schemes.Resolver(c, nil)
	if err != nil {
		return job.ID{}, err
	}
	defer files.Close()
	j, err := jobs.FindByOutput(ctx, files, name)
	if err != nil {
		return job.ID{}, err
	}
	return j.ID, nil
}

func writeHistory(w io.Writer, j *status.Job, all bool) error {
	fmt.Fprintf(w, "\nHadoop job: %s\n=====================================\n", j.ID)
	fmt.Fprintf(w, "User: %s\nJobName: %s\nJobConf: %s\n", j.User, visible.Text(j.Name), j.JobFile)
	fmt.Fprintf(w, "Submitted At: %s\nLaunched At: %s%s\nFinished At: %s%s\nStatus: %s\n",
		clock(j.SubmitMs), clock(j.StartMs), span(j.SubmitMs, j.StartMs), clock(j.FinishMs),
		span(j.StartMs, j.FinishMs), j.State)
	if j.Diagnostics != "" {
		fmt.Fprintf(w, "Reason: %s\n", j.Diagnostics)
	}
	fmt.Fprintln(w, "=====================================")
	if err := writeTaskSummary(w, j); err != nil {
		return err
	}
	for _, a := range j.Attempts {
		if failed := a.State == job.AttemptFailed; all || failed {
			fmt.Fprintf(w, "\n%s %s on %s%s: %s to %s%s\n", a.State, a.ID, a.Tracker, borrowedSlot(a), clock(a.StartMs),
				clock(a.FinishMs), span(a.StartMs, a.FinishMs))
			if a.Diagnostics != "" {
				fmt.Fprintln(w, a.Diagnostics)
			}
		}
	}
	fmt.Fprintln(w)
	runner.WriteCounters(w, j.Counters)
	return nil
}

// borrowedSlot returns a note about an attempt's slot if the slot's type differs from the attempt's
// own. Otherwise, it returns "".
func borrowedSlot(a *status.Attempt) string {
	if !a.ForeignSlot() {
		return ""
	}
	return " (" + strings.ToLower(a.Slot.String()) + " slot)"
}

// writeTaskSummary prints Hadoop's table of attempts by type and final state.
func writeTaskSummary(w io.Writer, j *status.Job) error {
	fmt.Fprintln(w, "\nTask Summary\n============================")
	t := tabwriter.NewWriter(w, 0, 8, 1, '\t', 0)
	fmt.Fprintln(t, "Kind\tTotal\tSuccessful\tFailed\tKilled\tStartTime\tFinishTime")
	for _, kind := range []struct {
		title string
		typ   job.TaskType
	}{{"Map", job.Map}, {"Reduce", job.Reduce}} {
		var total, good, failed, killed int
		var first, last int64
		for _, a := range j.Attempts {
			if a.ID.Type != kind.typ {
				continue
			}
			total++
			switch a.State {
			case job.AttemptSucceeded:
				good++
			case job.AttemptFailed:
				failed++
			case job.AttemptKilled:
				killed++
			}
			if first == 0 || a.StartMs < first {
				first = a.StartMs
			}
			last = max(last, a.FinishMs)
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%s\t%s\n", kind.title, total, good, failed, killed, clock(first), clock(last))
	}
	return t.Flush()
}
