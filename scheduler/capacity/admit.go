package capacity

import (
	"errors"
	"fmt"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
)

const op = "submit to queue"

// Admit implements scheduler.Admitter. The queue must exist and have room for the job
// (CapacitySchedulerQueue.addWaitingJob). Admit also rejects an invalid
// mapreduce.job.locality.wait.factor.
func (p *Policy) Admit(_ scheduler.View, s *job.Spec) error {
	name := s.Queue
	if name == "" {
		name = p.queueOf("").set.Name
	}
	q := p.byName[name]
	if q == nil {
		return failure.New(failure.Config, op, name,
			errors.New("unknown queue (mapreduce.job.queuename)")).Fix("use one of: " + strings.Join(p.names(), " "))
	}
	if v, ok := s.Get(conf.JobLocalityWaitFactor.Name); ok {
		if _, err := conf.JobLocalityWaitFactor.Parse(v); err != nil {
			return failure.New(failure.Config, "read "+conf.JobLocalityWaitFactor.Name+"="+v, "the job", err)
		}
	}
	return q.admit(s)
}

// admit returns an error if the job has too many tasks for the queue or for one user, or if the queue
// or the user already has too many running jobs.
func (q *queue) admit(s *job.Spec) error {
	tasks := int64(len(s.Splits)) + int64(s.Reduces)
	waiting := int64(0)
	if u := q.users[s.User]; u != nil {
		waiting = int64(u.jobs)
	}
	for _, c := range []struct {
		have, most int64
		what       string
	}{
		{tasks, q.set.ActiveTasks, "the job has %d tasks, but the queue accepts jobs of at most %d " +
			"(maximum-initialized-active-tasks)"},
		{tasks, q.set.ActivePerUser, "the job has %d tasks, but a user may have at most %d " +
			"(maximum-initialized-active-tasks-per-user)"},
		{int64(len(q.jobs.Items)) + 1, int64(q.most) * q.set.AcceptFactor,
			"the job would be number %d in the queue, whose limit is %d " +
				"(maximum-system-jobs, init-accept-jobs-factor)"},
		{waiting + 1, int64(q.mostPerUser) * q.set.AcceptFactor,
			"the job would be number %d of the user, whose limit is %d " +
				"(maximum-system-jobs, init-accept-jobs-factor)"},
	} {
		if c.have > c.most {
			return failure.New(failure.Limit, op, q.set.Name, fmt.Errorf(c.what, c.have, c.most))
		}
	}
	return nil
}

func (p *Policy) names() []string {
	names := make([]string, len(p.queues))
	for i, q := range p.queues {
		names[i] = q.set.Name
	}
	return names
}
