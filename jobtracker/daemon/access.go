package daemon

import (
	"context"
	"net/http"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/acl"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/transport"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/jobtracker"
)

// accessOf returns the properties of a job that determine who may see and change it. If a setting
// is missing from the specification, it admits nobody.
func accessOf(id job.ID, s *job.Spec) *acl.Job {
	view, _ := s.Get(conf.JobACLViewJob.Name)
	modify, _ := s.Get(conf.JobACLModifyJob.Name)
	return &acl.Job{ID: id.String(), Owner: s.User, Queue: s.Queue, View: view, Modify: modify}
}

// allow returns an error unless the user on whose behalf a call acts may perform an operation on a
// job. name is the user's name in the request. If the job does not exist yet, the error is of kind
// NotFound, so that a user cannot wait for news about a job that another user submits later.
func (d *Daemon) allow(ctx context.Context, op acl.Operation, id job.ID, name string) error {
	user, err := d.cfg.Acting.For(ctx, name)
	if err != nil {
		return err
	}
	rules := d.policies.Rules()
	if rules.All(op, user) {
		return nil
	}
	spec, err := d.specOf(ctx, id)
	if err != nil {
		return err
	}
	return rules.Job(op, user, accessOf(id, spec))
}

// MayChange reports whether the user on whose behalf a call acts may change a job and its attempts.
func (d *Daemon) MayChange(ctx context.Context, id job.ID) bool {
	return d.allow(ctx, acl.Kill, id, "") == nil
}

// MayAdminister reports whether the user on whose behalf a call acts is an administrator.
func (d *Daemon) MayAdminister(ctx context.Context) bool {
	_, err := d.administrator(ctx, "")
	return err == nil
}

// MoveTargets returns the queues and pools to which the user on whose behalf a call acts may move jobs
// that the user may change, in the order of Queues.
func (d *Daemon) MoveTargets(ctx context.Context) (names []string) {
	user, err := d.cfg.Acting.For(ctx, "")
	if err != nil {
		return nil
	}
	list, _ := d.Jobs().Queues(ctx, "")
	for _, q := range list {
		if !d.policies.IsQueue(q.Name) || d.policies.CheckSubmit(user, q.Name) == nil {
			names = append(names, q.Name)
		}
	}
	return names
}

// audit logs a change that a caller requested (see [auth.Audit]).
func (d *Daemon) audit(ctx context.Context, change, on string, by transport.By, err error) {
	auth.Audit(ctx, d.cfg.Log, change, cut(on, maxText), by.User, cut(by.Why, maxText), err)
}

// specOf returns the specification of a job in the machine or in the history.
func (d *Daemon) specOf(ctx context.Context, id job.ID) (*job.Spec, error) {
	find := func(m *jobtracker.Machine) (spec *job.Spec, err error) {
		if j := m.Job(id.Seq); j != nil {
			spec = j.Spec
		}
		return spec, nil
	}
	if err := d.own("find job", id); err != nil {
		return nil, err
	}
	if spec, err := look(ctx, d.owner, find); spec != nil || err != nil {
		return spec, err
	}
	m, err := d.retired(ctx, id)
	if err != nil {
		return nil, err
	}
	return find(m)
}

// journalOf returns a function that limits a job's specification to what the reader of a journal
// may see. The function returns nil if the reader must not see the job. It also masks secrets,
// because facts from earlier versions contain them.
func (d *Daemon) journalOf(r *http.Request) (func(job.ID, *job.Spec) *job.Spec, error) {
	user, err := d.cfg.Acting.For(r.Context(), "")
	if err != nil {
		return nil, err
	}
	rules := d.policies.Rules()
	return func(id job.ID, s *job.Spec) *job.Spec {
		if rules.Job(acl.ViewDetails, user, accessOf(id, s)) != nil {
			return nil
		}
		return d.mask.Spec(s)
	}, nil
}

// listed is the status of a job in a list, with the properties that determine who may see the job.
type listed struct {
	*status.Job
	access *acl.Job
}

// listed returns the list entry for a job in m.
func (d *Daemon) listed(m *jobtracker.Machine, seq int32) listed {
	s := d.jobStatus(m, seq, status.Query{})
	return listed{s, accessOf(s.ID, m.Job(seq).Spec)}
}

// shown returns the statuses of jobs for the user on whose behalf a call acts. If the user must not
// see a job's details, its status contains only what Hadoop's JobStatus and JobProfile contain, but
// no diagnostics or file names.
func (d *Daemon) shown(ctx context.Context, name string, jobs []listed) ([]*status.Job, error) {
	user, err := d.cfg.Acting.For(ctx, name)
	if err != nil {
		return nil, err
	}
	rules := d.policies.Rules()
	all := rules.All(acl.ViewDetails, user)
	var out []*status.Job
	for _, j := range jobs {
		if !all && rules.Job(acl.ViewDetails, user, j.access) != nil {
			j.Job = &status.Job{ID: j.ID, Name: j.Name, User: j.User, Queue: j.Queue, Priority: j.Priority, State: j.State,
				SubmitMs: j.SubmitMs, StartMs: j.StartMs, FinishMs: j.FinishMs, DeadlineMs: j.DeadlineMs,
				PredictedFinishMs: j.PredictedFinishMs, Maps: j.Maps, Reduces: j.Reduces, Pool: j.Pool,
				Retired: j.Retired, TrackingURL: j.TrackingURL}
		}
		out = append(out, j.Job)
	}
	return out, nil
}
