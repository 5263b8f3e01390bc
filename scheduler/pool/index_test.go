package pool

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/policytest"
)

// simple is a policy that fills the slots of a tracker in the order of its index.
type simple struct{ *Index }

func (p *simple) Assign(v scheduler.View, tracker int32, plan scheduler.Plan) {
	p.Begin(v, tracker, plan)
	for k := range job.TaskType(2) {
		for t := v.Tracker(tracker); t.Used[k] < t.Slots[k] && p.Launch(k, k); {
		}
	}
	p.End()
}

func (p *simple) Tick(v scheduler.View, plan scheduler.Plan) {
	p.Index.Tick(v, plan, LentAsOthers, [2]int64{})
}

// counted is a policy that has only totals. It fills the slots of a tracker by priority.
type counted struct{ *Totals }

func (p *counted) Assign(v scheduler.View, tracker int32, plan scheduler.Plan) {
	for _, j := range p.Jobs() {
		for k := range job.TaskType(2) {
			for j.Wants(k) && j.Pool.Running[k] < j.Pool.Max[k] {
				i, ok := scheduler.Pick(v, j.Seq, tracker, k)
				if !ok || !plan.Launch(job.Task{Job: j.Seq, Type: k, Index: i}, tracker, k) {
					break
				}
			}
		}
	}
}

func (p *counted) Tick(v scheduler.View, plan scheduler.Plan) {
	p.Totals.Tick(v, plan, LentAsOthers, [2]int64{})
}

// A plainJob and a plainPool hold what the index must contain, computed from the View alone.
type plainJob struct {
	view            *scheduler.Job
	pool            string
	runnable        bool
	running, demand [2]int32
	wants           [2]bool
	weight          [2]float64
}

type plainPool struct {
	Allocation
	jobs            []*plainJob
	running, demand [3]int32
	waits           [3]bool
}

// plain computes the pools that have jobs or are in the file, directly from their definitions.
func plain(v scheduler.View, x *Totals) (pools []*plainPool) {
	var jobs []*plainJob
	for _, seq := range v.Jobs() {
		if view := v.Job(seq); view.State == job.Running {
			jobs = append(jobs, &plainJob{view: view, pool: x.poolOf(view.Spec)})
		}
	}
	slices.SortFunc(jobs, func(a, b *plainJob) int {
		return cmp.Or(int(b.view.Priority)-int(a.view.Priority), cmp.Compare(a.view.Submit, b.view.Submit),
			cmp.Compare(a.view.Seq, b.view.Seq))
	})
	byPool, byUser := map[string]int32{}, map[string]int32{}
	named := map[string]*plainPool{}
	get := func(name string) *plainPool {
		if named[name] == nil {
			named[name] = &plainPool{Allocation: x.set.Pools.Of(name)}
			pools = append(pools, named[name])
		}
		return named[name]
	}
	for i := range x.set.Pools.Pools {
		get(x.set.Pools.Pools[i].Name)
	}
	for _, j := range jobs {
		p, user := get(j.pool), j.view.Spec.User
		if byPool[j.pool] < p.MaxJobs && byUser[user] < x.set.Pools.MaxJobsOf(user) {
			j.runnable = true
			byPool[j.pool]++
			byUser[user]++
		}
		limits := [2]int32{j.view.Spec.MapLimit, j.view.Spec.ReduceLimit}
		for k := range job.TaskType(2) {
			n := j.view.Running[k]
			if j.runnable {
				n += j.view.Pending[k]
				if limits[k] > 0 && n > limits[k] {
					n = max(limits[k], j.view.Running[k])
				}
			}
			width := max(1, j.view.Width[k])
			j.running[k], j.demand[k] = j.view.Running[k]*width, n*width
			j.wants[k] = j.runnable && j.view.Wants(k)
			j.weight[k] = x.set.weight(&Job{Priority: j.view.Priority, Runnable: j.runnable, Demand: j.demand}, k)
			p.running[k] += j.running[k]
			p.running[Both] += j.running[k]
			p.demand[k] += j.demand[k]
			p.waits[k] = p.waits[k] || j.wants[k]
		}
		p.jobs = append(p.jobs, j)
	}
	for _, p := range pools {
		for k := range p.demand[:Both] {
			p.demand[k] = min(p.demand[k], p.Max[k])
			p.waits[k] = p.waits[k] && p.running[k] < p.Max[k]
			p.waits[Both] = p.waits[Both] || p.waits[k]
		}
	}
	slices.SortFunc(pools, func(a, b *plainPool) int { return cmp.Compare(a.Name, b.Name) })
	return pools
}

// less reports whether Hadoop's FairShareComparator puts pool a before pool b.
func less(a, b *plainPool, k int) bool {
	least := func(p *plainPool) (n int32) {
		for i := range 2 {
			if i == k || k == Both {
				n += min(p.Min[i], p.demand[i])
			}
		}
		return n
	}
	la, lb, ra, rb := least(a), least(b), a.running[k], b.running[k]
	switch needyA, needyB := ra < la, rb < lb; {
	case needyA != needyB:
		return needyA
	case needyA && float64(ra)/float64(la) != float64(rb)/float64(lb):
		return float64(ra)/float64(la) < float64(rb)/float64(lb)
	case !needyA && (a.Weight == 0) != (b.Weight == 0):
		return b.Weight == 0
	case !needyA && a.Weight > 0 && float64(ra)/a.Weight != float64(rb)/b.Weight:
		return float64(ra)/a.Weight < float64(rb)/b.Weight
	}
	return a.Name < b.Name
}

// text describes what an index of the view must contain, line by line.
func text(v scheduler.View, x *Totals) (out []string) {
	pools := plain(v, x)
	pending := [2]int64{}
	for _, p := range pools {
		out = append(out, fmt.Sprint("pool ", p.Name, len(p.jobs), p.running, p.demand[:Both]))
		for _, j := range p.jobs {
			out = append(out, fmt.Sprint("job ", j.view.Seq, j.view.Priority, p.Name, j.runnable, j.running, j.demand, j.wants,
				j.weight))
		}
		for k := range job.TaskType(2) {
			pending[k] += int64(max(p.demand[k], p.running[k]) - p.running[k])
			jobs := slices.DeleteFunc(slices.Clone(p.jobs), func(j *plainJob) bool { return x.order == nil || !j.wants[k] })
			if p.Mode == Fair {
				slices.SortFunc(jobs, func(a, b *plainJob) int {
					ra, rb := math.Inf(1), math.Inf(1)
					if a.weight[k] > 0 {
						ra = float64(a.running[k]) / a.weight[k]
					}
					if b.weight[k] > 0 {
						rb = float64(b.running[k]) / b.weight[k]
					}
					return cmp.Or(cmp.Compare(ra, rb), cmp.Compare(a.view.Submit, b.view.Submit),
						cmp.Compare(a.view.Seq, b.view.Seq))
				})
			}
			for _, j := range jobs {
				out = append(out, fmt.Sprint("waits ", k, j.view.Seq))
			}
		}
	}
	for k := range 3 {
		ranked := slices.DeleteFunc(slices.Clone(pools), func(p *plainPool) bool { return x.order == nil || !p.waits[k] })
		slices.SortFunc(ranked, func(a, b *plainPool) int {
			if less(a, b, k) {
				return -1
			}
			return 1
		})
		for _, p := range ranked {
			out = append(out, fmt.Sprint("ranked ", k, p.Name))
		}
	}
	return append(out, fmt.Sprint("pending ", pending))
}

// found describes what an index contains, in the format of text.
func found(x *Totals) (out []string) {
	for _, p := range x.Pools() {
		out = append(out, fmt.Sprint("pool ", p.Name, p.Jobs, p.Running, p.Demand))
		for _, j := range x.Jobs() {
			if j.Pool == p {
				out = append(out, fmt.Sprint("job ", j.Seq, j.Priority, p.Name, j.Runnable, j.Running, j.Demand,
					[2]bool{j.Wants(job.Map), j.Wants(job.Reduce)}, j.weight))
			}
		}
		for k := range job.TaskType(2) {
			for _, j := range p.waiting[k].Items {
				out = append(out, fmt.Sprint("waits ", k, j.Seq))
			}
		}
	}
	for k := range 3 {
		if x.order == nil {
			break
		}
		for _, p := range x.order[k].Items {
			out = append(out, fmt.Sprint("ranked ", k, p.Name))
		}
	}
	return append(out, fmt.Sprint("pending ", [2]int64{x.Pending(job.Map), x.Pending(job.Reduce)}))
}

func checkIndex(v scheduler.View, x *Totals) error {
	if want, got := text(v, x), found(x); !slices.Equal(want, got) {
		for i := range min(len(want), len(got)) {
			if want[i] != got[i] {
				return fmt.Errorf("the index contains %q, want %q", got[i], want[i])
			}
		}
		return fmt.Errorf("the index contains %q, want %q", got, want)
	}
	users := map[string]bool{}
	for _, j := range x.Jobs() {
		users[j.user.name] = true
		if x.Job(j.Seq) != j || x.pools[j.Pool.Name] != j.Pool || x.users[j.user.name] != j.user {
			return fmt.Errorf("job %d is not in all indexes", j.Seq)
		}
	}
	jobs := 0
	for seq := range int32(1000) { // more than any of these clusters has
		if x.Job(seq) != nil {
			jobs++
		}
	}
	if jobs != len(x.Jobs()) || len(x.pools) != len(x.Pools()) || len(x.users) != len(users) {
		return fmt.Errorf("%d jobs, %d pools, %d users are too many", jobs, len(x.pools), len(x.users))
	}
	return nil
}

// After every step of random clusters, the index contains exactly what its definitions yield for
// the View: the limits on running jobs, demands, weights, and Hadoop's order of pools and jobs.
func TestIndexFollowsItsDefinitions(t *testing.T) {
	const file = `<pool name="a"><minMaps>3</minMaps><minReduces>1</minReduces><schedulingMode>fifo</schedulingMode>` +
		`</pool><pool name="b"><weight>2.5</weight><minMaps>1</minMaps><maxMaps>3</maxMaps><maxReduces>2</maxReduces>` +
		`</pool><pool name="c"><maxRunningJobs>2</maxRunningJobs></pool><pool name="z"><weight>0</weight></pool>` +
		`<user name="bob"><maxRunningJobs>3</maxRunningJobs></user>`
	bySize := []string{conf.FairSchedulerLocalityDelay.Name, "0", conf.FairSchedulerSizeBasedWeight.Name, "true"}
	for name, pairs := range map[string][]string{"by size": bySize, "plain": bySize[:2], "totals": bySize} {
		t.Run(name, func(t *testing.T) {
			set, err := read(file, pairs...)
			require.NoError(t, err)
			policytest.Run(t, policytest.Options{
				New: func() scheduler.Policy {
					if name == "totals" {
						return &counted{NewTotals(set, set.NameOf)}
					}
					return &simple{NewIndex(set, set.NameOf)}
				},
				Idles: "limits of pools and users", Starves: "pool a is first in, first out", Cases: 40,
				Check: func(v scheduler.View, p scheduler.Policy) error {
					if c, ok := p.(*counted); ok {
						return checkIndex(v, c.Totals)
					}
					return checkIndex(v, &p.(*simple).Totals)
				},
				Job: func(r *rand.Rand, s *job.Spec) {
					s.User = []string{"ann", "bob"}[r.IntN(2)]
					s.Priority = job.Priority(r.IntN(5))
					s.MapLimit, s.ReduceLimit = r.Int32N(3)*r.Int32N(3), r.Int32N(3)*r.Int32N(3)
					policytest.Set(s, conf.FairSchedulerPool.Name, []string{"a", "b", "c", "d", "z"}[r.IntN(5)])
				}})
		})
	}
}
