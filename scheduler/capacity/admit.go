package capacity

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
)

const op = "submit to queue"

// Admit implements scheduler.Admitter: the queue exists and runs, the user may use it, and it has room for the job
// (CapacitySchedulerQueue.addWaitingJob).
func (p *Policy) Admit(_ scheduler.View, s *job.Spec) error {
	name := s.Queue
	if name == "" {
		name = p.queueOf("").set.Name
	}
	q := p.byName[name]
	if q == nil {
		return failure.New(failure.Config, op, name, errors.New("there is no such queue (mapreduce.job.queuename)")).Fix("use one of: " + strings.Join(p.names(), " "))
	}
	switch {
	case q.set.Stopped:
		return failure.New(failure.Permission, op, name, errors.New("the queue is stopped"))
	case !p.may(q.set.Submit, s.User):
		return failure.New(failure.Permission, op, name, fmt.Errorf("user %s may not submit to it (%s%s.acl-submit-job)", s.User, aclPrefix, name))
	}
	if v, ok := s.Get(waitFactorKey); ok {
		if x, err := strconv.ParseFloat(v, 64); err != nil || !(x >= 0 && x <= 1000) {
			return failure.New(failure.Config, "read "+waitFactorKey+"="+v, "(the job)", errors.New("want a number from 0 to 1000"))
		}
	}
	return q.admit(s)
}

// admit refuses what the queue has no room for.
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
		{tasks, q.set.ActiveTasks, "the job has %d tasks, its queue takes jobs of at most %d (maximum-initialized-active-tasks)"},
		{tasks, q.set.ActivePerUser, "the job has %d tasks, a user may have at most %d (maximum-initialized-active-tasks-per-user)"},
		{int64(len(q.jobs)) + 1, int64(q.most) * q.set.AcceptFactor, "it would be job %d of the queue, which takes %d (maximum-system-jobs, init-accept-jobs-factor)"},
		{waiting + 1, int64(q.mostPerUser) * q.set.AcceptFactor, "it would be job %d of the user, who may have %d (maximum-system-jobs, init-accept-jobs-factor)"},
	} {
		if c.have > c.most {
			return failure.New(failure.Limit, op, q.set.Name, fmt.Errorf(c.what, c.have, c.most))
		}
	}
	return nil
}

// Administer implements scheduler.Admitter.
func (p *Policy) Administer(v scheduler.View, seq int32, user string) error {
	x := p.jobs[seq]
	q := p.queueOf("")
	if x != nil {
		q = x.queue
	} else if j := v.Job(seq); j != nil {
		q = p.queueOf(j.Spec.Queue)
	}
	if p.may(q.set.Administer, user) {
		return nil
	}
	return failure.New(failure.Permission, "change a job of queue", q.set.Name, fmt.Errorf("user %s may not administer its jobs (%s%s.acl-administer-jobs)", user, aclPrefix, q.set.Name))
}

// MayUse implements scheduler.QueueKeeper.
func (p *Policy) MayUse(_ scheduler.View, name, user string) (submit, administer bool) {
	q := p.byName[name]
	return q != nil && p.may(q.set.Submit, user), q != nil && p.may(q.set.Administer, user)
}

func (p *Policy) may(a acl, user string) bool {
	return !p.set.ACLs || a.allows(user) || acl{users: p.set.Admins}.allows(user)
}

func (p *Policy) names() []string {
	names := make([]string, len(p.queues))
	for i, q := range p.queues {
		names[i] = q.set.Name
	}
	return names
}
