package cli

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/howdah/howdah/internal/progress"
	"github.com/howdah/howdah/internal/runner"
	"github.com/howdah/howdah/internal/visible"
	"github.com/howdah/howdah/job/status"
)

// writeJobList prints the output of `hadoop job -list`, including its misspelling.
func writeJobList(w io.Writer, jobs []*status.Job, all bool) error {
	if all {
		fmt.Fprintf(w, "%d jobs submitted\nStates are:\n\tRunning : 1\tSucceded : 2\tFailed : 3\tPrep : 4\n", len(jobs))
	} else {
		fmt.Fprintf(w, "%d jobs currently running\n", len(jobs))
	}
	return writeJobColumns(w, jobs, progress.Terminal(w))
}

// writeJobColumns prints the columns of `hadoop job -list`, each after a tab, as scripts expect
// them. On a terminal (aligned), each cell stands under its head.
func writeJobColumns(w io.Writer, jobs []*status.Job, aligned bool) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	if aligned {
		w = t
	}
	_, err := fmt.Fprintln(w, "JobId\tState\tStartTime\tUserName\tPriority\tSchedulingInfo")
	for _, j := range jobs {
		_, err = fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\t%s\n", j.ID, j.State.HadoopCode(), j.SubmitMs, j.User, j.Priority,
			schedulingInfo(j))
	}
	return cmp.Or(err, t.Flush())
}

// writeJobStatus prints the output of `hadoop job -status`, followed by the schedule, the shares,
// and the counters.
func writeJobStatus(w io.Writer, j *status.Job) error {
	fmt.Fprintf(w, "\nJob: %s\nfile: %s\ntracking URL: %s\n", j.ID, j.JobFile, j.TrackingURL)
	fmt.Fprintf(w, "map() completion: %s\nreduce() completion: %s\n", fraction(j.Maps.Progress),
		fraction(j.Reduces.Progress))
	why := "reason for failure: " + j.Diagnostics
	if j.Waits() != "" {
		why = j.Diagnostics
	}
	fmt.Fprintf(w, "Job state: %s\nretired: %t\n%s\n", j.State.Shown(), j.Retired, why)
	writeSchedule(w, j)
	writeShares(w, j)
	runner.WriteCounters(w, j.Counters)
	return nil
}

// writeShares prints the shares that an orchestrator has assigned to running attempts over time.
func writeShares(w io.Writer, j *status.Job) {
	for _, a := range j.Limited {
		fmt.Fprintf(w, "share of %s on %s:\n", a.ID, a.Tracker)
		for _, c := range a.Limits {
			fmt.Fprintf(w, "  %s %s (%s)\n", clock(c.AtMs), shareText(c.CPU, c.Memory), c.Why)
		}
	}
}

func shareText(cpu, memory int32) string {
	var parts []string
	if cpu > 0 {
		parts = append(parts, fmt.Sprintf("cpu %dm", cpu))
	}
	if memory > 0 {
		parts = append(parts, fmt.Sprintf("memory %d MiB", memory))
	}
	if len(parts) == 0 {
		return "unchanged since launch"
	}
	return strings.Join(parts, ", ")
}

// schedulingInfo returns the scheduler's information about a job, for the last column of a list of
// jobs. If there is none, it returns NA, as Hadoop does.
func schedulingInfo(j *status.Job) string {
	var parts []string
	if j.Pool != "" {
		parts = append(parts, "pool "+visible.Text(j.Pool))
	}
	if n := j.Maps.Borrowed + j.Reduces.Borrowed; n > 0 {
		parts = append(parts, fmt.Sprintf("%d borrowed slots", n))
	}
	if j.DeadlineMs != 0 {
		parts = append(parts, "deadline "+j.DeadlineText(time.Now()))
	}
	if len(parts) == 0 {
		return "NA"
	}
	return strings.Join(parts, ", ")
}

// writeSchedule prints the information that Hadoop's status lacks: pool, borrowed slots, profile,
// prediction, and deadline.
func writeSchedule(w io.Writer, j *status.Job) {
	if j.Pool != "" {
		fmt.Fprintf(w, "pool: %s\n", visible.Text(j.Pool))
	}
	if j.Maps.Borrowed+j.Reduces.Borrowed > 0 {
		fmt.Fprintf(w, "in borrowed slots: %d maps, %d reduces\n", j.Maps.Borrowed, j.Reduces.Borrowed)
	}
	if j.ProfileFrom != "" {
		fmt.Fprintf(w, "profile: %s (from %s)\n", j.Profile, j.ProfileFrom)
	} else if j.Profile != "" {
		fmt.Fprintf(w, "profile: %s\n", j.Profile)
	}
	if j.PredictedFinishMs != 0 {
		fmt.Fprintf(w, "predicted completion: %s\n", clock(j.PredictedFinishMs))
	}
	if j.DeadlineMs != 0 {
		fmt.Fprintf(w, "deadline: %s (%s)\n", clock(j.DeadlineMs), j.DeadlineText(time.Now()))
	}
}

// fraction formats a float with at least one decimal digit: 1.0, 0.25.
func fraction(f float32) string {
	t := strconv.FormatFloat(float64(f), 'f', -1, 32)
	if !strings.Contains(t, ".") {
		t += ".0"
	}
	return t
}

// clock formats a time the way Hadoop's history does. 0 means that the event has not happened.
func clock(ms int64) string {
	if ms == 0 {
		return "-"
	}
	return time.UnixMilli(ms).Format("2-Jan-2006 15:04:05")
}

// span formats the duration from one time to another, or returns "" if a time is missing.
func span(from, to int64) string {
	if from == 0 || to == 0 {
		return ""
	}
	return " (" + (time.Duration(to-from) * time.Millisecond).String() + ")"
}
