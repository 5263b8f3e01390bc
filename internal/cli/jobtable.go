package cli

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/howdah/howdah/job/status"
)

// writeJobTable prints jobs in a table for people.
func writeJobTable(w io.Writer, list []*status.Job, now time.Time) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "JOB\tNAME\tUSER\tQUEUE\tPRIORITY\tSTATE\tMAPS\tREDUCES\tSLOTS\tTIME\tDEADLINE")
	for _, j := range list {
		queue, deadline := j.Queue, "-"
		if j.Pool != "" {
			queue = j.Pool
		}
		if j.DeadlineMs != 0 {
			deadline = j.DeadlineText(now)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%s\t%s\n", j.ID, shortened(j.Name), j.User, queue, j.Priority,
			j.State.Shown(), tasksDone(&j.Maps), tasksDone(&j.Reduces), j.Maps.Running+j.Reduces.Running,
			lasted(j, now), deadline)
	}
	return t.Flush()
}

// shortened returns a job's name on one line and with at most 30 characters.
func shortened(name string) string {
	const most = 30
	r := []rune(oneLine(name))
	if len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return string(r)
}

// tasksDone returns the number of finished tasks, the total, and the progress.
func tasksDone(t *status.Tasks) string {
	if t.Total == 0 {
		return "-"
	}
	return fmt.Sprintf("%d/%d %3.0f%%", t.Done, t.Total, 100*t.Progress)
}

// lasted returns the time from a job's submission to its end or, if it has not ended, to now.
func lasted(j *status.Job, now time.Time) string {
	end := j.FinishMs
	if end == 0 {
		end = now.UnixMilli()
	}
	return since(end, j.SubmitMs)
}
