package orchestrator

import (
	"cmp"
	"slices"

	"github.com/howdah/howdah/job/heartbeat"
)

// A node is what Global has recorded about a TaskTracker's node.
type node struct {
	tracker int32
	heard   int64 // time of the last report
	report  heartbeat.Shares
	advised int64  // the last round whose advice was sent to the node
	sum     Vector // total usage of the node's tasks
	weights int64  // sum of the CPU weights of the node's tasks
	tasks   []*task
}

// A task is one task during a round of decisions.
type task struct {
	heartbeat.TaskShare
	node    *node
	group   *group
	had     Vector // current allocation; for CPU, the part of the node's CPU that corresponds to the weight
	have    Vector // allocation after this round's decisions, in the same units
	verdict [NumResources]heartbeat.Verdict
	pressed bool
	reason  [NumResources]reason
}

// A group contains the running tasks of one phase of a job. If cluster.local is set, it contains
// the tasks on a node instead. The detector compares the tasks in a group with each other.
type group struct {
	tasks    []*task // sorted by time left, longest first
	mean     Vector  // mean usage of the measured tasks
	target   int64   // mean time (see timeOf) of the tasks whose time is known
	critical int64   // longest time left; the phase ends after that time
	waits    bool    // other tasks in the phase are waiting for a slot, so the phase ends later
}

// A cluster is a snapshot of all nodes, taken for one round.
type cluster struct {
	local  bool // a group consists of the tasks on a node, not of those in a phase of a job
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

// picture computes the sums of node x and adds its tasks to the snapshot c.
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

// rank divides the tasks into groups, by job and phase or, if c.local is set, by node. In each
// group, it sorts the tasks by time left, longest first.
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

// apart compares the groups to which two tasks belong, by job and phase or, if c.local is set, by
// node. It returns 0 if they are the same.
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

// wasMeasured reports whether the profiler has completed a window for the task. The usage of a task
// that has just begun is unknown, not zero, so means do not include it (Algorithm 2, line 4). The
// usage of a measured task is not zero, because every process uses memory.
func wasMeasured(t *heartbeat.TaskShare) bool { return t.Usage != Vector{} }

// timeOf returns the time of a task to compare with the target. If whole is set, this is the task's
// total time from start to end. Otherwise, it is the time left.
func timeOf(t *heartbeat.TaskShare, whole bool) int64 {
	if whole && t.Left > 0 {
		return t.Elapsed + t.Left
	}
	return t.Left
}
