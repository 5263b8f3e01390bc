package orchestrator

import (
	"cmp"
	"slices"
)

// node is a TaskTracker as it reported last.
type node struct {
	tracker int32
	heard   int64 // when
	report  Report
	advised int64  // the round whose advice it has
	sum     Vector // used by its tasks
	weights int64  // of CPU, of its tasks together
	tasks   []*task
}

// task is a task in a round of decisions.
type task struct {
	TaskReport
	node    *node
	group   *group
	had     Vector // what its allocation amounts to: of CPU, its weight's part of the node
	have    Vector // the same when decisions are made
	verdict [NumResources]Verdict
	pressed bool
	reason  [NumResources]reason
}

// group is the tasks that are held against each other: those of a job's phase that run.
type group struct {
	tasks    []*task // the one that needs the longest first
	mean     Vector
	target   int64 // mean time of those of which it is known
	critical int64 // longest time left: when the phase ends
	waits    bool  // other tasks of the phase wait for a slot, so it does not end with these
}

// cluster is a picture of all nodes, taken for one round.
type cluster struct {
	local  bool // each node knows only itself: the groups are the tasks of a node
	nodes  []*node
	all    []task
	ranked []*task
	groups []group
}

// look takes the picture anew.
func (c *cluster) look(nodes []*node, waits Waits) {
	c.nodes = nodes
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

// picture adds a node's tasks.
func (x *node) picture(c *cluster) {
	x.sum, x.weights, x.tasks = Vector{}, 0, x.tasks[:0]
	for i := range x.report.Tasks {
		x.weights += x.report.Tasks[i].Allocation[CPU]
	}
	for i := range x.report.Tasks {
		c.all = append(c.all, task{TaskReport: x.report.Tasks[i], node: x})
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

// rank groups the tasks by job and phase, in each the one with the most time left first.
func (c *cluster) rank(waits Waits) {
	c.ranked = c.ranked[:0]
	for i := range c.all {
		c.ranked = append(c.ranked, &c.all[i])
	}
	slices.SortFunc(c.ranked, func(a, b *task) int {
		return cmp.Or(c.apart(a, b), cmp.Compare(b.Left, a.Left), cmp.Compare(a.Attempt.Job, b.Attempt.Job), cmp.Compare(a.Attempt.Type, b.Attempt.Type),
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

// apart compares the groups of two tasks.
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
		if t.measured() {
			measured++
		}
		for r, u := range t.Usage {
			g.mean[r] += u
		}
		if t.Left > 0 {
			known++
			g.target += t.time(g.waits)
		}
	}
	for r := range g.mean {
		g.mean[r] /= max(1, measured)
	}
	g.target /= max(1, known)
	return g
}

// measured tells whether there is a window of the task. Of one that has just begun nothing is known: it is not that it uses nothing, so it
// has no part in a mean over windows (Algorithm 2, line 4). A task that was measured uses memory.
func (t *TaskReport) measured() bool { return t.Usage != Vector{} }

// time is what a task is held against the target with: what it still needs, or all in all.
func (t *TaskReport) time(whole bool) int64 {
	if whole && t.Left > 0 {
		return t.Elapsed + t.Left
	}
	return t.Left
}
