package lab

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/howdah/howdah/internal/cgroup"
)

// GroupsHome is the parent of all runs' control groups.
const GroupsHome = "/howdah-lab"

// clearTime is the maximum time that a run takes to remove its groups.
const clearTime = 10 * time.Second

// OpenGroups creates this run's control group, the parent of its TaskTrackers' groups, and removes
// the groups of killed runs. remove removes this run's group. mount is "" except in tests.
func OpenGroups(mount string) (tree *cgroup.Tree, remove func(), err error) {
	cfg := cgroup.Config{Mount: mount, Parent: GroupsHome, Name: "run"}
	if tree, err = cgroup.Open(cfg); err != nil {
		return nil, nil, err
	}
	return tree, func() {
		ctx, stop := context.WithTimeout(context.Background(), clearTime) // the run's own context may have ended
		defer stop()
		if err := tree.Close(ctx); err != nil {
			slog.Warn("cannot remove this run's control groups; the next run tries again", "path", tree.Path(), "err", err)
		}
		_ = cgroup.RemoveParent(cfg) // fails while another run has a group below the parent
	}, nil
}

// LimitTrackers limits the CPU time of each of the n TaskTrackers whose groups are in the tree, in
// thousandths of a core. It returns the groups.
func LimitTrackers(tree *cgroup.Tree, n int, millicores int64) (groups []*cgroup.Group, err error) {
	_, groups, err = cgroup.Below(cgroup.Config{Parent: tree.Path()})
	if err == nil && len(groups) != n {
		err = fmt.Errorf("found %d control groups of TaskTrackers below %s, want %d", len(groups), tree.Path(), n)
	}
	for _, g := range groups {
		if err == nil {
			err = g.Set(cgroup.Limits{Quota: millicores})
		}
	}
	return groups, err
}
