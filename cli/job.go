package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	urfave "github.com/urfave/cli/v2"

	jobclient "github.com/howdah/howdah/client"
	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// jobCommand is `hadoop job` (mapred job): each verb with or without its dash.
func (s *session) jobCommand() *urfave.Command {
	verb := func(name, args, usage string, n int, f func(ctx context.Context, jobs client.JobsClient, args []string) error) *urfave.Command {
		return &urfave.Command{Name: name, ArgsUsage: args, Usage: usage, HideHelpCommand: true, Action: func(c *urfave.Context) error {
			if n >= 0 {
				if err := exactly(c, n); err != nil {
					return err
				}
			}
			return s.withJobs(c.Context, func(ctx context.Context, jobs client.JobsClient) error { return f(ctx, jobs, c.Args().Slice()) })
		}}
	}
	list := verb("list", "[all]", "running jobs; all = finished ones too", -1, nil)
	list.Action = s.listJobs
	history := verb("history", historyArgs, "times, tasks and failures of a job", -1, s.jobHistory)
	history.Action = s.historyOrJournal(history.Action)
	status := verb("status", "ID", "state, progress and counters of a job", 1, nil)
	status.Action = s.jobStatus
	return &urfave.Command{
		Name: "job", Usage: "look at jobs and change them", HideHelpCommand: true,
		Flags:  []urfave.Flag{jsonFlag()},
		Action: func(c *urfave.Context) error { return usageError("say what to do: howdah job --help lists it") },
		Subcommands: []*urfave.Command{
			list, status,
			verb("kill", "ID", "kill a job", 1, s.killJob),
			verb("counter", "ID GROUP COUNTER", "print the value of one counter", 3, s.jobCounter),
			verb("events", "ID FROM COUNT", "print completion events of tasks", 3, s.jobEvents),
			history,
			verb("set-priority", "ID VERY_HIGH|HIGH|NORMAL|LOW|VERY_LOW", "change a job's priority", 2, s.setPriority),
			verb("list-attempt-ids", "ID map|reduce running|completed", "print ids of attempts", 3, s.attemptIDs),
			verb("kill-task", "ATTEMPT", "kill an attempt; it does not count as failed", 1, s.killTask(false)),
			verb("fail-task", "ATTEMPT", "fail an attempt; it counts as failed", 1, s.killTask(true)),
			verb("logs", "ID [ATTEMPT]", "print the logs of a job's attempts", -1, s.jobLogs),
			verb("list-active-trackers", "", "print the names of live TaskTrackers", 0, s.trackers(false)),
			verb("list-blacklisted-trackers", "", "print the names of blacklisted TaskTrackers", 0, s.trackers(true)),
		},
	}
}

func jsonFlag() urfave.Flag { return &urfave.BoolFlag{Name: "json", Usage: "print JSON, for scripts"} }

func (s *session) listJobs(c *urfave.Context) error {
	all := c.Args().First() == "all"
	if c.Args().Len() > 1 || c.Args().Len() == 1 && !all {
		return usageError("howdah job -list [all]")
	}
	return s.withJobs(c.Context, func(ctx context.Context, jobs client.JobsClient) error {
		r, err := jobs.List(ctx, &client.ListRequest{All: all})
		if err != nil {
			return err
		}
		if c.Bool("json") {
			return writeJSON(s.out, jobsJSON(r.Job))
		}
		return writeJobList(s.out, r.Job, all)
	})
}

func (s *session) jobStatus(c *urfave.Context) error {
	if err := exactly(c, 1); err != nil {
		return err
	}
	return s.withJobs(c.Context, func(ctx context.Context, jobs client.JobsClient) error {
		j, err := status(ctx, jobs, c.Args().First(), c.Bool("json"))
		if err != nil {
			return err
		}
		if c.Bool("json") {
			return writeJSON(s.out, jobJSON(j, true))
		}
		return writeJobStatus(s.out, j)
	})
}

// status asks for a job with its counters.
func status(ctx context.Context, jobs client.JobsClient, id string, attempts bool) (*client.JobStatus, error) {
	if _, err := job.ParseID(id); err != nil {
		return nil, usageError("%w", err)
	}
	return jobs.Status(ctx, &client.StatusRequest{Id: id, Attempts: attempts, Counters: true})
}

func (s *session) killJob(ctx context.Context, jobs client.JobsClient, args []string) error {
	if _, err := job.ParseID(args[0]); err != nil {
		return usageError("%w", err)
	}
	user, err := s.user()
	if err != nil {
		return err
	}
	if _, err := jobs.Kill(ctx, &client.KillRequest{Id: args[0], Why: "killed by user " + user, User: user}); err != nil {
		return err
	}
	fmt.Fprintln(s.out, "Killed job", args[0])
	return nil
}

func (s *session) jobCounter(ctx context.Context, jobs client.JobsClient, args []string) error {
	j, err := status(ctx, jobs, args[0], false)
	if err != nil {
		return err
	}
	if v, ok := jobclient.Counters(j.Counter).Get(args[1], args[2]); ok {
		fmt.Fprintln(s.out, v)
		return nil
	}
	return failure.New(failure.NotFound, "find counter", args[1]+" "+args[2], nil).Fix("howdah job -status " + args[0] + " lists the job's counters")
}

func (s *session) jobEvents(ctx context.Context, jobs client.JobsClient, args []string) error {
	from, err := number(args[1], "FROM", 0)
	if err != nil {
		return err
	}
	count, err := number(args[2], "COUNT", 1)
	if err != nil {
		return err
	}
	r, err := jobs.Events(ctx, &client.EventsRequest{Id: args[0], From: from, Max: count})
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "Task completion events for %s\nNumber of events (from %d) are: %d\n", args[0], from, len(r.Event))
	for _, e := range r.Event {
		fmt.Fprintln(s.out, e.State, e.Attempt, logURL(e))
	}
	return nil
}

// logURL is where Hadoop's client looks for an attempt's logs; "" if its TaskTracker is not known.
func logURL(e *client.TaskEvent) string {
	if e.TrackerUrl == "" {
		return ""
	}
	return strings.TrimSuffix(e.TrackerUrl, "/") + "/tasklog?plaintext=true&attemptid=" + e.Attempt
}

// number reads an argument that is a whole number from min to 2^31-1.
func number(s, what string, min int64) (int32, error) {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil || n < min {
		return 0, usageError("%s is %q: want a whole number from %d to %d", what, s, min, int64(1)<<31-1)
	}
	return int32(n), nil
}

func (s *session) setPriority(ctx context.Context, jobs client.JobsClient, args []string) error {
	known := []string{"VERY_HIGH", "HIGH", "NORMAL", "LOW", "VERY_LOW"}
	p := strings.ToUpper(args[1])
	if !slices.Contains(known, p) {
		return usageError("priority %q is none of %s", args[1], strings.Join(known, " "))
	}
	user, err := s.user()
	if err != nil {
		return err
	}
	if _, err := jobs.SetPriority(ctx, &client.PriorityRequest{Id: args[0], Priority: p, User: user}); err != nil {
		return err
	}
	fmt.Fprintln(s.out, "Changed job priority.")
	return nil
}

func (s *session) attemptIDs(ctx context.Context, jobs client.JobsClient, args []string) error {
	kind, state := strings.ToLower(args[1]), strings.ToLower(args[2])
	if !slices.Contains([]string{"map", "reduce", "setup", "cleanup"}, kind) {
		return usageError("type of task %q is none of map reduce setup cleanup", args[1])
	}
	if state != "running" && state != "completed" {
		return usageError("state %q is none of running completed", args[2])
	}
	j, err := status(ctx, jobs, args[0], true)
	if err != nil {
		return err
	}
	for _, a := range j.Attempt {
		running := a.State == job.AttemptRunning.String() || a.State == job.AttemptAssigned.String()
		if strings.TrimPrefix(strings.ToLower(a.Type), "job_") == kind && running == (state == "running") {
			fmt.Fprintln(s.out, a.Id)
		}
	}
	return nil
}

func (s *session) killTask(fail bool) func(context.Context, client.JobsClient, []string) error {
	return func(ctx context.Context, jobs client.JobsClient, args []string) error {
		if _, err := job.ParseAttemptID(args[0]); err != nil {
			return usageError("%w", err)
		}
		user, err := s.user()
		if err != nil {
			return err
		}
		_, err = jobs.KillAttempt(ctx, &client.KillAttemptRequest{Attempt: args[0], Fail: fail, Why: "by user " + user, User: user})
		if err != nil {
			return err
		}
		if fail {
			fmt.Fprintln(s.out, "Killed task", args[0], "by failing it")
		} else {
			fmt.Fprintln(s.out, "Killed task", args[0])
		}
		return nil
	}
}

func (s *session) trackers(blacklisted bool) func(context.Context, client.JobsClient, []string) error {
	return func(ctx context.Context, jobs client.JobsClient, _ []string) error {
		r, err := jobs.Cluster(ctx, &client.Empty{})
		if err != nil {
			return err
		}
		for _, t := range r.Tracker {
			switch {
			case t.Blacklisted != blacklisted:
			case blacklisted:
				fmt.Fprintf(s.out, "%s\t%s\n", t.Name, t.Why)
			case t.Drain != nil:
				fmt.Fprintf(s.out, "%s\t%s\n", t.Name, drainText(t.Drain))
			default:
				fmt.Fprintln(s.out, t.Name)
			}
		}
		return nil
	}
}
