package daemon

import (
	"context"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
)

// RefreshNodes reads the files of included and excluded hosts at once instead of within some seconds.
func (d *jobsService) RefreshNodes(ctx context.Context, r *client.AdminRequest) (*client.AdminReply, error) {
	if err := d.administer(r.User); err != nil {
		return nil, err
	}
	if d.hosts.include == "" && d.hosts.exclude == "" {
		return &client.AdminReply{Text: "No files of hosts are configured (" + KeyHosts + ", " + KeyExclude + ")."}, nil
	}
	if _, err := d.hosts.read(); err != nil {
		return nil, err
	}
	if err := d.applyHosts(ctx); err != nil {
		return nil, err
	}
	return &client.AdminReply{Text: "The files of hosts were read again."}, nil
}

func (d *jobsService) RefreshQueues(ctx context.Context, r *client.AdminRequest) (*client.AdminReply, error) {
	if err := d.administer(r.User); err != nil {
		return nil, err
	}
	text, err := d.refreshQueues(ctx, r.User)
	return &client.AdminReply{Text: text}, err
}

func (d *jobsService) SetScheduler(ctx context.Context, r *client.SetSchedulerRequest) (*client.AdminReply, error) {
	if err := d.administer(r.User); err != nil {
		return nil, err
	}
	if r.Name == "" {
		return nil, errf(failure.Usage, "set scheduler", "", "no name is given")
	}
	var set []conf.Property
	for _, p := range r.Set {
		set = append(set, conf.Property{Name: p.Name, Value: p.Value})
	}
	text, err := d.setScheduler(ctx, r.Name, set, r.User)
	return &client.AdminReply{Text: text}, err
}

// DrainTracker begins, changes or calls off the drain of a TaskTracker and tells how far it is.
func (d *jobsService) DrainTracker(ctx context.Context, r *client.DrainRequest) (*client.TrackerStatus, error) {
	if err := d.administer(r.User); err != nil {
		return nil, err
	}
	how, err := jobtracker.ParseDrain(r.How)
	if err != nil {
		return nil, err
	}
	in := &jobtracker.Input{Kind: jobtracker.InDrain, Name: r.Tracker, Drain: how, Text: cut(r.Why, maxText)}
	handle, err := input(ctx, d.owner, in, func(o *jobtracker.Output) int32 { return o.Tracker })
	if err != nil {
		return nil, err
	}
	return look(ctx, d.owner, func(m *jobtracker.Machine) (*client.TrackerStatus, error) {
		t, ok := m.TrackerInfo(handle)
		if !ok { // its name is drained, and no tracker bears it
			return &client.TrackerStatus{Name: r.Tracker}, nil
		}
		return trackerStatus(m, &t), nil
	})
}

// SafeMode tells whether the JobTracker still waits, after a restart, to be told by TaskTrackers of before what they run. It
// schedules and takes jobs all the same.
func (d *jobsService) SafeMode(ctx context.Context, _ *client.Empty) (*client.SafeModeReply, error) {
	return look(ctx, d.owner, func(m *jobtracker.Machine) (*client.SafeModeReply, error) {
		n := int32(0)
		for _, h := range m.Trackers() {
			if t, ok := m.TrackerInfo(h); ok && t.Unheard {
				n++
			}
		}
		return &client.SafeModeReply{On: n > 0, Awaited: n}, nil
	})
}
