package daemon

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/commit"
	"github.com/howdah/howdah/internal/notify"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/jobtracker/archive"
)

// workers do the slow work at the end of jobs. They publish or clean up outputs, remove staged
// files, export histories, and send notifications. They also renew and cancel tokens.
type workers struct {
	d        *Daemon
	exporter *archive.Exporter
	tasks    *queue
	calls    *queue // notifications, whose targets can be slow

	exportWait time.Duration // until the second try to export a history; it doubles with each try
}

// ending is the commit or cleanup of one job.
type ending struct {
	seq     int32
	spec    *job.Spec
	publish bool
	winners []commit.Winner
}

// finished is a job that has ended.
type finished struct {
	id    job.ID
	user  string
	state job.State
	spec  *job.Spec // nil means that the machine has dropped the job
	info  *tracker.JobInfo
}

const (
	numWorkers = 8
	numCalls   = 64
	// commitTries is the maximum number of tries to publish or clean up an output while storage is
	// unreachable.
	commitTries = 5
	commitWait  = time.Second
	// exportWait and maxExportWait are the shortest and longest pauses between tries to export a history.
	exportWait, maxExportWait = time.Minute, time.Hour
)

func newWorkers(d *Daemon) *workers {
	return &workers{d: d, exporter: d.archive.Exporter(d.cfg.Export, d.cfg.FS), tasks: newQueue(), calls: newQueue(),
		exportWait: exportWait}
}

// run runs the workers until ctx ends. The next start of the JobTracker repeats interrupted work.
func (w *workers) run(ctx context.Context) error {
	var group sync.WaitGroup
	group.Go(func() { w.tasks.run(ctx, numWorkers) })
	group.Go(func() { w.calls.run(ctx, numCalls) })
	group.Wait()
	return nil
}

// end publishes or cleans up a job's output and reports the result to the machine. If storage is
// unreachable, it makes up to commitTries tries.
func (w *workers) end(e ending) {
	w.tasks.push(func(ctx context.Context) {
		in := &jobtracker.Input{Kind: jobtracker.InAbortDone, Job: e.seq}
		if e.publish {
			in.Kind = jobtracker.InCommitDone
		}
		err := rpc.Retry(ctx, rpc.Backoff{First: commitWait, Attempts: commitTries},
			func(ctx context.Context) error { return w.d.endOutput(ctx, e) })
		if ctx.Err() != nil {
			return // the next start repeats the request
		}
		if err != nil {
			in.Err = err.Error()
			w.d.cfg.Log.Error("cannot finish a job", "job", e.seq, "publish", e.publish, "error", err)
		}
		_, err = input(ctx, w.d.owner, in, func(*jobtracker.Output) struct{} { return struct{}{} })
		if err != nil && ctx.Err() == nil {
			w.d.cfg.Log.Error("the machine rejected the end of a job", "job", e.seq, "error", err)
		}
	})
}

// endOutput publishes or cleans up a job's output. It does nothing if the job writes no files.
func (d *Daemon) endOutput(ctx context.Context, e ending) error {
	if e.spec == nil || e.spec.OutputDir == "" {
		return nil
	}
	fs, out, release, err := d.resolveAs(e.spec.User, d.jobs.get(e.seq), e.spec.OutputDir)
	if err != nil {
		return err
	}
	defer release()
	if e.publish {
		return commit.Publish(ctx, fs, out, e.winners, marks(e.spec))
	}
	return commit.Abort(ctx, fs, out, e.winners, marks(e.spec))
}

// marks reports whether the job's commit writes _SUCCESS.
func marks(spec *job.Spec) bool {
	text, _ := spec.Get(conf.FileOutputCommitterMarkSuccessfulJobs.Name)
	return text != "false"
}

// finish cleans up after a job. It removes the job's file last, because the next start repeats the
// cleanup while the file exists.
func (w *workers) finish(f finished) {
	var left atomic.Int32
	drop := func(ctx context.Context) {
		if left.Add(-1) == 0 && ctx.Err() == nil {
			w.d.jobs.drop(f.id.Seq)
		}
	}
	left.Store(2)
	w.tasks.push(func(ctx context.Context) {
		w.d.jobs.forget(f.id.Seq)
		w.d.removeStaging(ctx, f.user, f.info, f.id)
		w.calls.push(func(ctx context.Context) {
			if f.spec != nil {
				w.d.notify(ctx, f)
			}
			drop(ctx)
		})
		w.export(ctx, f, w.exportWait, drop)
	})
}

// export exports a job's history, ends the job's tokens, and calls the function then. If storage is
// full or does not respond, export only schedules another try after wait.
func (w *workers) export(ctx context.Context, f finished, wait time.Duration, then func(context.Context)) {
	done := w.exporter.Export(ctx, f.id, f.spec, func(export func(dfs.Resolver) error) error {
		files, release, err := w.d.as(f.spec.User, f.info)
		if err != nil {
			return err
		}
		defer release()
		return export(files)
	})
	if !done {
		time.AfterFunc(wait, func() {
			w.tasks.push(func(ctx context.Context) { w.export(ctx, f, min(2*wait, maxExportWait), then) })
		})
		return
	}
	w.d.tokens.end(ctx, f.info)
	then(ctx)
}

// finishLeft cleans up after jobs whose cleanup an earlier JobTracker did not complete.
func (d *Daemon) finishLeft(m *jobtracker.Machine) {
	for _, info := range d.jobs.over {
		f := finished{id: job.ID{Cluster: d.cluster, Seq: info.Job}, user: info.User, info: info}
		if j := m.Job(info.Job); j != nil {
			f.spec, f.state = j.Spec, j.State
		}
		d.workers.finish(f)
	}
	d.jobs.over = nil
}

// removeStaging deletes the staged files of a job. It deletes only the directory that NewJob
// assigned.
func (d *Daemon) removeStaging(ctx context.Context, user string, info *tracker.JobInfo, id job.ID) {
	own, dir, err := d.stagingDir(user, id)
	if err == nil {
		err = d.deleteAs(ctx, user, info, own.URI()+dir)
	}
	if err != nil && ctx.Err() == nil {
		d.cfg.Log.Warn("cannot remove a job's staging directory", "job", id.String(), "error", err)
	}
}

// deleteAs deletes a directory with a user's permissions.
func (d *Daemon) deleteAs(ctx context.Context, user string, info *tracker.JobInfo, uri string) error {
	fs, dir, release, err := d.resolveAs(user, info, uri)
	if err != nil {
		return err
	}
	defer release()
	return fs.Delete(ctx, dir, true)
}

// notify calls the notification URL in the job's configuration, if there is one. It only logs
// errors.
func (d *Daemon) notify(ctx context.Context, f finished) {
	c := conf.New()
	for _, p := range f.spec.Conf {
		c.Set(p.Name, p.Value, "job.xml")
	}
	if url := f.info.GetNotifyUrl(); url != "" { // it can be a secret, which Conf lacks
		c.Set(conf.JobEndNotificationURL.Name, url, "job.xml")
	}
	if conf.JobEndNotificationURL.Get(c) == "" {
		return
	}
	plan, err := notify.Read(c) // validated at submission
	if err == nil {
		err = plan.Call(ctx, d.cfg.Notify, f.id, f.state)
	}
	if err != nil && ctx.Err() == nil {
		d.cfg.Log.Warn("cannot deliver the notification of a job's end", "job", f.id.String(), "error", err)
	}
}
