package orchestrator

import (
	"cmp"
	"slices"

	"github.com/howdah/howdah/job/heartbeat"
)

// A node is what Global knows about a TaskTracker's node.
type node struct {
	tracker int32
	heard   int64 // time of the last report
	report  heartbeat.Shares
	advised int64  // the last round whose advice the node received
	sum     Vector // total usage of the node's tasks
	weights int64  // sum of the CPU weights of the node's tasks
	tasks   []*task
}

// A task is a task in one round of decisions.
type task struct {
	heartbeat.TaskShare
	node    *node
	group   *group
	had     Vector // current allocation; for CPU, the weight's share of the node's CPU
	have    Vector // allocation after this round's decisions, in the same units
	verdict [NumResources]heartbeat.Verdict
	pressed bool
	reason  [NumResources]reason
}

// A group holds the running tasks in a phase of a job or, if cluster.local is set, on a node. The
// detector compares them with each other.
type group struct {
	tasks    []*task // sorted by time left, longest first
	mean     Vector  // mean usage of the measured tasks
	target   int64   // mean time (see timeOf) of the tasks whose time is known
	critical int64   // longest time left, after which the phase ends
	waits    bool    // other tasks in the phase are waiting for a slot, so the phase ends later
}

// A cluster is a snapshot of all nodes for one round.
type cluster struct {
	local  bool // a group is all tasks on a node, not those in a phase of a job
	all    []task
	ranked []*task
	groups []group
}

// look replaces the snapshot with one of the given nodes.
func (c *cluster) look(nodes []*node, waits Waits) {
	n := 0
	for _, x := range nodes {
		n += len(x.report.Tasks)
	}
	c.all = slices.Grow(c.all[:0], n)
	for _, x := range nodes {
		x.picture(c)
	}
	c.rank(waits)
}

// picture adds a node's tasks to the snapshot.
func (x *node) picture(c *cluster) {
	x.sum, x.weights, x.tasks = Vector{}, 0, x.tasks[:0]
	for i := range x.report.Tasks {
		x.weights += x.report.Tasks[i].Allocation[CPU]
	}
	for i := range x.report.Tasks {
		c.all = append(c.all, task{TaskShare: x.report.Tasks[i], node: x})
		t := &c.all[len(c.all)-1]
		t.have = t.Allocation
		if x.weights > 0 {
			t.have[CPU] = int64(float64(t.Allocation[CPU]) / float64(x.weights) * float64(x.report.Capacity[CPU]))
		}
		t.had = t.have
		for r, u := range t.Usage {
			x.sum[r] += u
		}
		x.tasks = append(x.tasks, t)
	}
}

// rank groups the tasks by job and phase, or by node if c.local is set. The task with the most time
// left comes first in its group.
func (c *cluster) rank(waits Waits) {
	c.ranked = c.ranked[:0]
	for i := range c.all {
		c.ranked = append(c.ranked, &c.all[i])
	}
	slices.SortFunc(c.ranked, func(a, b *task) int {
		return cmp.Or(c.apart(a, b), cmp.Compare(b.Left, a.Left), cmp.Compare(a.Attempt.Job, b.Attempt.Job),
			cmp.Compare(a.Attempt.Type, b.Attempt.Type),
			cmp.Compare(a.Attempt.Index, b.Attempt.Index), cmp.Compare(a.Attempt.N, b.Attempt.N))
	})
	c.groups = c.groups[:0]
	for i := 0; i < len(c.ranked); {
		k := i + 1
		for k < len(c.ranked) && c.apart(c.ranked[i], c.ranked[k]) == 0 {
			k++
		}
		c.groups = append(c.groups, newGroup(c.ranked[i:k], waits))
		i = k
	}
	for i := range c.groups {
		for _, t := range c.groups[i].tasks {
			t.group = &c.groups[i]
		}
	}
}

// apart compares two tasks by job and phase, or by node if c.local is set. It returns 0 if both
// belong to the same group.
func (c *cluster) apart(a, b *task) int {
	if c.local {
		return cmp.Compare(a.node.tracker, b.node.tracker)
	}
	return cmp.Or(cmp.Compare(a.Attempt.Job, b.Attempt.Job), cmp.Compare(a.Attempt.Type, b.Attempt.Type))
}

func newGroup(tasks []*task, waits Waits) group {
	id := tasks[0].Attempt
	g := group{tasks: tasks, critical: tasks[0].Left, waits: waits != nil && waits(id.Job, id.Type)}
	var known, measured int64
	for _, t := range tasks {
		if wasMeasured(&t.TaskShare) {
			measured++
		}
		for r, u := range t.Usage {
			g.mean[r] += u
		}
		if t.Left > 0 {
			known++
			g.target += timeOf(&t.TaskShare, g.waits)
		}
	}
	for r := range g.mean {
		g.mean[r] /= max(1, measured)
	}
	g.target /= max(1, known)
	return g
}

// wasMeasured reports whether the profiler has completed a window of the task. The usage of a task
// that has just begun is unknown, not zero, so it is omitted from means (Algorithm 2, line 4). The
// memory usage of a measured task is never zero.
func wasMeasured(t *heartbeat.TaskShare) bool { return t.Usage != Vector{} }

// timeOf returns the time to compare with the target. If whole is set, it is the task's total time
// from start to end. Otherwise, it is the time left.
func timeOf(t *heartbeat.TaskShare, whole bool) int64 {
	if whole && t.Left > 0 {
		return t.Elapsed + t.Left
	}
	return t.Left
}
