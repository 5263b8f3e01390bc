package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/internal/jsonout"
	"github.com/howdah/howdah/internal/serve"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
)

// historyOrJournal returns an action for job -history. With -jhist, the action exports jobs. If the
// argument is a file, the action reads the file as a journal and needs no JobTracker. For any other
// argument, it calls the action in otherwise.
func (s *session) historyOrJournal(otherwise urfave.ActionFunc) urfave.ActionFunc {
	return func(c *urfave.Context) error {
		if c.IsSet(jhistFlag) {
			if c.Bool("json") {
				return usageError("howdah job -history -%s does not support --json", jhistFlag)
			}
			return orJournal(s.exportHistory(c.Context, c.String(jhistFlag), c.Args().Slice()))
		}
		args := c.Args().Slice()
		all := len(args) > 0 && args[0] == "all"
		if all {
			args = args[1:]
		}
		if len(args) == 0 || !isFile(args[0]) {
			return orJournal(otherwise(c))
		}
		return s.journalHistory(c, args, all)
	}
}

// orJournal returns err. If no JobTracker is configured, the remedy also names a journal, which needs none.
func orJournal(err error) error {
	e, ok := errors.AsType[*failure.Error](err)
	if !ok || e.Kind != failure.Config || e.Op != findOp {
		return err
	}
	return failure.New(e.Kind, e.Op, e.On, e.Err).
		Fix("give the file of a journal (howdah job -history JOURNAL [ID]), or " + e.Remedy)
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// journalHistory prints the history of a job in the journal args[0]. args[1] is the job's ID.
// Without args[1], it prints the journal's only job or, if the journal does not have exactly one
// job, the list of its jobs.
func (s *session) journalHistory(c *urfave.Context, args []string, all bool) error {
	v, torn, err := serve.ReadJournal(args[0])
	if err != nil {
		return err
	}
	if torn {
		fmt.Fprintf(s.err, "howdah: %s ends in the middle of a record\n", args[0])
	}
	ids := v.Jobs()
	named := func(id job.ID) bool { return id.String() == args[1] }
	switch {
	case len(args) > 2:
		return usageError("howdah job -history " + historyArgs)
	case len(args) == 2 && !slices.ContainsFunc(ids, named):
		return failure.New(failure.NotFound, "find job", args[1],
			errors.New("the journal has no such job")).Fix("howdah job -history " + args[0] + " lists its jobs")
	case len(args) == 2:
		ids = slices.DeleteFunc(ids, func(id job.ID) bool { return !named(id) })
	case len(ids) != 1:
		list, err := v.List(c.Context, status.Filter{All: true})
		if err != nil {
			return err
		}
		return s.show(c, jsonout.OfJobs(list), func() error { return writeJobList(s.out, list, true) })
	}
	j, err := v.Status(c.Context, ids[0], status.Query{Attempts: true, Counters: true})
	if err != nil {
		return err
	}
	return s.show(c, jsonout.OfJob(j, true), func() error { return writeHistory(s.out, j, all) })
}
