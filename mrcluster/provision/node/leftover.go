package node

import (
	"log/slog"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/cgroup"
)

// markKey names in the environment the directory of the Node to which a process belongs.
const markKey = "HOWDAH_MRCLUSTER_NODE"

func mark(dir string) string { return markKey + "=" + dir }

// removeGroups removes the control groups of TaskTrackers that were killed.
func removeGroups(c *conf.Config) {
	cgroup.Sweep(GroupsOf(c))
}

// GroupsOf says where a TaskTracker with this configuration has its control groups.
func GroupsOf(c *conf.Config) cgroup.Config {
	return cgroup.Config{Mount: c.Get("howdah.tasktracker.cgroups.mount"), Parent: c.Get("howdah.tasktracker.cgroups.hierarchy"),
		Name: "tasktracker", Log: slog.New(slog.DiscardHandler)}
}
