package daemon

import (
	"github.com/howdah/howdah/internal/commit"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/jobtracker"
)

// fact receives each fact from the machine, in the owner's goroutine and before the fact is
// durable. It postpones effects that require durability until the fact is durable. It rings the
// bells immediately, so that TaskTrackers can call while the disk writes the fact. The JobTracker
// answers such a call only after the fact is durable.
func (d *Daemon) fact(e *event.Event) {
	d.archive.Fact(e)
	d.metrics.fact(e, d.startOf(e))
	d.record.fact(e)
	d.forecast.fact(d.owner.m, e)
	d.tell(e)
	switch e.Type {
	case event.JobSubmitted, event.JobStarted, event.JobPriorityChanged, event.JobDeadlineChanged, event.JobMoved,
		event.JobKillRequested, event.JobCommitting, event.JobAborting:
		d.jobNews.ring(e.Job)
	case event.AttemptFinished, event.TaskReopened, event.TaskFinished:
		if e.Attempt.Type == job.Map {
			d.outputNews.ring(e.Job)
		}
	case event.JobFinished:
		d.ended(e.Job)
		end := finished{id: job.ID{Cluster: d.owner.m.ClusterID(), Seq: e.Job}, state: e.JobState, info: d.jobs.get(e.Job)}
		if j := d.owner.m.Job(e.Job); j != nil {
			end.spec, end.user = j.Spec, j.Spec.User
			if e.JobState == job.Succeeded {
				d.profiles.succeeded(j.Spec.User, j.Spec.Name, e.Job)
			}
		}
		d.jobNews.ring(end.id.Seq)
		d.owner.Later(func() {
			d.outputNews.forget(end.id.Seq)
			d.workers.finish(end)
		})
	case event.TrackerLost:
		handle := e.Tracker
		d.owner.Later(func() { d.trackerNews.forget(handle) })
	}
}

// startOf returns when the attempt of a fact started, in milliseconds since the epoch. 0 means that
// the fact has no attempt.
func (d *Daemon) startOf(e *event.Event) int64 {
	if e.Type == event.AttemptFinished {
		if a := d.owner.m.Attempt(e.Attempt); a != nil {
			return a.Start
		}
	}
	return 0
}

// out returns a function that performs an output of the machine, or nil. The caller runs it after
// the step is durable. Like fact, out wakes TaskTrackers immediately.
func (d *Daemon) out(o *jobtracker.Output) func() {
	switch o.Kind {
	case jobtracker.OutWake:
		d.trackerNews.ring(o.Tracker)
	case jobtracker.OutCommit, jobtracker.OutAbort:
		w := d.endWork(o.Job, o.Kind == jobtracker.OutCommit)
		return func() { d.workers.end(w) }
	case jobtracker.OutForget:
		seq := o.Job
		return func() { d.jobNews.forget(seq) }
	}
	return nil
}

// endWork collects the data from the machine that the commit or cleanup of a job needs.
func (d *Daemon) endWork(seq int32, publish bool) ending {
	m := d.owner.m
	w := ending{seq: seq, publish: publish}
	if j := m.Job(seq); j != nil {
		w.spec = j.Spec
	}
	add := func(a jobtracker.AttemptInfo) {
		if len(a.Manifest) > 0 {
			w.winners = append(w.winners, commit.Winner{Attempt: a.ID.ID(m.ClusterID()).String(), Files: a.Manifest})
		}
	}
	m.Winners(seq, job.Map, add)
	m.Winners(seq, job.Reduce, add)
	return w
}
