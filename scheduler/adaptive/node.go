package adaptive

import (
	"slices"

	"github.com/howdah/howdah/internal/ordered"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
)

// A node is a tracker and its column of the placement matrix P.
type node struct {
	handle int32
	used   Demand // demand of the running attempts, without slots
	cells  []cell
}

// A cell is P_{j,tt}: the number of job-slots of a job on a tracker, and the job's running attempts
// on that tracker.
type cell struct {
	d     *descriptor
	place [2]int32 // job-slots in the current placement
	next  [2]int32 // job-slots in the placement that is being computed
	run   [2]int32 // running attempts
}

// nodes indexes the live trackers and their running attempts.
type nodes struct {
	list     []*node // by handle
	byHandle ordered.Window[node]
}

func (n *nodes) reset(v scheduler.View, u *JobStatusUpdater) {
	n.list = nil
	n.byHandle.Clear()
	for _, h := range v.Trackers() {
		n.join(h)
	}
	var buf []*scheduler.Attempt
	for _, d := range u.jobs {
		for k := range job.TaskType(2) {
			buf = v.Running(d.seq, k, buf[:0])
			for _, a := range buf {
				n.count(d, a.Tracker, k)
			}
		}
	}
}

func (n *nodes) join(h int32) {
	x := &node{handle: h, cells: make([]cell, 0, 16)}
	n.byHandle.Put(h, x)
	i, _ := slices.BinarySearchFunc(n.list, h, byHandle)
	n.list = slices.Insert(n.list, i, x)
}

func byHandle(x *node, h int32) int { return int(x.handle) - int(h) }

// observe processes a fact. The JobStatusUpdater must observe the fact first.
func (n *nodes) observe(v scheduler.View, u *JobStatusUpdater, e *event.Event) {
	switch e.Type {
	case event.TrackerJoined:
		if n.byHandle.Get(e.Tracker) == nil {
			n.join(e.Tracker)
		}
	case event.TrackerLost:
		if i, ok := slices.BinarySearchFunc(n.list, e.Tracker, byHandle); ok {
			n.list = slices.Delete(n.list, i, i+1)
			n.byHandle.Delete(e.Tracker)
		}
	case event.AttemptStarted:
		if d := u.bySeq.Get(e.Job); d != nil && e.Attempt.Type <= job.Reduce {
			n.count(d, e.Tracker, e.Attempt.Type)
		}
	case event.AttemptFinished:
		if a := v.Attempt(e.Attempt); a != nil && e.Attempt.Type <= job.Reduce {
			n.drop(e.Job, a.Tracker, e.Attempt.Type)
		}
	}
}

// count adds a running attempt of job d on tracker h.
func (n *nodes) count(d *descriptor, h int32, k job.TaskType) {
	x := n.byHandle.Get(h)
	if x == nil {
		return
	}
	x.cell(d).run[k]++
	for r := CPU; r < resources; r++ {
		x.used[r] += d.demand[k][r]
	}
}

// drop removes an ended attempt, and deletes its cell if nothing needs the cell. The
// JobStatusUpdater may already have removed the attempt's job.
func (n *nodes) drop(seq, h int32, k job.TaskType) {
	x := n.byHandle.Get(h)
	if x == nil {
		return
	}
	for i := range x.cells {
		c := &x.cells[i]
		if c.d.seq != seq || c.run[k] == 0 {
			continue
		}
		c.run[k]--
		for r := CPU; r < resources; r++ {
			x.used[r] -= c.d.demand[k][r]
		}
		if c.run == [2]int32{} && (c.d.gone || c.place == [2]int32{} && c.next == [2]int32{}) {
			x.cells = slices.Delete(x.cells, i, i+1)
		}
		return
	}
}

// cell returns the job's cell. It creates the cell if necessary.
func (x *node) cell(d *descriptor) *cell {
	for i := range x.cells {
		if x.cells[i].d == d {
			return &x.cells[i]
		}
	}
	x.cells = append(x.cells, cell{d: d})
	return &x.cells[len(x.cells)-1]
}

// reduces returns the number of reduce job-slots in the placement that is being computed.
func (x *node) reduces() (n int32) {
	for i := range x.cells {
		n += x.cells[i].next[job.Reduce]
	}
	return n
}

// reducesOf returns the job's part of reduces.
func (x *node) reducesOf(d *descriptor) int32 {
	for i := range x.cells {
		if x.cells[i].d == d {
			return x.cells[i].next[job.Reduce]
		}
	}
	return 0
}

// publish makes the new placement current and drops empty cells.
func (x *node) publish() {
	keep := x.cells[:0]
	for _, c := range x.cells {
		c.place, c.next = c.next, [2]int32{}
		if c.d.gone {
			c.place = [2]int32{}
		}
		if c.place != [2]int32{} || c.run != [2]int32{} {
			keep = append(keep, c)
		}
	}
	clear(x.cells[len(keep):])
	x.cells = keep
}
