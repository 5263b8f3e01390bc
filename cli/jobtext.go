package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	jobclient "github.com/howdah/howdah/client"
	"github.com/howdah/howdah/internal/goal"
	"github.com/howdah/howdah/internal/runner"
	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job"
)

// stateCode gives Hadoop's number of a state: 1 RUNNING, 2 SUCCEEDED, 3 FAILED, 4 PREP, 5 KILLED.
func stateCode(name string) int {
	for s := job.Prep; s <= job.Killed; s++ {
		if s.String() == name {
			return s.HadoopCode()
		}
	}
	return 1
}

// writeJobList prints what `hadoop job -list` does, spelling included.
func writeJobList(w io.Writer, jobs []*client.JobStatus, all bool) error {
	if all {
		fmt.Fprintf(w, "%d jobs submitted\nStates are:\n\tRunning : 1\tSucceded : 2\tFailed : 3\tPrep : 4\n", len(jobs))
	} else {
		fmt.Fprintf(w, "%d jobs currently running\n", len(jobs))
	}
	_, err := fmt.Fprintln(w, "JobId\tState\tStartTime\tUserName\tPriority\tSchedulingInfo")
	for _, j := range jobs {
		_, err = fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\t%s\n", j.Id, stateCode(j.State), j.SubmitMs, j.User, j.Priority, schedulingInfo(j))
	}
	return err
}

// writeJobStatus prints what `hadoop job -status` does, then the state and why a job failed.
func writeJobStatus(w io.Writer, j *client.JobStatus) error {
	fmt.Fprintf(w, "\nJob: %s\nfile: %s\ntracking URL: %s\n", j.Id, j.JobFile, j.TrackingUrl)
	fmt.Fprintf(w, "map() completion: %s\nreduce() completion: %s\n", fraction(j.MapProgress), fraction(j.ReduceProgress))
	fmt.Fprintf(w, "Job state: %s\nretired: %t\nreason for failure: %s\n", j.State, j.Retired, j.Diagnostics)
	writeSchedule(w, j)
	writeShares(w, j)
	runner.WriteCounters(w, jobclient.Counters(j.Counter))
	return nil
}

// writeShares prints what an orchestrator gave to running attempts, over time.
func writeShares(w io.Writer, j *client.JobStatus) {
	for _, a := range j.Limited {
		fmt.Fprintf(w, "share of %s on %s:\n", a.Id, a.Tracker)
		for _, c := range a.LimitChange {
			fmt.Fprintf(w, "  %s %s (%s)\n", clock(c.AtMs), shareText(c.Cpu, c.Memory), c.Why)
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
		return "as at its launch"
	}
	return strings.Join(parts, ", ")
}

// schedulingInfo is the last column of a list of jobs: what the scheduler has to say. Hadoop prints NA where it says nothing.
func schedulingInfo(j *client.JobStatus) string {
	var parts []string
	if j.Pool != "" {
		parts = append(parts, "pool "+j.Pool)
	}
	if n := j.MapsBorrowed + j.ReducesBorrowed; n > 0 {
		parts = append(parts, fmt.Sprintf("%d borrowed slots", n))
	}
	if j.DeadlineMs != 0 {
		parts = append(parts, "deadline "+goal.Text(j, time.Now()))
	}
	if len(parts) == 0 {
		return "NA"
	}
	return strings.Join(parts, ", ")
}

// writeSchedule prints what Hadoop's status does not know: pool, profile, deadline, prediction.
func writeSchedule(w io.Writer, j *client.JobStatus) {
	if j.Pool != "" {
		fmt.Fprintf(w, "pool: %s\n", j.Pool)
	}
	if j.MapsBorrowed+j.ReducesBorrowed > 0 {
		fmt.Fprintf(w, "in borrowed slots: %d maps, %d reduces\n", j.MapsBorrowed, j.ReducesBorrowed)
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
		fmt.Fprintf(w, "deadline: %s (%s)\n", clock(j.DeadlineMs), goal.Text(j, time.Now()))
	}
}

// fraction prints a float as Java does: 1.0, 0.25.
func fraction(f float32) string {
	t := strconv.FormatFloat(float64(f), 'f', -1, 32)
	if !strings.Contains(t, ".") {
		t += ".0"
	}
	return t
}

// clock prints a time of day as Hadoop's history does; 0 is not yet.
func clock(ms int64) string {
	if ms == 0 {
		return "-"
	}
	return time.UnixMilli(ms).Format("2-Jan-2006 15:04:05")
}

// span prints how long something took.
func span(from, to int64) string {
	if from == 0 || to == 0 {
		return ""
	}
	return " (" + (time.Duration(to-from) * time.Millisecond).String() + ")"
}
