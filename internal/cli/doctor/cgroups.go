package doctor

import (
	"context"
	"log/slog"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/cgroup"
)

// cgroups checks whether this user's TaskTracker can create control groups on this machine. It
// removes the groups that it creates.
func (r *Report) cgroups(ctx context.Context, c *conf.Config) {
	tree, err := cgroup.Open(cgroup.Config{Mount: conf.TaskTrackerCGroupsMount.Get(c),
		Parent: conf.TaskTrackerCGroupsHierarchy.Get(c),
		Name:   "doctor", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		remedy, bare := apart(err)
		r.add(Note, "cgroups", remedy, "tasks of this user run without limits; /proc measures their usage: %v", bare)
		return
	}
	mode := tree.Mode()
	if err := tree.Close(ctx); err != nil {
		r.add(Warn, "cgroups", "", "%v", err)
		return
	}
	r.add(OK, "cgroups", "", "%s of the kernel's interface; tasks of this user can be limited and measured", mode)
}
