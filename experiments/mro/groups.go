package mro

import (
	"context"
	"log/slog"
	"time"

	"github.com/howdah/howdah/internal/cgroup"
)

// home is the group that has those of all runs.
const home = "/howdah-lab"

// clearTime bounds how long a run removes its groups.
const clearTime = 10 * time.Second

// openGroups makes this run's group, below which its TaskTrackers have theirs. A run that was killed, by a second Ctrl-C for
// instance, could not remove its own: they go now. mount is "" but in tests.
func openGroups(mount string) (tree *cgroup.Tree, remove func(), err error) {
	cfg := cgroup.Config{Mount: mount, Parent: home, Name: "run"}
	if tree, err = cgroup.Open(cfg); err != nil {
		return nil, nil, err
	}
	return tree, func() {
		ctx, stop := context.WithTimeout(context.Background(), clearTime) // also after the run's own has ended
		defer stop()
		if err := tree.Close(ctx); err != nil {
			slog.Warn("control groups of this run cannot be removed; the next one tries again", "path", tree.Path(), "err", err)
		}
		_ = cgroup.RemoveParent(cfg) // with another run's group in it the kernel refuses
	}, nil
}
