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
	"github.com/howdah/howdah/internal/wire/client"
)

// adminCommand is `hadoop mradmin`, and -setScheduler.
func (s *session) adminCommand() *urfave.Command {
	verb := func(name, args, usage string, n int, f func(ctx context.Context, jobs client.JobsClient, user string, args []string) (string, error)) *urfave.Command {
		return &urfave.Command{Name: name, ArgsUsage: args, Usage: usage, HideHelpCommand: true, Action: func(c *urfave.Context) error {
			if err := exactly(c, n); err != nil {
				return err
			}
			return s.withUser(c.Context, func(ctx context.Context, jobs client.JobsClient, user string) error {
				text, err := f(ctx, jobs, user, c.Args().Slice())
				if err == nil {
					fmt.Fprintln(s.out, text)
				}
				return err
			})
		}}
	}
	return &urfave.Command{
		Name: "admin", Usage: "administer the JobTracker", HideHelpCommand: true,
		Description: "For the JobTracker's own user and the users of mapreduce.cluster.administrators.",
		Action:      func(c *urfave.Context) error { return usageError("say what to do: howdah admin --help lists it") },
		Subcommands: []*urfave.Command{
			verb("refreshNodes", "", "read the files of included and excluded hosts again", 0, refreshNodes),
			verb("refreshQueues", "", "read the configuration's queues and the scheduler's files again", 0, refreshQueues),
			verb("setScheduler", "NAME [-D key=value]...", "schedule by another policy, or with other settings, until the JobTracker restarts", 1, s.setScheduler),
			verb("drainTracker", "NAME delayed|rerun|immediate|wait|off", "give a TaskTracker no more work, so that it may leave without loss", 2, drainTracker),
			verb("safemode", "get|wait", "tell, or wait until, all TaskTrackers of before a restart were heard", 1, safeMode),
		},
	}
}

// withUser is withJobs for a call on behalf of a user.
func (s *session) withUser(ctx context.Context, f func(ctx context.Context, jobs client.JobsClient, user string) error) error {
	return s.withJobs(ctx, func(ctx context.Context, jobs client.JobsClient) error {
		user, err := s.user()
		if err != nil {
			return err
		}
		return f(ctx, jobs, user)
	})
}

// user gives the user in whose name commands are given: the one that jobs would be submitted for.
func (s *session) user() (string, error) {
	c, err := s.generic.Load()
	if err != nil {
		return "", err
	}
	return jobclient.User(c), nil
}

func refreshNodes(ctx context.Context, jobs client.JobsClient, user string, _ []string) (string, error) {
	r, err := jobs.RefreshNodes(ctx, &client.AdminRequest{User: user})
	return r.GetText(), err
}

func refreshQueues(ctx context.Context, jobs client.JobsClient, user string, _ []string) (string, error) {
	r, err := jobs.RefreshQueues(ctx, &client.AdminRequest{User: user})
	return r.GetText(), err
}

// setScheduler passes on what -D sets, save what only this client needs to reach the JobTracker.
func (s *session) setScheduler(ctx context.Context, jobs client.JobsClient, user string, args []string) (string, error) {
	r := &client.SetSchedulerRequest{Name: args[0], User: user}
	for _, p := range s.generic.Set {
		if p.Source == "-D" && !forClient(conf.Canonical(p.Name)) {
			r.Set = append(r.Set, &client.Property{Name: p.Name, Value: p.Value})
		}
	}
	reply, err := jobs.SetScheduler(ctx, r)
	return reply.GetText(), err
}

// forClient tells keys that concern the one who asks and not how jobs are scheduled.
func forClient(key string) bool {
	for _, prefix := range []string{"mapreduce.jobtracker.address", "mapreduce.job.user.name", "ipc.", "fs.", "howdah.mrcluster."} {
		if strings.HasPrefix(key, prefix) {
			return true
		}
	}
	return false
}

// safeMode answers as hadoop mradmin -safemode does. There is nothing to enter or leave: the JobTracker takes and schedules
// jobs while it waits.
func safeMode(ctx context.Context, jobs client.JobsClient, _ string, args []string) (string, error) {
	switch args[0] {
	case "get", "wait":
	case "enter", "leave":
		return "", usageError("there is no safe mode to %s: after a restart the JobTracker works while it waits for TaskTrackers; "+
			"mapred.queue.NAME.state=stopped and howdah admin -refreshQueues keep new jobs out", args[0])
	default:
		return "", usageError("howdah admin -safemode get|wait")
	}
	for {
		r, err := jobs.SafeMode(ctx, &client.Empty{})
		if err != nil {
			return "", err
		}
		if !r.On {
			return "Safe mode is OFF", nil
		}
		if args[0] == "get" {
			return fmt.Sprintf("Safe mode is ON: %d TaskTrackers of before the restart were not heard yet", r.Awaited), nil
		}
		if err := lifecycle.Sleep(ctx, time.Second); err != nil {
			return "", err
		}
	}
}
