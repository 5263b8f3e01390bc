// Package headroom keeps room for maps where maps and reduces take from the same memory, or from each other's slots. With slots
// of two kinds reduces that wait for map output can never keep maps from running; there they can, and then nothing moves any
// more. Hadoop's MRAppMaster has two rules against it (RMContainerAllocator), and so has this package: reduces of a job with
// waiting maps get a bounded part of the memory, and if a map waits in vain all the same a reduce is killed for it.
package headroom

import (
	"slices"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/ordered"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
)

const (
	// LimitKey: the part of the memory that reduces may take whose jobs still have maps waiting (there
	// yarn.app.mapreduce.am.job.reduce.rampup.limit, 0.5).
	LimitKey = "howdah.container.reduce.limit"
	// PatienceKey: ms that maps wait, while none of their job runs, before a reduce of it is killed (there
	// mapreduce.job.reducer.unconditional-preempt.delay.sec, 300 s).
	PatienceKey = "howdah.map.patience.ms"
)

const million = 1_000_000

// Guard watches the jobs. It is part of a policy and as pure.
type Guard struct {
	limit    int64 // millionths
	patience int64 // ms

	jobs  map[int32]*held
	taken int64   // MiB of running reduces whose jobs have maps waiting
	stuck []int32 // jobs with maps waiting and none running, by number
	buf   []*scheduler.Attempt

	// Gives tells which reduces may be killed for a map; nil = all.
	Gives func(*scheduler.Attempt) bool
}

// held is what is known of a job.
type held struct {
	memory int64 // its part of taken
	since  int64 // since when it is stuck, 0 = it is not
}

// New makes a guard by its keys.
func New(c *conf.Config) (*Guard, error) {
	limit, err := c.Float(LimitKey, 0.5, 0, 1)
	if err != nil {
		return nil, err
	}
	patience, err := c.Int(PatienceKey, 300_000, 1000, 86_400_000)
	return &Guard{limit: int64(limit*million + 0.5), patience: patience, jobs: map[int32]*held{}}, err
}

// Reset forgets everything and looks at the running jobs.
func (g *Guard) Reset(v scheduler.View) {
	clear(g.jobs)
	g.taken, g.stuck = 0, nil
	for _, seq := range v.Jobs() {
		g.look(v, v.Job(seq))
	}
}

// Observe is to be called with each fact that the policy hears of.
func (g *Guard) Observe(v scheduler.View, e *event.Event) {
	if e.Job == 0 {
		return
	}
	if j := v.Job(e.Job); j != nil && j.State == job.Running {
		g.look(v, j)
	} else if h := g.jobs[e.Job]; h != nil {
		g.taken -= h.memory
		g.stuck = ordered.Remove(g.stuck, e.Job)
		delete(g.jobs, e.Job)
	}
}

// look brings what is known of a job up to date.
func (g *Guard) look(v scheduler.View, j *scheduler.Job) {
	h := g.jobs[j.Seq]
	if h == nil {
		h = &held{}
		g.jobs[j.Seq] = h
	}
	now := int64(0)
	if j.Pending[job.Map] > 0 {
		now = int64(j.Running[job.Reduce]) * int64(j.Spec.Memory(job.Reduce))
	}
	g.taken += now - h.memory
	h.memory = now
	stuck := now > 0 && j.Running[job.Map] == 0
	switch {
	case stuck && h.since == 0:
		h.since = v.Now()
		g.stuck = ordered.Insert(g.stuck, j.Seq)
	case !stuck && h.since > 0:
		h.since = 0
		g.stuck = ordered.Remove(g.stuck, j.Seq)
	}
}

// Allows tells whether one more reduce of a job may start. While maps of the job wait, its reduces and those of other such
// jobs may take no more of the memory than the limit, and no more than the part of its maps that is done.
func (g *Guard) Allows(v scheduler.View, j *scheduler.Job) bool {
	if j.Pending[job.Map] == 0 {
		return true
	}
	limit := min(g.limit, int64(j.Finished[job.Map])*million/int64(j.Tasks[job.Map]))
	return g.taken+int64(j.Spec.Memory(job.Reduce)) <= v.Cluster().Memory*limit/million
}

// NextDeadline tells when Tick is due, 0 = never.
func (g *Guard) NextDeadline() int64 {
	next := int64(0)
	for _, seq := range g.stuck {
		if at := g.jobs[seq].since + g.patience; next == 0 || at < next {
			next = at
		}
	}
	return next
}

// Tick kills the newest reduce of each job whose maps have waited too long.
func (g *Guard) Tick(v scheduler.View, p scheduler.Plan) {
	for _, seq := range slices.Clone(g.stuck) {
		h := g.jobs[seq]
		if h == nil || h.since == 0 || h.since+g.patience > v.Now() {
			continue
		}
		h.since = v.Now()
		g.buf = v.Running(seq, job.Reduce, g.buf[:0])
		for _, a := range slices.Backward(g.buf) {
			if g.Gives == nil || g.Gives(a) {
				p.Kill(a.ID, "maps of its job have no room to run in")
				break
			}
		}
	}
}
