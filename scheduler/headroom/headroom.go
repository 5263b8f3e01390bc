// Package headroom prevents deadlocks where maps and reduces share memory or borrow each other's
// slots. With separate slots, reduces that wait for map output cannot keep maps from running. With
// shared resources they can, and then the job cannot continue.
//
// Hadoop's MRAppMaster has two rules against this (RMContainerAllocator), and Guard implements
// both. Reduces of jobs with pending maps get a limited share of the memory. If a map still waits
// too long, Guard kills a reduce of its job.
package headroom

import (
	"slices"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/ordered"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/scheduler"
)

const million = 1_000_000

// A Guard applies the rules for a policy. Like the policy, it does no I/O and has no clock.
type Guard struct {
	// limit is the fraction of the memory, in millionths, that reduces may use while maps of their
	// jobs are pending (Hadoop: yarn.app.mapreduce.am.job.reduce.rampup.limit).
	limit int64
	// patience is how long a job's pending maps may wait, in ms, while none of its maps runs. After
	// that, Guard kills a reduce of the job (Hadoop:
	// mapreduce.job.reducer.unconditional-preempt.delay.sec).
	patience int64

	jobs  map[int32]*held
	taken int64   // MiB of running reduces whose jobs have pending maps
	stuck []int32 // jobs with pending maps, running reduces, and no running maps, by sequence number
	buf   []*scheduler.Attempt

	// Gives reports whether Tick may kill a reduce; nil permits all.
	Gives func(*scheduler.Attempt) bool
}

// held is the Guard's record of a job.
type held struct {
	memory int64 // its contribution to Guard.taken, in MiB
	since  int64 // when the job got stuck or Tick last handled it, in ms; 0 = it is not stuck
}

// New returns a Guard with the settings from c. Errors are of kind Config.
func New(c *conf.Config) (*Guard, error) {
	limit, err := conf.ContainerReduceLimit.Get(c)
	if err != nil {
		return nil, err
	}
	patience, err := conf.MapPatienceMS.Get(c)
	return &Guard{limit: int64(limit*million + 0.5), patience: patience, jobs: map[int32]*held{}}, err
}

// Reset drops all records and makes new ones for the running jobs.
func (g *Guard) Reset(v scheduler.View) {
	clear(g.jobs)
	g.taken, g.stuck = 0, nil
	for _, seq := range v.Jobs() {
		g.look(v, v.Job(seq))
	}
}

// Observe processes a fact. The policy must call it with each fact that it observes.
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

// look updates the record of the job.
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

// Allows reports whether one more reduce of the job may start. If the job has pending maps, the
// reduces of all such jobs together must stay within the limit. Their fraction of the cluster's
// memory must also not exceed the fraction of the job's maps that have finished.
func (g *Guard) Allows(v scheduler.View, j *scheduler.Job) bool {
	if j.Pending[job.Map] == 0 {
		return true
	}
	limit := min(g.limit, int64(j.Finished[job.Map])*million/int64(j.Tasks[job.Map]))
	return g.taken+int64(j.Spec.Memory(job.Reduce)) <= v.Cluster().Memory*limit/million
}

// NextDeadline returns the time of the next Tick, in ms since the Unix epoch; 0 means never.
func (g *Guard) NextDeadline() int64 {
	next := int64(0)
	for _, seq := range g.stuck {
		if at := g.jobs[seq].since + g.patience; next == 0 || at < next {
			next = at
		}
	}
	return next
}

// Tick kills the newest reduce of each job whose maps have waited too long, and then restarts the
// job's wait. It skips reduces that Gives does not permit.
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
				p.Kill(a.ID, "maps of the job have no free slot")
				break
			}
		}
	}
}
