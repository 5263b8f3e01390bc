package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	jobclient "github.com/howdah/howdah/client"
	"github.com/howdah/howdah/dfs/schemes"
	"github.com/howdah/howdah/internal/runner"
	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// historyArgs is what -history takes: a job, the output directory of one, or a journal in a file and a job in it.
const historyArgs = "[all] ID|OUTPUTDIR|JOURNAL [ID]"

// jobHistory prints what is known of a finished or running job: when, how many tasks, what failed and where. With all every
// attempt is listed.
func (s *session) jobHistory(ctx context.Context, jobs client.JobsClient, args []string) error {
	all := len(args) > 0 && args[0] == "all"
	if all {
		args = args[1:]
	}
	if len(args) != 1 {
		return usageError("howdah job -history " + historyArgs)
	}
	id := args[0]
	if _, err := job.ParseID(id); err != nil {
		if id, err = s.jobOf(ctx, jobs, args[0]); err != nil {
			return err
		}
	}
	j, err := status(ctx, jobs, id, true)
	if err != nil {
		return err
	}
	return writeHistory(s.out, j, all)
}

// jobOf finds the last job that wrote to a directory.
func (s *session) jobOf(ctx context.Context, jobs client.JobsClient, dir string) (string, error) {
	c, err := s.filesConfig(ctx)
	if err != nil {
		return "", err
	}
	r, err := schemes.Resolver(c, nil)
	if err != nil {
		return "", err
	}
	defer r.Close()
	fs, name, err := r.Resolve(dir)
	if err != nil {
		return "", err
	}
	list, err := jobs.List(ctx, &client.ListRequest{All: true})
	if err != nil {
		return "", err
	}
	for _, j := range slices.Backward(list.Job) {
		if out, path, err := r.Resolve(j.OutputDir); err == nil && j.OutputDir != "" && out.URI() == fs.URI() && path == name {
			return j.Id, nil
		}
	}
	return "", failure.New(failure.NotFound, "find the job that wrote", dir, nil).Fix("howdah job -list all lists the jobs that the JobTracker knows")
}

func writeHistory(w io.Writer, j *client.JobStatus, all bool) error {
	fmt.Fprintf(w, "\nHadoop job: %s\n=====================================\n", j.Id)
	fmt.Fprintf(w, "User: %s\nJobName: %s\nJobConf: %s\n", j.User, j.Name, j.JobFile)
	fmt.Fprintf(w, "Submitted At: %s\nLaunched At: %s%s\nFinished At: %s%s\nStatus: %s\n",
		clock(j.SubmitMs), clock(j.StartMs), span(j.SubmitMs, j.StartMs), clock(j.FinishMs), span(j.StartMs, j.FinishMs), j.State)
	if j.Diagnostics != "" {
		fmt.Fprintf(w, "Reason: %s\n", j.Diagnostics)
	}
	fmt.Fprintln(w, "=====================================")
	if err := writeTaskSummary(w, j); err != nil {
		return err
	}
	for _, a := range j.Attempt {
		if failed := a.State == job.AttemptFailed.String(); all || failed {
			fmt.Fprintf(w, "\n%s %s on %s%s: %s to %s%s\n", a.State, a.Id, a.Tracker, borrowedSlot(a), clock(a.StartMs), clock(a.FinishMs), span(a.StartMs, a.FinishMs))
			if a.Diagnostics != "" {
				fmt.Fprintln(w, a.Diagnostics)
			}
		}
	}
	fmt.Fprintln(w)
	runner.WriteCounters(w, jobclient.Counters(j.Counter))
	return nil
}

// borrowedSlot tells that an attempt did not sit in a slot of its own kind.
func borrowedSlot(a *client.AttemptStatus) string {
	if a.Slot == "" {
		return ""
	}
	return " (" + strings.ToLower(a.Slot) + " slot)"
}

// writeTaskSummary prints Hadoop's table of attempts by type and end.
func writeTaskSummary(w io.Writer, j *client.JobStatus) error {
	fmt.Fprintln(w, "\nTask Summary\n============================")
	t := tabwriter.NewWriter(w, 0, 8, 1, '\t', 0)
	fmt.Fprintln(t, "Kind\tTotal\tSuccessful\tFailed\tKilled\tStartTime\tFinishTime")
	for _, kind := range []struct {
		title string
		typ   job.TaskType
	}{{"Map", job.Map}, {"Reduce", job.Reduce}} {
		var total, good, failed, killed int
		var first, last int64
		for _, a := range j.Attempt {
			if a.Type != kind.typ.String() {
				continue
			}
			total++
			switch a.State {
			case job.AttemptSucceeded.String():
				good++
			case job.AttemptFailed.String():
				failed++
			case job.AttemptKilled.String():
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
