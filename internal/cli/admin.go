package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	jobclient "github.com/howdah/howdah/client"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/lifecycle"
	"github.com/howdah/howdah/job"
)

// adminCommand returns the counterpart of `hadoop mradmin`, with the additional commands
// -setScheduler and -drainTracker.
func (s *session) adminCommand() *urfave.Command {
	verb := func(name, args, usage string, n int,
		f func(ctx context.Context, jobs *jobclient.Client, user string, args []string) (string, error)) *urfave.Command {
		return &urfave.Command{Name: name, ArgsUsage: args, Usage: usage, HideHelpCommand: true,
			Action: taking(n, func(c *urfave.Context) error {
				return s.withUser(c.Context, func(ctx context.Context, jobs *jobclient.Client, user string) error {
					text, err := f(ctx, jobs, user, c.Args().Slice())
					if err == nil {
						fmt.Fprintln(s.out, text)
					}
					return err
				})
			})}
	}
	setScheduler := verb("setScheduler", "NAME [-D key=value]...", "change the scheduling policy or its settings "+
		"until the JobTracker restarts", 1, s.setScheduler)
	setScheduler.Before = func(*urfave.Context) error {
		s.sends = forScheduler
		return nil
	}
	return &urfave.Command{
		Name: "admin", Usage: "administer the JobTracker", HideHelpCommand: true,
		Description: "Only holders of the secret, the JobTracker's own user, and the users in " +
			"mapreduce.cluster.administrators can run these commands. Any user can query safe mode and wait for a drain.",
		Action: func(c *urfave.Context) error { return usageError("use one of the commands in howdah admin --help") },
		Subcommands: []*urfave.Command{
			verb("refreshNodes", "", "reload the lists of included and excluded hosts", 0, refreshNodes),
			verb("refreshQueues", "", "reload the queues and the scheduler's files", 0, refreshQueues),
			setScheduler,
			verb("drainTracker", "NAME delayed|rerun|immediate|wait|off", "drain a TaskTracker so that it "+
				"can be stopped without losing work", 2, drainTracker),
			verb("safemode", "get|wait", "show whether all TaskTrackers have reported since the restart, "+
				"or wait until they have",
				1, safeMode),
		},
	}
}

// withUser is like withJobs, but also passes the name of the session's user to f.
func (s *session) withUser(ctx context.Context,
	f func(ctx context.Context, jobs *jobclient.Client, user string) error) error {
	return s.withJobs(ctx, func(ctx context.Context, jobs *jobclient.Client) error {
		user, err := s.user()
		if err != nil {
			return err
		}
		return f(ctx, jobs, user)
	})
}

// user returns the user of the command. Jobs that this session submits have the same user.
func (s *session) user() (string, error) {
	c, err := s.generic.Load()
	if err != nil {
		return "", err
	}
	return jobclient.User(c), nil
}

func refreshNodes(ctx context.Context, jobs *jobclient.Client, _ string, _ []string) (string, error) {
	return jobs.RefreshNodes(ctx)
}

func refreshQueues(ctx context.Context, jobs *jobclient.Client, _ string, _ []string) (string, error) {
	return jobs.RefreshQueues(ctx)
}

// setScheduler changes the scheduling policy. It sends the -D settings to the JobTracker, except
// the client's own settings (forScheduler).
func (s *session) setScheduler(ctx context.Context, jobs *jobclient.Client, _ string, args []string) (string, error) {
	var set []job.Property
	for _, p := range s.generic.Set {
		if p.Source == "-D" && forScheduler(p.Name) {
			set = append(set, job.Property{Name: p.Name, Value: p.Value})
		}
	}
	return jobs.SetScheduler(ctx, args[0], set)
}

// forScheduler reports whether key names a setting of the scheduler, as opposed to one of the client.
func forScheduler(key string) bool {
	key = conf.Canonical(key)
	for _, prefix := range []string{conf.JobTrackerAddress.Name, conf.JobUserName.Name, "ipc.", "fs.",
		"howdah.mrcluster.", "howdah.security."} {
		if strings.HasPrefix(key, prefix) {
			return false
		}
	}
	return true
}

// safeMode returns the answer to -safemode get, or to -safemode wait once safe mode is off. Users
// cannot enter or leave safe mode, in which the JobTracker waits for TaskTrackers but still
// accepts and schedules jobs.
func safeMode(ctx context.Context, jobs *jobclient.Client, _ string, args []string) (string, error) {
	switch args[0] {
	case "get", "wait":
	case "enter", "leave":
		return "", usageError("cannot %s safe mode: the JobTracker runs jobs while it waits for "+
			"TaskTrackers after a restart; to reject new jobs, set mapred.queue.NAME.state=stopped and run "+
			"howdah admin -refreshQueues", args[0])
	default:
		return "", usageError("howdah admin -safemode needs get or wait")
	}
	for {
		awaited, on, err := jobs.SafeMode(ctx)
		if err != nil {
			return "", err
		}
		if !on {
			return "Safe mode is OFF", nil
		}
		if args[0] == "get" {
			return fmt.Sprintf("Safe mode is ON: %d TaskTrackers have not reported since the restart", awaited), nil
		}
		if err := lifecycle.Sleep(ctx, time.Second); err != nil {
			return "", err
		}
	}
}
