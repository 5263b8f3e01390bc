package daemon

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/cgroup"
	"github.com/howdah/howdah/internal/proctree"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// The values of howdah.tasktracker.cgroups.
const (
	GroupsAuto     = "auto"     // use control groups if this user is allowed to create them
	GroupsOff      = "off"      // never use control groups
	GroupsRequired = "required" // fail to start without control groups
)

// GroupConfig configures the control groups of tasks. FromConf fills it in.
type GroupConfig struct {
	Use       string // GroupsAuto, GroupsOff, or GroupsRequired; "" means GroupsOff
	Mount     string // howdah.tasktracker.cgroups.mount
	Hierarchy string // howdah.tasktracker.cgroups.hierarchy: the parent of all groups
	Memory    bool   // kill attempts that use more than their memory.mb
	SoftShare int64  // soft memory limit in percent of the hard limit; 0 means none
	StrictCPU bool   // limit attempts to the CPU time of their vcores, even on an idle node
}

func (r *reader) groups() GroupConfig {
	g := GroupConfig{Use: conf.TaskTrackerCGroups.Get(r.Conf), Mount: conf.TaskTrackerCGroupsMount.Get(r.Conf),
		Hierarchy: conf.TaskTrackerCGroupsHierarchy.Get(r.Conf), Memory: conf.TaskTrackerCGroupsMemory.From(r),
		SoftShare: conf.TaskTrackerCGroupsMemorySoftLimitPercentage.From(r),
		StrictCPU: conf.TaskTrackerCGroupsStrictCPU.From(r)}
	switch g.Use {
	case GroupsAuto, GroupsOff, GroupsRequired:
	default:
		r.Note(r.Conf.Refuse(conf.TaskTrackerCGroups.Name, errors.New("want auto, off or required")))
	}
	if !cgroup.IsGroup(g.Hierarchy) {
		r.Note(r.Conf.Refuse(conf.TaskTrackerCGroupsHierarchy.Name,
			errors.New("want an absolute path without .., for the parent of the control groups")))
	}
	return g
}

// openGroups creates the TaskTracker's tree of control groups. If that is impossible and groups are
// not required, attempts run without limits, and the TaskTracker reads their usage from /proc.
func (d *Daemon) openGroups() error {
	g := &d.cfg.Groups
	if g.Use == GroupsOff || g.Use == "" {
		return nil
	}
	tree, err := cgroup.Open(cgroup.Config{Mount: g.Mount, Parent: g.Hierarchy, Name: "tasktracker",
		Processes: d.cfg.Processes, Log: d.log})
	switch {
	case err == nil:
		d.groups = tree
		d.log.Info("attempts run in control groups", "kernel", tree.Mode(), "path", tree.Path())
	case g.Use == GroupsRequired:
		return failure.New(failure.KindOf(err), "start TaskTracker with "+conf.TaskTrackerCGroups.Name+"=required", "", err)
	default:
		d.log.Info("attempts run without control groups: they have no limits, and their usage is read from /proc",
			"why", err)
	}
	return nil
}

// groupTime is the maximum time to wait for the removal of groups whose processes have been killed.
const groupTime = 10 * time.Second

// closeGroups removes the tree of control groups.
func (d *Daemon) closeGroups() {
	if d.groups == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), groupTime)
	defer cancel()
	if err := d.groups.Close(ctx); err != nil {
		d.log.Warn("cannot remove control groups; the next TaskTracker removes them", "err", err)
	}
}

// meterFor moves a new process into its group and returns the process's meter. The process must not
// yet have received an order. If the move fails, meterFor removes the group.
func (d *Daemon) meterFor(handle int32, group *cgroup.Group, tree *proctree.Tree) *meter {
	m := &meter{group: group, pid: tree.Pid(), log: d.log}
	if group == nil {
		return m
	}
	if err := group.Add(tree.Pid()); err != nil {
		d.log.Warn("child runs outside its control group", "child", handle, "err", err)
		d.removeGroup(group)
		m.group = nil
	}
	return m
}

// makeGroup creates the group for a child's processes. It returns nil if groups are off or the
// group cannot be created.
func (d *Daemon) makeGroup(handle int32) *cgroup.Group {
	if d.groups == nil {
		return nil
	}
	g, err := d.groups.Group(fmt.Sprintf("child-%d", handle), cgroup.Limits{})
	if err != nil {
		d.log.Warn("child runs without a control group", "child", handle, "err", err)
	}
	return g
}

// removeGroup kills the remaining processes in g and removes g. If g is nil, it does nothing.
func (d *Daemon) removeGroup(g *cgroup.Group) {
	if g == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), groupTime)
	defer cancel()
	if err := g.Delete(ctx); err != nil {
		d.log.Warn("cannot remove a control group; the next TaskTracker removes it", "err", err)
	}
}

// limits returns an attempt's default limits. These are a CPU weight for its vcores and, depending
// on g, a CPU quota and a limit of the requested memory. nodeVCores is the node's number of vcores.
func (g *GroupConfig) limits(l *launch, nodeVCores int32) cgroup.Limits {
	info, kind := l.job.info, job.Map
	if l.attempt.Type == job.Reduce {
		kind = job.Reduce
	}
	vcores := max(1, l.job.vcores[kind])
	lim := cgroup.Limits{Weight: min(vcores*cgroup.DefaultWeight, cgroup.MaxWeight)}
	if g.StrictCPU {
		lim.Quota = max(cgroup.MinQuota, min(cgroup.MaxQuota, int64(runtime.NumCPU())*1000*vcores/int64(max(1, nodeVCores))))
	}
	mb := int64(info.GetMapMemoryMb())
	if kind == job.Reduce {
		mb = int64(info.GetReduceMemoryMb())
	}
	if g.Memory && mb > 0 {
		lim.Memory = mb << 20
		lim.SoftMemory = lim.Memory / 100 * g.SoftShare
	}
	return lim
}
