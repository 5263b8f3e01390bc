package netns

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/howdah/howdah/internal/cgroup"
	"github.com/howdah/howdah/job/failure"
)

// groupPath returns the path of a node's control group. The group contains the agent's group and
// the groups of the TaskTracker's tasks, so the node's limit applies to all of them together.
func (b *Backend) groupPath(name string) string { return b.poolGroup() + "/" + name }

// attempts is the subgroup of a node's group that contains the TaskTracker's groups. It cannot be
// named "tasks", because cgroup v1 uses that name for a file.
const attempts = "attempts"

// poolGroup returns the path of the parent of all nodes' control groups.
func (b *Backend) poolGroup() string { return "/howdah-" + b.name }

func (b *Backend) openGroup(path string) (*cgroup.Fixed, error) {
	return cgroup.OpenFixed(cgroup.Config{Mount: b.cfg.Mount, Log: b.o.Log}, path)
}

// limit creates a node's control group with its CPU limit. It also creates the marker file (see
// limited).
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

// SetCores changes the CPU limit of a running node; 0 means no limit. dir is the directory of the
// node's pool. The pool's back end may be open in another process.
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

// limited returns the path of a marker file. While the file exists, nodes might have control
// groups, even if the settings no longer limit CPU time.
func (b *Backend) limited() string { return b.names("limited") }

const removeTimeout = 20 * time.Second

// unlimit removes a node's control group, and the groups that killed TaskTrackers left behind below
// Config.Hierarchy.
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

// unlimitPool removes the parent group of all nodes.
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
