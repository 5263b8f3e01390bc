package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	urfave "github.com/urfave/cli/v2"

	"github.com/howdah/howdah/internal/serve"
	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job/failure"
)

// historyOrJournal answers job -history for a journal in a file, for which no JobTracker is needed, and leaves the rest to
// otherwise.
func (s *session) historyOrJournal(otherwise urfave.ActionFunc) urfave.ActionFunc {
	return func(c *urfave.Context) error {
		args := c.Args().Slice()
		all := len(args) > 0 && args[0] == "all"
		if all {
			args = args[1:]
		}
		if len(args) == 0 || !isFile(args[0]) {
			return otherwise(c)
		}
		return s.journalHistory(c.Context, args, all)
	}
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// journalHistory prints one job of a journal, or which jobs there are.
func (s *session) journalHistory(ctx context.Context, args []string, all bool) error {
	v, torn, err := serve.ReadJournal(args[0])
	if err != nil {
		return err
	}
	if torn {
		fmt.Fprintf(s.err, "howdah: %s ends in the middle of a record\n", args[0])
	}
	ids := v.Jobs()
	switch {
	case len(args) > 2:
		return usageError("howdah job -history " + historyArgs)
	case len(args) == 2 && !slices.Contains(ids, args[1]):
		return failure.New(failure.NotFound, "find job", args[1], errors.New("the journal has no such job")).Fix("howdah job -history " + args[0] + " lists its jobs")
	case len(args) == 2:
		ids = args[1:]
	case len(ids) != 1:
		r, err := v.List(ctx, &client.ListRequest{All: true})
		if err != nil {
			return err
		}
		return writeJobList(s.out, r.Job, true)
	}
	j, err := v.Status(ctx, &client.StatusRequest{Id: ids[0], Attempts: true, Counters: true})
	if err != nil {
		return err
	}
	return writeHistory(s.out, j, all)
}
