package daemon

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/howdah/howdah/internal/cgroup"
	"github.com/howdah/howdah/internal/proctree"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// The values of howdah.tasktracker.cgroups.
const (
	GroupsAuto     = "auto"     // where this user may make control groups
	GroupsOff      = "off"      // never
	GroupsRequired = "required" // the TaskTracker does not start without them
)

// GroupConfig says what becomes of the processes of tasks. FromConf fills it in.
type GroupConfig struct {
	Use       string // GroupsAuto, GroupsOff or GroupsRequired; "" = GroupsOff
	Mount     string // howdah.tasktracker.cgroups.mount
	Hierarchy string // howdah.tasktracker.cgroups.hierarchy: the group below which all lies
	Memory    bool   // an attempt that uses more than its memory.mb is ended
	SoftShare int64  // soft limit of memory, percent of the hard one; 0 = none
	StrictCPU bool   // an attempt gets no more CPU time than its vcores stand for, even if nobody else wants it
}

const (
	keyGroups     = "howdah.tasktracker.cgroups"
	keyHierarchy  = "howdah.tasktracker.cgroups.hierarchy"
	keyGroupMount = "howdah.tasktracker.cgroups.mount"
	keyMemory     = "howdah.tasktracker.cgroups.memory"
	keySoftShare  = "howdah.tasktracker.cgroups.memory.soft-limit-percentage"
	keyStrictCPU  = "howdah.tasktracker.cgroups.strict-cpu"
)

func (r *reader) groups() GroupConfig {
	g := GroupConfig{Use: r.Conf.Get(keyGroups), Mount: r.Conf.Get(keyGroupMount), Hierarchy: r.Conf.Get(keyHierarchy), Memory: r.Bool(keyMemory, true),
		SoftShare: r.Int(keySoftShare, 90, 0, 100), StrictCPU: r.Bool(keyStrictCPU, false)}
	switch g.Use {
	case GroupsAuto, GroupsOff, GroupsRequired:
	default:
		r.Note(r.Conf.Refuse(keyGroups, errors.New("want auto, off or required")))
	}
	if !cgroup.IsGroup(g.Hierarchy) {
		r.Note(r.Conf.Refuse(keyHierarchy, errors.New("want an absolute path without .., below which control groups are made")))
	}
	return g
}

// openGroups makes the TaskTracker's tree of control groups. Without one attempts run without limits, and what they use is looked for
// in /proc.
func (d *Daemon) openGroups() error {
	g := &d.cfg.Groups
	if g.Use == GroupsOff || g.Use == "" {
		return nil
	}
	tree, err := cgroup.Open(cgroup.Config{Mount: g.Mount, Parent: g.Hierarchy, Name: "tasktracker", Log: d.log})
	switch {
	case err == nil:
		d.groups = tree
		d.log.Info("attempts run in control groups", "kernel", tree.Mode(), "path", tree.Path())
	case g.Use == GroupsRequired:
		return failure.New(failure.KindOf(err), "start TaskTracker with "+keyGroups+"=required", "", err)
	default:
		d.log.Info("attempts run without control groups: nothing limits them, and what they use is looked for in /proc", "why", err)
	}
	return nil
}

// groupTime bounds how long a group is cleared of what was killed in it.
const groupTime = 10 * time.Second

// closeGroups removes what is left of the tree.
func (d *Daemon) closeGroups() {
	if d.groups == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), groupTime)
	defer cancel()
	if err := d.groups.Close(ctx); err != nil {
		d.log.Warn("control groups stay behind; the next TaskTracker removes them", "err", err)
	}
}

// meterFor puts a process that was just started, and is yet to hear what it shall do, into a group of its own.
func (d *Daemon) meterFor(handle int32, group *cgroup.Group, tree *proctree.Tree) *meter {
	m := &meter{group: group, pid: tree.Pid(), log: d.log}
	if group == nil {
		return m
	}
	if err := group.Add(tree.Pid()); err != nil {
		d.log.Warn("child runs outside of its control group", "child", handle, "err", err)
		d.removeGroup(group)
		m.group = nil
	}
	return m
}

// makeGroup makes the group for a child's processes; nil = there are no groups.
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

// removeGroup removes a group and what is left in it; nil is no group.
func (d *Daemon) removeGroup(g *cgroup.Group) {
	if g == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), groupTime)
	defer cancel()
	if err := g.Delete(ctx); err != nil {
		d.log.Warn("control group stays behind; the next TaskTracker removes it", "err", err)
	}
}

// limits are what an attempt gets when nobody decides otherwise: weight by its vcores, memory as it asked for.
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
