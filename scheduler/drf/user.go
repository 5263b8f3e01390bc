package drf

import (
	"cmp"
	"slices"
	"strings"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/backlog"
)

// A user is an entity that shares the cluster with others: a user, a queue, or a job, as
// conf.DRFShareBy selects.
type user struct {
	name    string
	weight  float64
	jobs    int32
	has     demand                    // U_i
	share   float64                   // s_i divided by the weight
	waiting backlog.List[ready, need] // tasks to start, in the order of first
}

// A ready identifies a job and a type of its pending tasks. A need is the demand and type of one of
// these tasks.
type (
	ready struct {
		*entry
		job.TaskType
	}
	need struct {
		demand
		job.TaskType
	}
)

// An entry is a running job.
type entry struct {
	seq      int32
	user     *user
	priority job.Priority
	submit   int64
	needs    [2]demand // demands of a map and of a reduce
	has      demand    // resources of its running tasks
	listed   [2]bool   // in user.waiting
}

// compare orders users by dominant share divided by weight, then by name.
func (u *user) compare(o *user) int {
	if u.share != o.share {
		return cmp.Compare(u.share, o.share)
	}
	return strings.Compare(u.name, o.name)
}

// first orders the tasks of one user by the priority, submission, and sequence number of their
// jobs. The reduces of a job come before its maps.
func first(a, b ready) int {
	return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(a.submit, b.submit), cmp.Compare(a.seq, b.seq),
		cmp.Compare(b.TaskType, a.TaskType))
}

// dominant returns the dominant share, the largest of the shares of all resources.
func (d demand) dominant(total demand) float64 {
	share := 0.0
	if total.memory > 0 {
		share = float64(d.memory) / float64(total.memory)
	}
	if total.cores > 0 {
		share = max(share, float64(d.cores)/float64(total.cores))
	}
	return share
}

func (p *Policy) add(j *scheduler.Job) {
	name := p.set.groupOf(j.Spec, j.Seq)
	u := p.byName[name]
	if u == nil {
		u = &user{name: name, weight: p.set.weight(name)}
		u.waiting.Compare = first
		p.byName[name] = u
		i, _ := slices.BinarySearchFunc(p.order, u, (*user).compare)
		p.order = slices.Insert(p.order, i, u)
	}
	u.jobs++
	x := &entry{seq: j.Seq, user: u, priority: j.Priority, submit: j.Submit,
		needs: [2]demand{demandOf(j.Spec, job.Map), demandOf(j.Spec, job.Reduce)}}
	p.jobs.Put(j.Seq, x)
	p.update(x, j)
}

func (p *Policy) remove(x *entry) {
	if x == nil {
		return
	}
	x.list([2]bool{})
	p.take(x, demand{})
	p.jobs.Delete(x.seq)
	u := x.user
	if u.jobs--; u.jobs > 0 {
		return
	}
	p.releaseUser(u)
	i, _ := slices.BinarySearchFunc(p.order, u, (*user).compare)
	p.order = slices.Delete(p.order, i, i+1)
	delete(p.byName, u.name)
}

func (p *Policy) update(x *entry, j *scheduler.Job) {
	p.take(x, x.needs[job.Map].times(j.Running[job.Map]).plus(x.needs[job.Reduce].times(j.Running[job.Reduce])))
	x.list([2]bool{j.Wants(job.Map), j.Wants(job.Reduce)})
}

// take records the job's usage and restores the position of its user in p.order.
func (p *Policy) take(x *entry, has demand) {
	if has == x.has {
		return
	}
	u := x.user
	from, _ := slices.BinarySearchFunc(p.order, u, (*user).compare)
	u.has = u.has.plus(has).minus(x.has)
	x.has = has
	u.share = u.has.dominant(p.total) / u.weight
	rest := slices.Delete(p.order, from, from+1)
	to, _ := slices.BinarySearchFunc(rest, u, (*user).compare)
	p.order = slices.Insert(rest, to, u)
}

// resize recomputes all shares after the cluster has grown or shrunk.
func (p *Policy) resize(v scheduler.View) {
	c := v.Cluster()
	total := demand{c.Memory, c.VCores}
	if total == p.total {
		return
	}
	p.total = total
	for _, u := range p.order {
		u.share = u.has.dominant(total) / u.weight
	}
	slices.SortFunc(p.order, (*user).compare)
}

// list updates the user's waiting list. The list then contains the job once for each type of task
// that the job wants.
func (x *entry) list(wants [2]bool) {
	for k := range job.TaskType(2) {
		x.user.waiting.Set(ready{x, k}, need{x.needs[k], k}, &x.listed[k], wants[k])
	}
}
