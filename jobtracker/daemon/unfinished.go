package daemon

import (
	"context"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/howdah/howdah/internal/commit"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/jobtracker"
)

// outputLook is the maximum time that a check of one job's output can take.
const outputLook = time.Minute

// settleUnfinished ends the jobs that cannot continue after a restart. If a job's output is
// complete, the job has succeeded, although the journal has lost that fact. The job would fail if
// it ran again, because its staged files are gone. settleUnfinished kills jobs whose own files are
// missing or damaged.
func (d *Daemon) settleUnfinished(ctx context.Context) error {
	published, err := look(ctx, d.owner, func(m *jobtracker.Machine) (list []ending, err error) {
		for _, seq := range m.AllJobs() {
			j := m.Job(seq)
			if j.State == job.Running && j.Spec.OutputDir != "" && marks(j.Spec) && !j.Spec.Committer {
				list = append(list, ending{seq: seq, spec: j.Spec})
			}
		}
		return list, nil
	})
	if err != nil {
		return nil // ctx has ended
	}
	var group errgroup.Group
	group.SetLimit(numWorkers)
	for _, e := range published {
		group.Go(func() error {
			if d.isComplete(ctx, e) {
				d.cfg.Log.Warn("the journal has lost the end of a job whose output is complete", "job", e.seq)
				d.endUnfinished(ctx, &jobtracker.Input{Kind: jobtracker.InPublished, Job: e.seq})
			}
			return nil
		})
	}
	_ = group.Wait()
	for _, seq := range slices.Sorted(maps.Keys(d.jobs.unreadable)) {
		d.endUnfinished(ctx, &jobtracker.Input{Kind: jobtracker.InKillJob, Job: seq,
			Text: "the JobTracker cannot read the job's file: " + d.jobs.unreadable[seq].Error()})
	}
	return nil
}

// isComplete reports whether an earlier JobTracker has published a job's whole output.
func (d *Daemon) isComplete(ctx context.Context, e ending) bool {
	ctx, cancel := context.WithTimeout(ctx, outputLook)
	defer cancel()
	fs, out, release, err := d.resolveAs(e.spec.User, d.jobs.get(e.seq), e.spec.OutputDir)
	complete := false
	if err == nil {
		complete, err = commit.Completed(ctx, fs, out)
		release()
	}
	if err != nil && ctx.Err() == nil {
		d.cfg.Log.Warn("cannot look at the output of an unfinished job", "job", e.seq, "error", err)
	}
	return complete
}

func (d *Daemon) endUnfinished(ctx context.Context, in *jobtracker.Input) {
	_, err := input(ctx, d.owner, in, func(*jobtracker.Output) struct{} { return struct{}{} })
	if err != nil && ctx.Err() == nil {
		d.cfg.Log.Warn("cannot end a job that cannot continue", "job", in.Job, "error", err)
	}
}
