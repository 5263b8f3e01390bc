package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	urfave "github.com/urfave/cli/v2"

	jobclient "github.com/howdah/howdah/client"
	"github.com/howdah/howdah/internal/arguments"
	"github.com/howdah/howdah/internal/jsonout"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
)

// queueCommand returns the counterpart of `hadoop queue`.
func (s *session) queueCommand() *urfave.Command {
	json := arguments.JSONFlag()
	return &urfave.Command{
		Name: "queue", Usage: "list queues and their jobs", HideHelpCommand: true,
		Action: func(c *urfave.Context) error { return usageError("use one of the commands in howdah queue --help") },
		Subcommands: []*urfave.Command{
			{Name: "list", Usage: "list all queues", HideHelpCommand: true, Action: taking(0, s.listQueues),
				Flags: []urfave.Flag{json}},
			{Name: "info", Usage: "show one queue", ArgsUsage: "QUEUE [-showJobs]", HideHelpCommand: true,
				Action: taking(1, s.queueInfo),
				Flags:  []urfave.Flag{&urfave.BoolFlag{Name: "showJobs", Usage: "also list the queue's jobs"}, json}},
			{Name: "showacls", Usage: "show the user's permissions in each queue", HideHelpCommand: true,
				Action: taking(0, s.queueACLs), Flags: []urfave.Flag{json}},
		},
	}
}

func (s *session) listQueues(c *urfave.Context) error {
	return s.withJobs(c.Context, func(ctx context.Context, jobs *jobclient.Client) error {
		list, err := jobs.Queues(ctx)
		if err != nil {
			return err
		}
		out := []jsonout.Queue{}
		for _, q := range list {
			out = append(out, jsonout.OfQueue(q))
		}
		return s.show(c, out, func() error {
			for _, q := range list {
				s.writeQueue(q)
			}
			return nil
		})
	})
}

func (s *session) writeQueue(q status.Queue) {
	fmt.Fprintf(s.out, "======================\nQueue Name : %s \nQueue State : %s \nScheduling Info : %s \n", q.Name,
		q.State, q.Info)
}

func (s *session) queueInfo(c *urfave.Context) error {
	name := c.Args().First()
	return s.withJobs(c.Context, func(ctx context.Context, jobs *jobclient.Client) error {
		list, err := jobs.Queues(ctx)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(list, func(q status.Queue) bool { return q.Name == name })
		if i < 0 {
			return failure.New(failure.NotFound, "find queue", name, nil).Fix("howdah queue -list lists all queues")
		}
		o := jsonout.OfQueue(list[i])
		var shown []*status.Job
		if c.Bool("showJobs") {
			if shown, err = jobs.List(ctx, status.Filter{Queue: name}); err != nil {
				return err
			}
			list := jsonout.OfJobs(shown)
			o.Jobs = &list
		}
		return s.show(c, o, func() error {
			s.writeQueue(list[i])
			if o.Jobs == nil {
				return nil
			}
			fmt.Fprintln(s.out, "Job List")
			return writeJobList(s.out, shown, false)
		})
	})
}

// permissionsObject contains a user's permissions in a queue, in the output of --json.
type permissionsObject struct {
	Queue      string   `json:"queue"`
	Operations []string `json:"operations"`
}

func (s *session) queueACLs(c *urfave.Context) error {
	return s.withUser(c.Context, func(ctx context.Context, jobs *jobclient.Client, user string) error {
		list, err := jobs.Queues(ctx)
		if err != nil {
			return err
		}
		out := []permissionsObject{}
		for _, q := range list {
			o := permissionsObject{q.Name, []string{}}
			if mayUse(q.Submit, user) {
				o.Operations = append(o.Operations, "submit-job")
			}
			if mayUse(q.Admin, user) {
				o.Operations = append(o.Operations, "administer-jobs")
			}
			out = append(out, o)
		}
		return s.show(c, out, func() error {
			fmt.Fprintf(s.out, "Queue acls for user :  %s\n\n", user)
			var table strings.Builder
			w := tabwriter.NewWriter(&table, 0, 8, 2, ' ', 0)
			fmt.Fprintln(w, "Queue\tOperations")
			for _, o := range out {
				fmt.Fprintf(w, "%s\t%s\n", o.Queue, strings.Join(o.Operations, ","))
			}
			_ = w.Flush() // a Builder returns no errors
			head, rows, _ := strings.Cut(table.String(), "\n")
			_, err := fmt.Fprintf(s.out, "%s\n=====================\n%s", head, rows)
			return err
		})
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
