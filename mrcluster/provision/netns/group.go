package netns

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/howdah/howdah/internal/cgroup"
	"github.com/howdah/howdah/job/failure"
)

// groupPath is the control group of a node. Its agent is in one below, and the TaskTracker's groups for tasks are in another, so that
// the limit of the node holds for all of them together.
func (b *Backend) groupPath(name string) string { return b.poolGroup() + "/" + name }

// attempts is the group below a node's in which TaskTrackers have theirs. The name "tasks" is a file of version 1.
const attempts = "attempts"

// poolGroup is the group of all nodes.
func (b *Backend) poolGroup() string { return "/howdah-" + b.name }

func (b *Backend) openGroup(path string) (*cgroup.Fixed, error) {
	return cgroup.OpenFixed(cgroup.Config{Mount: b.cfg.Mount, Log: b.o.Log}, path)
}

// limit makes a node's group.
func (b *Backend) limit(name string) (*cgroup.Fixed, error) {
	g, err := b.openGroup(b.groupPath(name))
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(b.limited(), nil, 0o644); err != nil {
		return nil, err
	}
	return g, g.Limit(cgroup.Limits{Quota: int64(b.cfg.Cores * 1000)})
}

// SetCores gives a node that runs another share of the CPU than it began with; 0 = all that there is. dir is that of the node's pool,
// whose back end may be open elsewhere.
func SetCores(mount, dir, name string, cores float64) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return failure.New(failure.KindOf(err), "limit node", name, err)
	}
	b := &Backend{cfg: Config{Mount: mount}, name: nameOf(dir)}
	g, err := b.openGroup(b.groupPath(name))
	if err != nil {
		return err
	}
	return g.Limit(cgroup.Limits{Quota: int64(cores * 1000)})
}

// limited is a file that says that there are groups to remove, also after the settings have changed.
func (b *Backend) limited() string { return b.names("limited") }

const removeTimeout = 20 * time.Second

// unlimit removes a node's group, and what killed TaskTrackers have left elsewhere.
func (b *Backend) unlimit(ctx context.Context, name string) error {
	cgroup.Sweep(cgroup.Config{Mount: b.cfg.Mount, Parent: b.cfg.Hierarchy, Name: "tasktracker", Log: b.o.Log})
	if _, err := os.Stat(b.limited()); err != nil {
		return nil
	}
	g, err := b.openGroup(b.groupPath(name))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, removeTimeout)
	defer cancel()
	return g.Remove(ctx)
}

// unlimitPool removes the group of all nodes.
func (b *Backend) unlimitPool(ctx context.Context) {
	if _, err := os.Stat(b.limited()); err != nil {
		return
	}
	if g, err := b.openGroup(b.poolGroup()); err == nil {
		ctx, cancel := context.WithTimeout(ctx, removeTimeout)
		defer cancel()
		_ = g.Remove(ctx)
	}
}
