package cli

import (
	"context"
	"fmt"
	"strings"

	urfave "github.com/urfave/cli/v2"

	jobclient "github.com/howdah/howdah/client"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
)

// queueCommand returns the counterpart of `hadoop queue`.
func (s *session) queueCommand() *urfave.Command {
	return &urfave.Command{
		Name: "queue", Usage: "list queues and their jobs", HideHelpCommand: true, Flags: []urfave.Flag{jsonFlag()},
		Action: func(c *urfave.Context) error { return usageError("use one of the commands in howdah queue --help") },
		Subcommands: []*urfave.Command{
			{Name: "list", Usage: "list all queues", HideHelpCommand: true, Action: s.listQueues},
			{Name: "info", Usage: "show one queue", ArgsUsage: "QUEUE [-showJobs]", HideHelpCommand: true, Action: s.queueInfo,
				Flags: []urfave.Flag{&urfave.BoolFlag{Name: "showJobs", Usage: "also list the queue's jobs"}}},
			{Name: "showacls", Usage: "show the user's permissions in each queue", HideHelpCommand: true, Action: s.queueACLs},
		},
	}
}

// queueObject is a queue in the output of --json.
type queueObject struct {
	Name    string            `json:"name"`
	State   status.QueueState `json:"state"`
	Info    string            `json:"info"`
	Running int32             `json:"running"`
	Waiting int32             `json:"waiting"`
}

func (s *session) listQueues(c *urfave.Context) error {
	if err := exactly(c, 0); err != nil {
		return err
	}
	return s.withJobs(c.Context, func(ctx context.Context, jobs *jobclient.Client) error {
		list, err := jobs.Queues(ctx)
		if err != nil {
			return err
		}
		if c.Bool("json") {
			out := []queueObject{}
			for _, q := range list {
				out = append(out, queueObject{q.Name, q.State, q.Info, q.Running, q.Waiting})
			}
			return writeJSON(s.out, out)
		}
		for _, q := range list {
			s.writeQueue(q)
		}
		return nil
	})
}

func (s *session) writeQueue(q status.Queue) {
	fmt.Fprintf(s.out, "======================\nQueue Name : %s \nQueue State : %s \nScheduling Info : %s \n", q.Name,
		q.State, q.Info)
}

func (s *session) queueInfo(c *urfave.Context) error {
	if err := exactly(c, 1); err != nil {
		return err
	}
	name := c.Args().First()
	return s.withJobs(c.Context, func(ctx context.Context, jobs *jobclient.Client) error {
		list, err := jobs.Queues(ctx)
		if err != nil {
			return err
		}
		for _, q := range list {
			if q.Name != name {
				continue
			}
			s.writeQueue(q)
			if !c.Bool("showJobs") {
				return nil
			}
			l, err := jobs.List(ctx, status.Filter{Queue: name})
			if err != nil {
				return err
			}
			fmt.Fprintln(s.out, "Job List")
			return writeJobList(s.out, l, false)
		}
		return failure.New(failure.NotFound, "find queue", name, nil).Fix("howdah queue -list lists all " +
			"queues")
	})
}

func (s *session) queueACLs(c *urfave.Context) error {
	if err := exactly(c, 0); err != nil {
		return err
	}
	return s.withUser(c.Context, func(ctx context.Context, jobs *jobclient.Client, user string) error {
		list, err := jobs.Queues(ctx)
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "Queue acls for user :  %s\n\nQueue  Operations\n=====================\n", user)
		for _, q := range list {
			var ops []string
			if mayUse(q.Submit, user) {
				ops = append(ops, "submit-job")
			}
			if mayUse(q.Admin, user) {
				ops = append(ops, "administer-jobs")
			}
			fmt.Fprintf(s.out, "%s  %s\n", q.Name, strings.Join(ops, ","))
		}
		return nil
	})
}

// mayUse reports whether an access list contains the user's name or "*".
func mayUse(acl []string, user string) bool {
	for _, a := range acl {
		if a == "*" || a == user {
			return true
		}
	}
	return false
}
