package daemon

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/howdah/howdah/internal/rpc"
	wire "github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// fit makes a report small enough for the JobTracker to accept. Otherwise, the JobTracker would
// reject this report and all later ones. fit leaves out the counters of running attempts, which the
// TaskTracker reports again when they change. If that is not enough, it reports the ended attempts
// with the largest results as failed.
func fit(r *wire.Report, maxMessage int) {
	if proto.Size(r) < unchecked || !rpc.TooLarge(r, maxMessage) {
		return
	}
	for _, a := range r.Attempt {
		if !job.AttemptState(a.State).Terminal() {
			dropCounters(a)
		}
	}
	for rpc.TooLarge(r, maxMessage) {
		a := largestEnded(r)
		if a == nil {
			return
		}
		a.State, a.Kind = uint32(job.AttemptFailed), uint32(failure.Limit)
		a.Text = fmt.Sprintf("the attempt's %d counters and %d output files make its report too large; "+
			"raise ipc.maximum.data.length of the JobTracker and the TaskTrackers", len(a.Counter), len(a.File))
		a.File = nil
		dropCounters(a)
	}
}

func dropCounters(a *wire.AttemptReport) {
	a.Counter, a.Builtin, a.BuiltinValue, a.HasCounters = nil, nil, nil, false
}

// unchecked is the size, in bytes, below which every report is acceptable. fit does not check
// smaller reports.
const unchecked = 32 << 10

// largestEnded returns the ended attempt with the largest report among those that have counters or
// output files.
func largestEnded(r *wire.Report) (largest *wire.AttemptReport) {
	size := 0
	for _, a := range r.Attempt {
		ended := job.AttemptState(a.State).Terminal() && (a.HasCounters || len(a.File) > 0)
		if n := proto.Size(a); ended && n > size {
			largest, size = a, n
		}
	}
	return largest
}
