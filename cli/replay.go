package cli

import (
	"fmt"
	"os"

	"github.com/howdah/howdah/job/failure"
	jobtracker "github.com/howdah/howdah/jobtracker/daemon"
	"github.com/howdah/howdah/scheduler/catalog"
)

// replay decides again on what --record-inputs wrote, and prints the hash of the decisions: the same as the live JobTracker's.
func (s *session) replay(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return failure.New(failure.KindOf(err), "replay inputs of", file, err)
	}
	defer f.Close()
	r, err := jobtracker.ReplayInputs(f, catalog.Builtin())
	if failure.KindOf(err) == failure.Unknown && err != nil {
		return failure.New(failure.Corrupt, "replay inputs of", file, err)
	}
	if err != nil {
		return err
	}
	if r.Torn {
		fmt.Fprintf(s.err, "howdah: %s ends in the middle of an input: its JobTracker was killed\n", file)
	}
	_, err = fmt.Fprintf(s.out, "scheduler %s\ninputs %d\ndecisions %d\nhash %s\n", r.Scheduler, r.Inputs, r.Decisions, r.Hash)
	return err
}
