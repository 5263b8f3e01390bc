package cli

import (
	"context"
	"fmt"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job/failure"
)

// queueCommand is `hadoop queue`.
func (s *session) queueCommand() *urfave.Command {
	return &urfave.Command{
		Name: "queue", Usage: "look at job queues", HideHelpCommand: true, Flags: []urfave.Flag{jsonFlag()},
		Action: func(c *urfave.Context) error { return usageError("say what to do: howdah queue --help lists it") },
		Subcommands: []*urfave.Command{
			{Name: "list", Usage: "all queues", HideHelpCommand: true, Action: s.listQueues},
			{Name: "info", Usage: "one queue", ArgsUsage: "QUEUE [-showJobs]", HideHelpCommand: true, Action: s.queueInfo,
				Flags: []urfave.Flag{&urfave.BoolFlag{Name: "showJobs", Usage: "list the queue's jobs too"}}},
			{Name: "showacls", Usage: "what the user may do in each queue", HideHelpCommand: true, Action: s.queueACLs},
		},
	}
}

// queueObject is a queue in --json.
type queueObject struct {
	Name    string `json:"name"`
	State   string `json:"state"`
	Info    string `json:"info"`
	Running int32  `json:"running"`
	Waiting int32  `json:"waiting"`
}

func (s *session) listQueues(c *urfave.Context) error {
	if err := exactly(c, 0); err != nil {
		return err
	}
	return s.withUser(c.Context, func(ctx context.Context, jobs client.JobsClient, user string) error {
		r, err := jobs.Queues(ctx, &client.QueuesRequest{User: user})
		if err != nil {
			return err
		}
		if c.Bool("json") {
			out := []queueObject{}
			for _, q := range r.Queue {
				out = append(out, queueObject{q.Name, q.State, q.Info, q.Running, q.Waiting})
			}
			return writeJSON(s.out, out)
		}
		for _, q := range r.Queue {
			s.writeQueue(q)
		}
		return nil
	})
}

func (s *session) writeQueue(q *client.QueueInfo) {
	fmt.Fprintf(s.out, "======================\nQueue Name : %s \nQueue State : %s \nScheduling Info : %s \n", q.Name, q.State, q.Info)
}

func (s *session) queueInfo(c *urfave.Context) error {
	if err := exactly(c, 1); err != nil {
		return err
	}
	name := c.Args().First()
	return s.withUser(c.Context, func(ctx context.Context, jobs client.JobsClient, user string) error {
		r, err := jobs.Queues(ctx, &client.QueuesRequest{User: user})
		if err != nil {
			return err
		}
		for _, q := range r.Queue {
			if q.Name != name {
				continue
			}
			s.writeQueue(q)
			if !c.Bool("showJobs") {
				return nil
			}
			l, err := jobs.List(ctx, &client.ListRequest{Queue: name})
			if err != nil {
				return err
			}
			fmt.Fprintln(s.out, "Job List")
			return writeJobList(s.out, l.Job, false)
		}
		return failure.New(failure.NotFound, "find queue", name, nil).Fix("howdah queue -list lists all")
	})
}

func (s *session) queueACLs(c *urfave.Context) error {
	if err := exactly(c, 0); err != nil {
		return err
	}
	return s.withUser(c.Context, func(ctx context.Context, jobs client.JobsClient, user string) error {
		r, err := jobs.Queues(ctx, &client.QueuesRequest{User: user})
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "Queue acls for user :  %s\n\nQueue  Operations\n=====================\n", user)
		for _, q := range r.Queue {
			var ops []string
			if mayUse(q.SubmitAcl, user) {
				ops = append(ops, "submit-job")
			}
			if mayUse(q.AdminAcl, user) {
				ops = append(ops, "administer-jobs")
			}
			fmt.Fprintf(s.out, "%s  %s\n", q.Name, strings.Join(ops, ","))
		}
		return nil
	})
}

// mayUse reads an access list: user names, or "*".
func mayUse(acl []string, user string) bool {
	for _, a := range acl {
		if a == "*" || a == user {
			return true
		}
	}
	return false
}
