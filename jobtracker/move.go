package jobtracker

import (
	"fmt"
	"slices"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
)

// moveJob moves an unfinished job to another queue or pool. The policy must admit the job there, as
// it does for a new job. Running attempts continue.
func (m *Machine) moveJob(in *Input) {
	const op = "move job"
	j := m.changeable(in, op, nil)
	if j == nil {
		return
	}
	s, err := m.placed(j, in.Name, in.Text)
	if err != nil {
		m.refuse(in, failure.New(failure.NotFound, op, job.ID{Cluster: m.cluster, Seq: in.Job}.String(), err).
			Fix("use one that howdah queue -list shows"))
		return
	}
	if s.Queue != j.view.Spec.Queue || explicitPool(s) != explicitPool(j.view.Spec) {
		if err := m.admit(s); err != nil {
			m.refuse(in, err)
			return
		}
		e := m.fact(event.JobMoved)
		e.Job, e.Name, e.Text = in.Job, s.Queue, explicitPool(s)
		m.emit(e)
		m.grew = true // trackers with room may start tasks that the limits of the old queue held back
	}
	m.reply(in, Output{Job: in.Job})
}

// placed returns the specification of a job that moves to a queue or pool. queue is "" if target is
// not a queue. If target is a pool of the policy, but the job's queue does not determine the pool,
// the specification names the pool explicitly (Hadoop: PoolManager.setPool). A policy without such a
// pool, or whose rules place the job elsewhere, accepts a queue as a mere label. The job then is in
// the pool in which it would be without earlier moves to pools.
func (m *Machine) placed(j *jobState, target, queue string) (*job.Spec, error) {
	isQueue := queue != ""
	if !isQueue {
		queue = j.view.Spec.Queue
	}
	s := movedSpec(j.submitted, queue, "") // an earlier move to a pool no longer counts
	group, isGroup := "", false
	if g, ok := m.policy.(scheduler.Grouper); ok {
		isGroup = slices.ContainsFunc(g.Groups(m, nil), func(g scheduler.Group) bool { return g.Name == target })
		named := movedSpec(j.submitted, queue, target)
		for _, s := range []*job.Spec{s, named} {
			v := relocated{m, j.view}
			v.job.Spec = s
			if group = g.GroupOf(&v, v.job.Seq); isGroup && group == target {
				return s, nil
			}
		}
	}
	switch {
	case isQueue:
		return s, nil
	case isGroup:
		return nil, fmt.Errorf("the scheduler does not accept the job in %s, but only in %s", target, group)
	}
	return nil, fmt.Errorf("unknown queue or pool %.40q", target)
}

// relocated is a View in which a job has another specification.
type relocated struct {
	scheduler.View
	job scheduler.Job
}

func (r *relocated) Job(seq int32) *scheduler.Job {
	if seq == r.job.Seq {
		return &r.job
	}
	return r.View.Job(seq)
}

// explicitPool returns the pool that a job names explicitly, or "" if it names none.
func explicitPool(s *job.Spec) string {
	name, _ := s.Get(conf.FairSchedulerPool.Name)
	return name
}

// movedSpec returns the specification of a job in another queue. If pool is not "", the job names
// this pool explicitly. movedSpec does not change the submitted specification, and returns it if
// nothing differs.
func movedSpec(submitted *job.Spec, queue, pool string) *job.Spec {
	named := pool != "" && pool != explicitPool(submitted)
	if queue == submitted.Queue && !named {
		return submitted
	}
	s := *submitted
	s.Queue = queue
	if named {
		own := job.Property{Name: conf.FairSchedulerPool.Name, Value: pool}
		s.Conf = slices.DeleteFunc(slices.Clone(s.Conf), func(p job.Property) bool { return p.Name == own.Name })
		at, _ := slices.BinarySearchFunc(s.Conf, own.Name,
			func(p job.Property, name string) int { return strings.Compare(p.Name, name) })
		s.Conf = slices.Insert(s.Conf, at, own)
	}
	return &s
}
