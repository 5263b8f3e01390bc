package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	jobclient "github.com/howdah/howdah/client"
	"github.com/howdah/howdah/internal/arguments"
	"github.com/howdah/howdah/internal/jsonout"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
)

// jobVerb is the action of a sub-command of howdah job or howdah admin.
type jobVerb func(c *urfave.Context, jobs *jobclient.Client) error

// jobsCommand returns a sub-command that needs a JobTracker and from least to most arguments.
func (s *session) jobsCommand(name, args, usage string, least, most int, f jobVerb,
	flags ...urfave.Flag) *urfave.Command {
	return &urfave.Command{Name: name, ArgsUsage: args, Usage: usage, HideHelpCommand: true, Flags: flags,
		Action: func(c *urfave.Context) error {
			if n := c.Args().Len(); n < least || n > most {
				return exactly(c, least)
			}
			return s.withJobs(c.Context, func(_ context.Context, jobs *jobclient.Client) error { return f(c, jobs) })
		}}
}

// jobCommand returns the counterpart of `hadoop job` (mapred job). The user may write each verb
// with or without its dash.
func (s *session) jobCommand() *urfave.Command {
	json := arguments.JSONFlag()
	history := s.jobsCommand("history", historyArgs, "show a job's times, tasks, and failures", 0, 3, s.jobHistory, json,
		&urfave.StringFlag{Name: jhistFlag,
			Usage: "write .jhist files and configurations of ended jobs to `DIR`, for Hadoop's tools"})
	history.Action = s.historyOrJournal(history.Action)
	return &urfave.Command{
		Name: "job", Usage: "list, inspect, and change jobs", HideHelpCommand: true,
		Description: "An example:\nhowdah job list all",
		Action:      func(c *urfave.Context) error { return usageError("use one of the commands in howdah job --help") },
		Subcommands: []*urfave.Command{
			s.jobsCommand("list", "[all]", "list running jobs; all includes finished jobs", 0, 1, s.listJobs, json,
				&urfave.BoolFlag{Name: "human", Usage: "print a table for people instead of Hadoop's columns"}),
			s.jobsCommand("status", "ID", "show a job's state, progress, and counters", 1, 1, s.jobStatus, json),
			{Name: "submit", ArgsUsage: "FILE", HideHelpCommand: true, Action: taking(1, s.submitJob),
				Usage: "submit the Streaming job whose configuration is in FILE, without waiting for its end"},
			s.jobsCommand("kill", "ID", "kill a job", 1, 1, s.killJob),
			s.jobsCommand("counter", "ID GROUP COUNTER", "print the value of one counter", 3, 3, s.jobCounter, json),
			s.jobsCommand("events", "ID FROM COUNT", "print a job's task completion events", 3, 3, s.jobEvents, json),
			history,
			s.jobsCommand("set-priority", "ID "+strings.Join(priorities, "|"), "change a job's priority", 2, 2, s.setPriority),
			s.jobsCommand("set-deadline", "ID TIME|"+status.NoDeadline,
				"change or remove a job's deadline; TIME is as in mapreduce.job.deadline, but +2h is from now", 2, 2,
				s.setDeadline),
			s.jobsCommand("move", "ID QUEUE", "move a job to another queue or pool", 2, 2, s.moveJob),
			s.jobsCommand("list-attempt-ids", "ID map|reduce|setup|cleanup "+strings.Join(attemptStates, "|"),
				"print the IDs of attempts", 3, 3, s.attemptIDs, json),
			s.jobsCommand("kill-task", "ATTEMPT", "kill an attempt; it does not count as failed", 1, 1, s.killTask(false)),
			s.jobsCommand("fail-task", "ATTEMPT", "fail an attempt; it counts as failed", 1, 1, s.killTask(true)),
			s.jobsCommand("logs", "ID [ATTEMPT]", "print the logs of a job's attempts", 1, 2, s.jobLogs, json),
			s.jobsCommand("list-active-trackers", "", "print the names of live TaskTrackers", 0, 0, s.trackers(false), json),
			s.jobsCommand("list-blacklisted-trackers", "", "print the names of blacklisted TaskTrackers", 0, 0,
				s.trackers(true), json),
		},
	}
}

// show prints v as JSON if the command has the option --json, and otherwise calls text.
func (s *session) show(c *urfave.Context, v any, text func() error) error {
	if c.Bool("json") {
		return jsonout.Write(s.out, v)
	}
	return text()
}

func (s *session) listJobs(c *urfave.Context, jobs *jobclient.Client) error {
	all := c.Args().First() == "all"
	if c.Args().Present() && !all {
		return usageError("howdah job -list [all]")
	}
	if c.Bool("human") && c.Bool("json") {
		return usageError("howdah job -list takes --human or --json, and not both")
	}
	list, err := jobs.List(c.Context, status.Filter{All: all})
	if err != nil {
		return err
	}
	return s.show(c, jsonout.OfJobs(list), func() error {
		if c.Bool("human") {
			return writeJobTable(s.out, list, time.Now())
		}
		return writeJobList(s.out, list, all)
	})
}

func (s *session) jobStatus(c *urfave.Context, jobs *jobclient.Client) error {
	j, err := ask(c.Context, jobs, c.Args().First(), c.Bool("json"))
	if err != nil {
		return err
	}
	return s.show(c, jsonout.OfJob(j, true), func() error { return writeJobStatus(s.out, j) })
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

func (s *session) killJob(c *urfave.Context, jobs *jobclient.Client) error {
	ctx := c.Context
	id, err := parseJob(c.Args().First())
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
	if j.Kind == failure.Killed { // its attempts are ending
		_, err := fmt.Fprintf(s.out, "The job %s is already being killed: %s\n", id, j.Diagnostics)
		return err
	}
	if err := jobs.Kill(ctx, id, "killed by user "+user); err != nil {
		return err
	}
	fmt.Fprintln(s.out, "Killed job", id)
	return nil
}

// counterObject is a counter in the output of --json.
type counterObject struct {
	Group string `json:"group"`
	Name  string `json:"name"`
	Value int64  `json:"value"`
}

func (s *session) jobCounter(c *urfave.Context, jobs *jobclient.Client) error {
	id, err := parseJob(c.Args().First())
	if err != nil {
		return err
	}
	group, name := c.Args().Get(1), c.Args().Get(2)
	v, err := jobs.Counter(c.Context, id, group, name)
	if err != nil {
		return err
	}
	return s.show(c, counterObject{group, name, v}, func() error {
		_, err := fmt.Fprintln(s.out, v)
		return err
	})
}

// eventObject is a task completion event in the output of --json.
type eventObject struct {
	Number  int32             `json:"number"`
	Attempt string            `json:"attempt"`
	State   status.EventState `json:"state"`
	RunMs   int64             `json:"duration_ms"`
	LogURL  string            `json:"log_url,omitempty"`
}

func (s *session) jobEvents(c *urfave.Context, jobs *jobclient.Client) error {
	from, err := number(c.Args().Get(1), "FROM", 0)
	if err != nil {
		return err
	}
	count, err := number(c.Args().Get(2), "COUNT", 1)
	if err != nil {
		return err
	}
	id, err := parseJob(c.Args().First())
	if err != nil {
		return err
	}
	list, err := jobs.Events(c.Context, id, from, count)
	if err != nil {
		return err
	}
	out := []eventObject{}
	for _, e := range list {
		out = append(out, eventObject{e.Number, e.Attempt.String(), e.State, e.RunMs, logURL(e)})
	}
	return s.show(c, out, func() error {
		_, err := fmt.Fprintf(s.out, "Task completion events for %s\nNumber of events (from %d) are: %d\n", id, from,
			len(list))
		for _, e := range out {
			fmt.Fprintln(s.out, e.State, e.Attempt, e.LogURL)
		}
		return err
	})
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

// priorities are the priorities of a job, from the highest.
var priorities = []string{"VERY_HIGH", "HIGH", "NORMAL", "LOW", "VERY_LOW"}

func (s *session) setPriority(c *urfave.Context, jobs *jobclient.Client) error {
	name := strings.ToUpper(c.Args().Get(1))
	p, ok := job.ParsePriority(name)
	if !ok {
		return arguments.Unknown("priority", name, priorities, "howdah job -set-priority --help")
	}
	id, err := parseJob(c.Args().First())
	if err != nil {
		return err
	}
	if err := jobs.SetPriority(c.Context, id, p); err != nil {
		return err
	}
	fmt.Fprintln(s.out, "Changed job priority.")
	return nil
}

func (s *session) setDeadline(c *urfave.Context, jobs *jobclient.Client) error {
	id, err := parseJob(c.Args().First())
	if err != nil {
		return err
	}
	if err := jobs.SetDeadline(c.Context, id, c.Args().Get(1)); err != nil {
		return err
	}
	fmt.Fprintln(s.out, "Changed job deadline.")
	return nil
}

func (s *session) moveJob(c *urfave.Context, jobs *jobclient.Client) error {
	id, err := parseJob(c.Args().First())
	if err != nil {
		return err
	}
	queue := c.Args().Get(1)
	if err := jobs.Move(c.Context, id, queue); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "Moved job %v to queue %s.\n", id, queue)
	return nil
}

// attemptKinds and attemptStates are the arguments of -list-attempt-ids.
var (
	attemptKinds  = []string{"map", "reduce", "setup", "cleanup"}
	attemptStates = []string{"running", "completed", "succeeded", "failed", "killed"}
)

func (s *session) attemptIDs(c *urfave.Context, jobs *jobclient.Client) error {
	kind, state := strings.ToLower(c.Args().Get(1)), strings.ToLower(c.Args().Get(2))
	if !slices.Contains(attemptKinds, kind) {
		return usageError("unknown task type %q: want map, reduce, setup, or cleanup", kind)
	}
	if !slices.Contains(attemptStates, state) {
		return usageError("unknown state %q: want %s", state, strings.Join(attemptStates, ", "))
	}
	j, err := ask(c.Context, jobs, c.Args().First(), true)
	if err != nil {
		return err
	}
	out := []jsonout.Attempt{}
	for _, a := range j.Attempts {
		if strings.TrimPrefix(strings.ToLower(a.ID.Type.String()), "job_") == kind && inState(a.State, state) {
			out = append(out, jsonout.OfAttempt(a))
		}
	}
	return s.show(c, out, func() error {
		for _, a := range out {
			fmt.Fprintln(s.out, a.ID)
		}
		return nil
	})
}

// inState reports whether an attempt's state is the one that the user named, which is an element of
// attemptStates.
func inState(a job.AttemptState, name string) bool {
	switch name {
	case "running":
		return !a.Terminal()
	case "completed":
		return a.Terminal()
	}
	return strings.EqualFold(a.String(), name)
}

func (s *session) killTask(fail bool) jobVerb {
	return func(c *urfave.Context, jobs *jobclient.Client) error {
		id, err := job.ParseAttemptID(c.Args().First())
		if err != nil {
			return usageError("%w", err)
		}
		user, err := s.user()
		if err != nil {
			return err
		}
		end, how := jobs.KillAttempt, ""
		if fail {
			end, how = jobs.FailAttempt, " by failing it"
		}
		if err := end(c.Context, id, "by user "+user); err != nil {
			return err
		}
		fmt.Fprintf(s.out, "Killed task %s%s\n", id, how)
		return nil
	}
}
