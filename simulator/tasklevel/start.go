package tasklevel

import (
	"errors"
	"fmt"
	"slices"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/simulator/replay"
)

// Start is the state of a cluster in which a run begins. Times are in ms since the epoch. Runs may
// share a Start. They do not change it.
type Start struct {
	Now int64
	// Trackers are the live trackers. The run ignores their handles and used slots. The handle of
	// a tracker in the run is its index plus 1.
	Trackers []scheduler.Tracker
	Jobs     []Begun // unfinished jobs, in the order of their sequence numbers
}

// Begun is an unfinished job. Of its tasks of each type, those with the lowest indexes have ended,
// and the next ones are running.
type Begun struct {
	ID, Name string
	Spec     *job.Spec
	Submit   int64
	Began    int64        // start of the job; 0 means not started
	Done     [2]int32     // number of tasks that have ended
	Running  [2][]Running // running tasks, by index
	MapsDone int64        // end of the last map; 0 means that maps are left, or that the job has no maps
	// Times are the durations of all tasks. The total duration of a running task counts from its
	// start or, for a reduce after the last map, from MapsDone if that is later.
	Times replay.Times
}

// Running is a running task.
type Running struct {
	Tracker int32        // index in Start.Trackers
	Slot    job.TaskType // kind of its slot
	Start   int64
}

func (s *Start) validate(c *Config) error {
	bad := func(on, why string) error { return failure.New(failure.Config, "simulate", on, errors.New(why)) }
	switch {
	case c.Journal != nil || len(c.Capacity) > 0 || c.Trackers != 0 || c.Slots != [2]int32{}:
		return bad("start", "a journal, capacities, and slots cannot be set together with a start")
	case len(s.Trackers) == 0 || len(s.Trackers) > maxTrackers:
		return bad("trackers", "want 1 to 100000")
	}
	all := [2]int64{}
	for i := range s.Trackers {
		for k, n := range s.Trackers[i].Slots {
			if n < 0 || n > maxSlots {
				return bad("slots", "want 0 to 1000000 of each kind")
			}
			all[k] += int64(n)
		}
	}
	if max(all[0], all[1]) > maxSlots || all == [2]int64{} {
		return bad("slots", "want 1 to 1000000 in the whole cluster")
	}
	running := 0
	for i := range s.Jobs {
		if err := s.Jobs[i].validate(len(s.Trackers)); err != nil {
			return err
		}
		running += len(s.Jobs[i].Running[job.Map]) + len(s.Jobs[i].Running[job.Reduce])
	}
	if running > maxSlots {
		return bad("running tasks", "want at most 1000000")
	}
	return nil
}

func (b *Begun) validate(trackers int) error {
	for k, list := range b.Running {
		if b.Done[k] < 0 || int64(b.Done[k])+int64(len(list)) > int64(b.Spec.Tasks(job.TaskType(k))) {
			return failure.New(failure.Config, "simulate job", b.ID, errors.New("more tasks have started than the job has"))
		}
		if slices.ContainsFunc(list, func(r Running) bool {
			return r.Tracker < 0 || int(r.Tracker) >= trackers || r.Slot > job.Reduce
		}) {
			return failure.New(failure.Config, "simulate job", b.ID, errors.New("a task has no tracker or no slot"))
		}
	}
	return nil
}

// trackers returns the trackers with free slots only.
func (s *Start) trackers() []scheduler.Tracker {
	list := slices.Clone(s.Trackers)
	for i := range list {
		t := &list[i]
		t.Handle, t.Used, t.Lent = int32(i)+1, [2]int32{}, [2]int32{}
		if t.Name == "" {
			t.Name, t.Host, t.Rack = fmt.Sprintf("node-%d:0", i+1), fmt.Sprintf("node-%d", i+1), "/default-rack"
		}
	}
	return list
}

// adopt adds the jobs and tasks of a start.
func (e *engine) adopt(s *Start) {
	e.now = s.Now
	for i := range s.Jobs {
		b := &s.Jobs[i]
		j := e.newJob(*b.Spec, b.Submit, b.Times)
		r := j.result
		r.ID, r.Name, r.Submit, r.Deadline, r.Start, r.MapsDone = b.ID, b.Name, b.Submit, b.Spec.Deadline, b.Began, b.MapsDone
		j.view.State, j.view.Start = job.Running, b.Began
		if b.Began == 0 {
			j.view.Start = s.Now
		}
		j.view.Finished = b.Done
		if j.mapsDone() && r.MapsDone == 0 {
			r.MapsDone = j.view.Start
		}
		e.running = append(e.running, j.view.Seq)
		for k := range job.TaskType(2) {
			j.pending[k] -= b.Done[k]
			for n := range b.Done[k] {
				j.table(k)[n] = succeeded
			}
			for n, x := range b.Running[k] {
				e.resume(j, job.Task{Job: j.view.Seq, Type: k, Index: b.Done[k] + int32(n)}, x)
			}
		}
		e.recount(j)
	}
}

// resume adds a task that is already running.
func (e *engine) resume(j *jobState, id job.Task, x Running) {
	t, i := e.pool.take()
	j.table(id.Type)[id.Index] = i
	a := &t.attempt
	a.ID.Task, a.Tracker, a.Slot, a.Width = id, x.Tracker+1, x.Slot, 1
	a.Locality, a.State, a.Start = job.NoData, job.AttemptRunning, x.Start
	j.pending[id.Type]--
	j.view.Running[id.Type]++
	e.link(j, t, i)
	e.use(&e.trackers[x.Tracker], id.Type, x.Slot, +1)
	if id.Type == job.Map {
		e.foresee(t, i, x.Start+j.times.Map(id.Index), false)
		return
	}
	if t.filler = !j.mapsDone(); t.filler {
		return
	}
	done := j.result.MapsDone
	shuffle, rest := j.times.Reduce(id.Index, x.Start < done)
	e.foresee(t, i, max(x.Start, done)+shuffle+rest, false)
}

// settle ends what the policy does not continue: jobs without tasks left and, as in the machine,
// tasks in borrowed slots if the policy does not lend slots.
func (e *engine) settle() {
	for _, seq := range slices.Clone(e.running) {
		j := e.jobs.Get(seq)
		for k := range job.TaskType(2) {
			for i := j.oldest[k]; i != waiting; {
				t := e.pool.at(i)
				i = t.after
				if t.attempt.Slot != k && !e.lends {
					e.stop(j, t, job.AttemptKilled)
				}
			}
		}
		if j.done() {
			e.depart(j)
		}
	}
}
