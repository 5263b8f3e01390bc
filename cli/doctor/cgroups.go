package doctor

import (
	"context"
	"log/slog"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/cgroup"
)

// cgroups tries what a TaskTracker of this user would do on this machine: it makes control groups and removes them.
func (r *Report) cgroups(ctx context.Context, c *conf.Config) {
	tree, err := cgroup.Open(cgroup.Config{Mount: c.Get("howdah.tasktracker.cgroups.mount"), Parent: c.Get("howdah.tasktracker.cgroups.hierarchy"),
		Name: "doctor", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		r.add(Note, "cgroups", "", "tasks of this user run without limits, and are watched through /proc: %v", err)
		return
	}
	mode := tree.Mode()
	if err := tree.Close(ctx); err != nil {
		r.add(Warn, "cgroups", "", "%v", err)
		return
	}
	r.add(OK, "cgroups", "", "%s of the kernel's interface: tasks of this user can be limited and measured", mode)
}
