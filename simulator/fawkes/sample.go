package fawkes

import (
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/estimate"
	"github.com/howdah/howdah/simulator/replay"
)

// sample sends the manager a sample of each MR-cluster that accepts jobs and whose JobTracker is
// up. It then calls Config.Watch.
func (p *pool) sample() {
	for _, w := range p.work {
		if w.d != nil && w.d.open && !w.d.live.Down() {
			s := p.measure(w)
			p.step(mrcluster.Input{Kind: mrcluster.InSample, Cluster: w.d.name, Deployment: w.d.number, Sample: &s})
		}
	}
	if p.cfg.Watch == nil {
		return
	}
	m := Moment{At: p.now - replay.Epoch, View: p.m.View()}
	for _, w := range p.work {
		m.Queue = append(m.Queue, len(w.queued))
	}
	p.cfg.Watch(m)
}

// waiting returns how many of the job's tasks of type t are waiting for a slot.
func (p *pool) waiting(j *scheduler.Job, t job.TaskType) int32 {
	if p.cfg.CountEarlyReduces {
		return max(0, j.Tasks[t]-j.Finished[t]-j.Failed[t]-j.Running[t])
	}
	return max(0, j.Pending[t])
}

// measure samples the MR-cluster's JobTracker and nodes.
func (p *pool) measure(w *workload) mrcluster.Sample {
	d, v := w.d, w.d.live.View()
	s := mrcluster.Sample{Jobs: int64(len(w.queued)), JobsDone: d.jobsDone, TasksDone: d.tasksDone, Written: d.written}
	total := v.Cluster()
	s.Slots = int64(total.Slots[job.Map] + total.Slots[job.Reduce])
	slow := 0.0
	for _, seq := range v.Jobs() {
		j, of := v.Job(seq), d.live.Job(seq)
		if of == nil {
			continue
		}
		waiting := int64(0)
		for k := range j.Tasks {
			waiting += int64(p.waiting(j, job.TaskType(k)))
			s.RunningTasks += int64(j.Running[k])
			s.TasksDone += int64(j.Finished[k])
		}
		s.WaitingTasks += waiting
		s.Bytes += of.Input
		if waiting > 0 {
			s.WaitingJobs++
			s.WaitingBytes += of.Input
		}
		if p.cfg.Reference != nil {
			slow += float64(p.now-of.Submit) / float64(max(1, p.cfg.Reference(of)))
		}
	}
	if n := len(v.Jobs()); n > 0 {
		s.Slowdown = slow / float64(n)
	}
	s.Lateness = d.lateness(v, p.now)
	for _, a := range p.agents {
		if a.run != nil && a.run.d == d && a.run.kind.MayStore() {
			s.Storage += p.cfg.Storage
			s.Stored = append(s.Stored, mrcluster.Stored{Node: a.name, Bytes: a.run.stored})
		}
	}
	return s
}

// lateness returns the mean lateness of the unfinished jobs (mrcluster.Late).
func (d *deployment) lateness(v scheduler.View, now int64) float64 {
	jobs, late := v.Jobs(), 0.0
	var predictor *estimate.Predictor
	for _, seq := range jobs {
		spec, finish := v.Job(seq).Spec, int64(0)
		if spec.Deadline > 0 {
			if predictor == nil {
				predictor = estimate.NewPredictor(estimate.NewLearner())
				predictor.Learner.Reset(v)
			}
			finish, _ = predictor.Expect(v, d.live.Policy(), seq)
		}
		late += mrcluster.Late(now, v.Job(seq).Submit, spec.Deadline, finish)
	}
	return late / float64(max(1, len(jobs)))
}
