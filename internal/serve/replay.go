package serve

import (
	"fmt"
	"io"
	"os"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker/daemon"
	"github.com/howdah/howdah/scheduler/catalog"
)

// Replay replays a JobTracker's recorded inputs with the policies in table. It prints a hash of the
// resulting decisions. If the policies are the same, the hash equals that of the live JobTracker's
// decisions. It writes results to out and warnings to errOut.
func Replay(file string, table catalog.Table, out, errOut io.Writer) error {
	f, err := os.Open(file)
	if err != nil {
		return failure.New(failure.KindOf(err), "replay inputs of", file, err)
	}
	defer f.Close()
	r, err := daemon.ReplayInputs(f, table)
	switch kind := failure.KindOf(err); {
	case err == nil:
	case kind == failure.Unknown || kind == failure.Corrupt:
		return failure.New(failure.Corrupt, "replay inputs of", file, err)
	default:
		return err
	}
	if r.Torn {
		fmt.Fprintf(errOut, "howdah: %s ends in the middle of an input: its JobTracker was killed\n", file)
	}
	_, err = fmt.Fprintf(out, "scheduler %s\ninputs %d\ndecisions %d\nhash %s\n", r.Scheduler,
		r.Inputs, r.Decisions, r.Hash)
	return err
}
