package node

import (
	"context"
	"log/slog"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/cgroup"
)

// markKey names in the environment the directory of the Node to which a process belongs.
const markKey = "HOWDAH_MRCLUSTER_NODE"

func mark(dir string) string { return markKey + "=" + dir }

// removeGroups removes the control groups of TaskTrackers that were killed. Opening a tree of groups does that; where there may be
// none, there is nothing to remove.
func removeGroups(c *conf.Config) {
	if c.Get("howdah.tasktracker.cgroups") == "off" {
		return
	}
	tree, err := cgroup.Open(cgroup.Config{Mount: c.Get("howdah.tasktracker.cgroups.mount"), Parent: c.Get("howdah.tasktracker.cgroups.hierarchy"),
		Name: "agent", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = tree.Close(ctx)
}
