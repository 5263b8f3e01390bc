package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	urfave "github.com/urfave/cli/v2"

	jobclient "github.com/howdah/howdah/client"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
)

// jobCommand returns the counterpart of `hadoop job` (mapred job). The user may write each verb
// with or without its dash.
func (s *session) jobCommand() *urfave.Command {
	verb := func(name, args, usage string, n int,
		f func(ctx context.Context, jobs *jobclient.Client, args []string) error) *urfave.Command {
		return &urfave.Command{Name: name, ArgsUsage: args, Usage: usage, HideHelpCommand: true,
			Action: func(c *urfave.Context) error {
				if n >= 0 {
					if err := exactly(c, n); err != nil {
						return err
					}
				}
				return s.withJobs(c.Context, func(ctx context.Context,
					jobs *jobclient.Client) error {
					return f(ctx, jobs, c.Args().Slice())
				})
			}}
	}
	list := verb("list", "[all]", "list running jobs; all includes finished jobs", -1, nil)
	list.Action = s.listJobs
	history := verb("history", historyArgs, "show a job's times, tasks, and failures", -1, s.jobHistory)
	history.Action = s.historyOrJournal(history.Action)
	history.Flags = []urfave.Flag{&urfave.StringFlag{Name: jhistFlag,
		Usage: "write .jhist files and configurations of ended jobs to `DIR`, for Hadoop's tools"}}
	status := verb("status", "ID", "show a job's state, progress, and counters", 1, nil)
	status.Action = s.jobStatus
	return &urfave.Command{
		Name: "job", Usage: "list, inspect, and change jobs", HideHelpCommand: true,
		Description: "An example:\nhowdah job list all",
		Flags:       []urfave.Flag{jsonFlag()},
		Action:      func(c *urfave.Context) error { return usageError("use one of the commands in howdah job --help") },
		Subcommands: []*urfave.Command{
			list, status,
			verb("kill", "ID", "kill a job", 1, s.killJob),
			verb("counter", "ID GROUP COUNTER", "print the value of one counter", 3, s.jobCounter),
			verb("events", "ID FROM COUNT", "print a job's task completion events", 3, s.jobEvents),
			history,
			verb("set-priority", "ID VERY_HIGH|HIGH|NORMAL|LOW|VERY_LOW", "change a job's priority", 2, s.setPriority),
			verb("list-attempt-ids", "ID map|reduce running|completed", "print the IDs of attempts", 3, s.attemptIDs),
			verb("kill-task", "ATTEMPT", "kill an attempt; it does not count as failed", 1, s.killTask(false)),
			verb("fail-task", "ATTEMPT", "fail an attempt; it counts as failed", 1, s.killTask(true)),
			verb("logs", "ID [ATTEMPT]", "print the logs of a job's attempts", -1, s.jobLogs),
			verb("list-active-trackers", "", "print the names of live TaskTrackers", 0, s.trackers(false)),
			verb("list-blacklisted-trackers", "", "print the names of blacklisted TaskTrackers", 0, s.trackers(true)),
		},
	}
}

func jsonFlag() urfave.Flag { return &urfave.BoolFlag{Name: "json", Usage: "print JSON for scripts"} }

func (s *session) listJobs(c *urfave.Context) error {
	all := c.Args().First() == "all"
	if c.Args().Len() > 1 || c.Args().Len() == 1 && !all {
		return usageError("howdah job -list [all]")
	}
	return s.withJobs(c.Context, func(ctx context.Context, jobs *jobclient.Client) error {
		list, err := jobs.List(ctx, status.Filter{All: all})
		if err != nil {
			return err
		}
		if c.Bool("json") {
			return writeJSON(s.out, jobsJSON(list))
		}
		return writeJobList(s.out, list, all)
	})
}

func (s *session) jobStatus(c *urfave.Context) error {
	if err := exactly(c, 1); err != nil {
		return err
	}
	return s.withJobs(c.Context, func(ctx context.Context, jobs *jobclient.Client) error {
		j, err := ask(ctx, jobs, c.Args().First(), c.Bool("json"))
		if err != nil {
			return err
		}
		if c.Bool("json") {
			return writeJSON(s.out, jobJSON(j, true))
		}
		return writeJobStatus(s.out, j)
	})
}

// parseJob is like job.ParseID, but returns a usage error.
func parseJob(text string) (job.ID, error) {
	id, err := job.ParseID(text)
	if err != nil {
		return id, usageError("%w", err)
	}
	return id, nil
}

// ask returns the status of the job whose ID is text. It includes the job's counters and, if
// attempts is set, its attempts.
func ask(ctx context.Context, jobs *jobclient.Client, text string, attempts bool) (*status.Job, error) {
	id, err := parseJob(text)
	if err != nil {
		return nil, err
	}
	return jobs.Status(ctx, id, status.Query{Attempts: attempts, Counters: true})
}

// hadoopKill contains the messages in Hadoop's CLI.java about attempts to kill a job that has
// already ended.
var hadoopKill = map[job.State]string{
	job.Succeeded: "Could not kill the job %s, as it has already succeeded.",
	job.Failed:    "Could not mark the job %s as killed, as it has already failed.",
	job.Killed:    "The job %s has already been killed.",
}

func (s *session) killJob(ctx context.Context, jobs *jobclient.Client, args []string) error {
	id, err := parseJob(args[0])
	if err != nil {
		return err
	}
	user, err := s.user()
	if err != nil {
		return err
	}
	j, err := jobs.Status(ctx, id, status.Query{})
	if err != nil {
		return err
	}
	if why := hadoopKill[j.State]; why != "" {
		return failure.New(failure.Usage, "", "", fmt.Errorf(why, id))
	}
	if err := jobs.Kill(ctx, id, "killed by user "+user); err != nil {
		return err
	}
	fmt.Fprintln(s.out, "Killed job", id)
	return nil
}

func (s *session) jobCounter(ctx context.Context, jobs *jobclient.Client, args []string) error {
	id, err := parseJob(args[0])
	if err != nil {
		return err
	}
	v, err := jobs.Counter(ctx, id, args[1], args[2])
	if err != nil {
		return err
	}
	fmt.Fprintln(s.out, v)
	return nil
}

func (s *session) jobEvents(ctx context.Context, jobs *jobclient.Client, args []string) error {
	from, err := number(args[1], "FROM", 0)
	if err != nil {
		return err
	}
	count, err := number(args[2], "COUNT", 1)
	if err != nil {
		return err
	}
	id, err := job.ParseID(args[0])
	if err != nil {
		return failure.New(failure.Usage, "list events", "", err)
	}
	list, err := jobs.Events(ctx, id, from, count)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "Task completion events for %s\nNumber of events (from %d) are: %d\n", id, from, len(list))
	for _, e := range list {
		fmt.Fprintln(s.out, e.State, e.Attempt, logURL(e))
	}
	return nil
}

// logURL returns the URL at which Hadoop's client looks for an attempt's logs, or "" if the
// TaskTracker is unknown.
func logURL(e status.Event) string {
	if e.TrackerURL == "" {
		return ""
	}
	return strings.TrimSuffix(e.TrackerURL, "/") + "/tasklog?plaintext=true&attemptid=" + e.Attempt.String()
}

// number parses an integer in the range from min to 2^31-1.
func number(s, what string, min int64) (int32, error) {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil || n < min {
		return 0, usageError("%s is %q: want an integer from %d to %d", what, s, min, int64(1)<<31-1)
	}
	return int32(n), nil
}

func (s *session) setPriority(ctx context.Context, jobs *jobclient.Client, args []string) error {
	p, ok := job.ParsePriority(strings.ToUpper(args[1]))
	if !ok {
		return usageError("unknown priority %q: want VERY_HIGH, HIGH, NORMAL, LOW or VERY_LOW", args[1])
	}
	id, err := job.ParseID(args[0])
	if err != nil {
		return failure.New(failure.Usage, "set priority", "", err)
	}
	if err := jobs.SetPriority(ctx, id, p); err != nil {
		return err
	}
	fmt.Fprintln(s.out, "Changed job priority.")
	return nil
}

func (s *session) attemptIDs(ctx context.Context, jobs *jobclient.Client, args []string) error {
	kind, state := strings.ToLower(args[1]), strings.ToLower(args[2])
	if !slices.Contains([]string{"map", "reduce", "setup", "cleanup"}, kind) {
		return usageError("unknown task type %q: want map, reduce, setup or cleanup", args[1])
	}
	if state != "running" && state != "completed" {
		return usageError("unknown state %q: want running or completed", args[2])
	}
	j, err := ask(ctx, jobs, args[0], true)
	if err != nil {
		return err
	}
	for _, a := range j.Attempts {
		running := a.State == job.AttemptRunning || a.State == job.AttemptAssigned
		if strings.TrimPrefix(strings.ToLower(a.ID.Type.String()), "job_") == kind && running == (state == "running") {
			fmt.Fprintln(s.out, a.ID)
		}
	}
	return nil
}

func (s *session) killTask(fail bool) func(context.Context, *jobclient.Client, []string) error {
	return func(ctx context.Context, jobs *jobclient.Client, args []string) error {
		id, err := job.ParseAttemptID(args[0])
		if err != nil {
			return usageError("%w", err)
		}
		user, err := s.user()
		if err != nil {
			return err
		}
		end := jobs.KillAttempt
		if fail {
			end = jobs.FailAttempt
		}
		if err := end(ctx, id, "by user "+user); err != nil {
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

func (s *session) trackers(blacklisted bool) func(context.Context, *jobclient.Client, []string) error {
	return func(ctx context.Context, jobs *jobclient.Client, _ []string) error {
		r, err := jobs.Cluster(ctx)
		if err != nil {
			return err
		}
		for _, t := range r.Trackers {
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
