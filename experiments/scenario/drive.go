package scenario

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/ordered"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/generate"
)

// driver submits the jobs of instances in the simulator, each after those that it follows, and
// records the results.
type driver struct {
	s     *Scenario
	byID  map[string]*doing // by the ID of a job in the trace
	all   []*doing
	parts map[string]*part
}

// part is the state of a part of the workload.
type part struct {
	left    int   // instances that have not ended
	end     int64 // of the last instance so far
	waiting []*doing
}

// doing is an instance with its jobs.
type doing struct {
	instance
	stages recorded
	ids    []string // of the stages' jobs
	left   int      // stages that have not ended
	over   bool     // all stages have ended, or one has failed
	out    Job
}

// newDriver draws the jobs of the instances.
func newDriver(s *Scenario, list []instance, p *Profile, seed uint64) *driver {
	d := &driver{s: s, byID: map[string]*doing{}, parts: map[string]*part{}}
	for _, x := range list {
		if d.parts[x.work.Name] == nil {
			d.parts[x.work.Name] = &part{}
		}
		d.parts[x.work.Name].left++
	}
	for _, x := range list {
		a := &doing{instance: x, out: x.result()}
		if x.job != nil {
			a.stages = recorded{{after: -1, job: x.job}}
		} else {
			a.stages = p.draw(x.work, generate.Stream(seed, "tasks of "+x.work.Name, x.n))
		}
		a.left = len(a.stages)
		for i := range a.stages {
			id := x.id
			if len(a.stages) > 1 {
				id += "." + strconv.Itoa(i+1)
			}
			a.ids = append(a.ids, id)
			d.byID[id] = a
			a.out.Maps += len(a.stages[i].job.Maps)
			a.out.Reduces += len(a.stages[i].job.Reduces)
		}
		d.all = append(d.all, a)
		if p := d.parts[x.work.After]; p != nil {
			p.waiting = append(p.waiting, a)
		}
	}
	return d
}

// job returns the job of a stage, submitted at the given time.
func (a *doing) job(s *Scenario, i int, at int64) *trace.Job {
	j := *a.stages[i].job
	j.ID, j.Submit = a.ids[i], at
	if a.instance.job != nil {
		j.Conf = merged(s.Nodes.Settings, j.Conf)
		if a.work.demands() {
			j.Name = a.work.Name // see Scenario.demand
		}
		return &j
	}
	w := a.work
	j.Name, j.Deadline, j.Queue, j.User = w.Name, a.deadline(), "default", "scenario"
	drop := []string{conf.JobDeadline.Name, conf.JobName.Name, conf.JobQueueName.Name, conf.FairSchedulerPool.Name}
	recorded := slices.DeleteFunc(slices.Clone(j.Conf), func(x job.Property) bool {
		return slices.Contains(drop, x.Name)
	})
	j.Conf = merged(nil, recorded, s.Nodes.Settings, w.Settings)
	for _, x := range j.Conf {
		if x.Name == conf.JobQueueName.Name {
			j.Queue = x.Value
		}
	}
	return &j
}

// merged returns the settings of a job, sorted by name. Later ones replace earlier ones.
func merged(first map[string]string, recorded []job.Property, later ...map[string]string) (out []job.Property) {
	all := map[string]string{}
	add := func(m map[string]string) {
		for _, k := range ordered.Keys(m) {
			all[conf.Canonical(k)] = m[k]
		}
	}
	add(first)
	for _, x := range recorded {
		all[x.Name] = x.Value
	}
	for _, m := range later {
		add(m)
	}
	for _, k := range ordered.Keys(all) {
		out = append(out, job.Property{Name: k, Value: all[k]})
	}
	return out
}

// first returns the jobs that do not follow others, in the order of their submission. cluster, if not
// "", selects an MR-cluster.
func (d *driver) first(cluster string) (list []*trace.Job) {
	for _, a := range d.all {
		for i, s := range a.stages {
			if s.after < 0 && a.work.After == "" && (cluster == "" || a.work.Cluster == cluster) {
				list = append(list, a.job(d.s, i, a.at+s.gap))
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *trace.Job) int { return cmp.Compare(a.Submit, b.Submit) })
	return list
}

// ended records the result of a job and returns the jobs that follow it. After a failure, there are
// none.
func (d *driver) ended(r trace.JobResult) (next []*trace.Job) {
	a := d.byID[r.ID]
	if a == nil {
		return nil
	}
	o := &a.out
	a.left--
	at := slices.Index(a.ids, r.ID)
	end := r.Finish + a.stages[at].commit
	if r.Seq > 0 {
		o.IDs = append(o.IDs, job.ID{Cluster: trace.SimulatedCluster, Seq: r.Seq}.String())
	}
	if r.Start > 0 && (o.Start == 0 || r.Start < o.Start) {
		o.Start = r.Start
	}
	o.Finish = max(o.Finish, end)
	for k, t := range r.SlotTime {
		o.SlotTime[k] += t
	}
	if r.Failed {
		o.Failed, o.Why = true, r.ID+" failed"
	}
	if a.left == 0 || o.Failed {
		next = d.end(a)
	}
	for i, s := range a.stages {
		if s.after == at && !o.Failed {
			next = append(next, a.job(d.s, i, end+s.gap))
		}
	}
	return next
}

// end records that an instance has ended. It returns the jobs of the parts that waited for the last
// instance of its part.
func (d *driver) end(a *doing) (next []*trace.Job) {
	if a.over {
		return nil
	}
	a.over = true
	p := d.parts[a.work.Name]
	p.left, p.end = p.left-1, max(p.end, a.out.Finish)
	if p.left > 0 {
		return nil
	}
	for _, w := range p.waiting {
		w.at += p.end
		w.out.Submit, w.out.Deadline = w.at, w.deadline()
		for i, s := range w.stages {
			if s.after < 0 {
				next = append(next, w.job(d.s, i, w.at+s.gap))
			}
		}
	}
	return next
}

// run returns the results of all instances.
func (d *driver) run(seed uint64, slots [2]int64) *Run {
	r := &Run{Seed: seed}
	for _, a := range d.all {
		if a.left > 0 && !a.out.Failed {
			a.out.Failed, a.out.Why = true, "not all of its jobs ended"
		}
		r.Jobs = append(r.Jobs, a.out)
	}
	r.finish(slots)
	return r
}
