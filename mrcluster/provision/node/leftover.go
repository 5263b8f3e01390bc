package node

import (
	"log/slog"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/cgroup"
)

// markKey is the environment variable that marks a process with the directory of its Node.
const markKey = "HOWDAH_MRCLUSTER_NODE"

func mark(dir string) string { return markKey + "=" + dir }

// removeGroups removes the control groups that killed TaskTrackers left behind.
func removeGroups(c *conf.Config) {
	cgroup.Sweep(GroupsOf(c))
}

// GroupsOf returns the location of the control groups of a TaskTracker with this configuration.
func GroupsOf(c *conf.Config) cgroup.Config {
	return cgroup.Config{Mount: conf.TaskTrackerCGroupsMount.Get(c), Parent: conf.TaskTrackerCGroupsHierarchy.Get(c),
		Name: "tasktracker", Log: slog.New(slog.DiscardHandler)}
}
