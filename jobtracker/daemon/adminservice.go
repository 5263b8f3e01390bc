package daemon

import (
	"context"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/transport"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/jobtracker/view"
)

// administrator returns the user on whose behalf a call acts. If that user is not an administrator,
// it returns an error. name is the name in the request.
func (d *Daemon) administrator(ctx context.Context, name string) (string, error) {
	user, err := d.cfg.Acting.For(ctx, name)
	if err != nil {
		return "", err
	}
	return user, d.policies.Administer(user)
}

// RefreshNodes reads the files of included and excluded hosts immediately. Without this call, the
// JobTracker notices a change within a few seconds.
func (d *jobsService) RefreshNodes(ctx context.Context, user string) (string, error) {
	if _, err := d.administrator(ctx, user); err != nil {
		return "", err
	}
	if d.hosts.include == "" && d.hosts.exclude == "" {
		return "No host files are configured (" + conf.JobTrackerHostsFileName.Name + ", " +
			conf.JobTrackerHostsExcludeFileName.Name + ").", nil
	}
	if _, err := d.hosts.read(); err != nil {
		return "", err
	}
	if err := d.applyHosts(ctx); err != nil {
		return "", err
	}
	return "The host files were read again.", nil
}

func (d *jobsService) RefreshQueues(ctx context.Context, user string) (string, error) {
	user, err := d.administrator(ctx, user)
	if err != nil {
		return "", err
	}
	return d.policies.RefreshQueues(ctx, user)
}

func (d *jobsService) SetScheduler(ctx context.Context, name string, settings []job.Property, by transport.By) (
	text string, err error) {
	defer func() { d.audit(ctx, "set scheduler", name, by, err) }()
	user, err := d.administrator(ctx, by.User)
	if err != nil {
		return "", err
	}
	if name == "" {
		return "", errf(failure.Usage, "set scheduler", "", "the name is missing")
	}
	var set []conf.Property
	for _, p := range settings {
		set = append(set, conf.Property{Name: p.Name, Value: p.Value})
	}
	return d.policies.SetScheduler(ctx, name, set, user, cut(by.Why, maxText))
}

// DrainTracker begins, changes, or cancels the drain of a TaskTracker and returns its progress.
func (d *jobsService) DrainTracker(ctx context.Context, name string, mode status.DrainMode,
	by transport.By) (t *status.Tracker, err error) {
	defer func() { d.audit(ctx, "drain "+string(mode), name, by, err) }()
	if _, err := d.administrator(ctx, by.User); err != nil {
		return nil, err
	}
	how, err := jobtracker.ParseDrain(string(mode))
	if err != nil {
		return nil, err
	}
	in := &jobtracker.Input{Kind: jobtracker.InDrain, Name: name, Drain: how, Text: cut(by.Why, maxText)}
	handle, err := input(ctx, d.owner, in, func(o *jobtracker.Output) int32 { return o.Tracker })
	if err != nil {
		return nil, err
	}
	return look(ctx, d.owner, func(m *jobtracker.Machine) (*status.Tracker, error) {
		t, ok := m.TrackerInfo(handle)
		if !ok { // the drain exists, but no live tracker has that name
			return &status.Tracker{Name: name}, nil
		}
		s := view.Tracker(m, &t)
		return &s, nil
	})
}

// SafeMode reports whether the JobTracker is in safe mode. awaited is the number of TaskTrackers
// that have not reported since the restart. In safe mode the JobTracker accepts and schedules jobs.
func (d *jobsService) SafeMode(ctx context.Context) (awaited int32, on bool, err error) {
	n, err := look(ctx, d.owner, func(m *jobtracker.Machine) (n int32, err error) {
		for _, h := range m.Trackers() {
			if t, ok := m.TrackerInfo(h); ok && t.Unheard {
				n++
			}
		}
		return n, nil
	})
	return n, n > 0, err
}
