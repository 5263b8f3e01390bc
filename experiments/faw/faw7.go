package faw

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/weight"
	"github.com/howdah/howdah/simulator/fawkes"
)

// faw7 reproduces figure 7 of Fawkes, which shows small, medium, and large jobs in three
// MR-clusters. The MR-clusters run without a policy, with equal shares, and by task demand, with
// transient and transient-core nodes.
var faw7 = &lab.Experiment{
	ID: "FAW-7", Paper: Paper, Item: "Figure 7, WKLD-B and WKLD-C", BibTeX: BibTeX,
	Claim: "If MR-clusters grow and shrink, those with medium and large jobs have a shorter makespan. The makespan " +
		"of the MR-cluster with small jobs does not change. For Sort, growing and shrinking shorten the makespan with " +
		"transient-core nodes but not with transient nodes.",
	Relation: "c-3's makespans are in the order TD < EQ < None; c-1's are within 10% of None; c-2's and c-3's are " +
		"close under TD; Sort is slower with TR than with TC",
	Sim:  faw7Sim,
	Real: faw7Real,
}

// times holds the makespans of c-1, c-2, and c-3 in s.
type times [3]float64

// faw7Cell identifies a run by its application, its policy, and the kind of nodes by which the
// MR-clusters grow.
type faw7Cell struct {
	app    App
	policy string
	grow   mrcluster.Kind
}

func faw7Sim(ctx context.Context, r *lab.Run) error {
	PoolKnobs(r, faw7Pool(faw7Cell{WC, "TD", mrcluster.Transient}, 1))
	var cells []faw7Cell
	for _, a := range []App{WC, ST} {
		for _, p := range []string{"None", "EQ", "TD"} {
			for _, k := range []mrcluster.Kind{mrcluster.Transient, mrcluster.TransientCore} {
				cells = append(cells, faw7Cell{a, p, k})
			}
		}
	}
	n := seeds(r)
	r.Knob("seeds", n)
	each := make([]times, n*len(cells))
	err := lab.Parallel(ctx, r.Workers, len(each), func(ctx context.Context, i int) error {
		c, seed := cells[i/n], r.Seed+uint64(i%n)
		t, err := makespans(ctx, faw7Pool(c, seed), c.app, seed)
		each[i] = t
		return err
	})
	if err != nil {
		return err
	}
	r.Executions += len(each)
	got := map[string]times{}
	for i, c := range cells {
		got[key(c)] = mean(each[i*n : (i+1)*n])
	}
	var rows [][]string
	for _, c := range cells {
		t := got[key(c)]
		rows = append(rows, []string{c.app.Name, c.grow.String(), c.policy, fmt.Sprintf("%.0f", t[0]),
			fmt.Sprintf("%.0f", t[1]), fmt.Sprintf("%.0f", t[2])})
	}
	r.AddTable("makespans", []string{"application", "added nodes", "policy", "c-1 (s)", "c-2 (s)", "c-3 (s)"}, rows)
	faw7Check(r, got)
	return moves(ctx, r, got)
}

func seeds(r *lab.Run) int {
	if r.Quick {
		return 2
	}
	return 5
}

// mean returns the mean of each, the times of runs with different seeds.
func mean(each []times) (t times) {
	for _, x := range each {
		for c := range t {
			t[c] += x[c] / float64(len(each))
		}
	}
	return t
}

// moves checks that, with transient-core nodes, Sort on c-3 is faster under TD than under EQ. If it
// is not, moves isolates the cost of moving data away from nodes that leave.
func moves(ctx context.Context, r *lab.Run, got map[string]times) error {
	k := mrcluster.TransientCore
	eq, td := got[key(faw7Cell{ST, "EQ", k})], got[key(faw7Cell{ST, "TD", k})]
	if td[2] < eq[2] {
		r.Check("Sort, transient-core: c-3 is faster under TD than under EQ", true, "%.0f and %.0f s", td[2], eq[2])
		return nil
	}
	var of [4]times
	for i, change := range []func(*Pool){
		func(p *Pool) { p.OutputsWait = forever },
		func(p *Pool) { p.Model.FreeMoves = true },
		func(p *Pool) { p.Model.FreeMoves, p.OutputsWait = true, forever },
		func(p *Pool) { p.Queue = weight.Unfinished },
	} {
		var err error
		if of[i], err = other(ctx, r, change); err != nil {
			return err
		}
	}
	r.NotReproduced("Sort, transient-core: c-3 is faster under TD than under EQ (%.0f s under TD and %.0f s "+
		"under EQ). EQ moves nodes only once. Under TD, nodes with data leave repeatedly, which costs work in two "+
		"ways. A departing node that has only map outputs left waits at most a minute for the jobs that need them. If a "+
		"job still needs them, the node's finished maps run again. Moving data also takes disk time away from tasks. With "+
		"no other change, c-3 under TD takes %.0f s if no map runs again, %.0f s if moving data costs "+
		"nothing, and %.0f s with both changes. If TD also counts running tasks and nothing else changes, it moves "+
		"fewer nodes, and c-3 takes %.0f s.",
		td[2], eq[2], of[0][2], of[1][2], of[2][2], of[3][2])
	return nil
}

// forever is longer than any job, in ms.
const forever = 24 * 3_600_000

// other returns the mean makespans of Sort with transient-core nodes under TD, in a pool that
// change has modified.
func other(ctx context.Context, r *lab.Run, change func(*Pool)) (times, error) {
	each := make([]times, seeds(r))
	for i := range each {
		seed := r.Seed + uint64(i)
		p := faw7Pool(faw7Cell{ST, "TD", mrcluster.TransientCore}, seed)
		change(&p)
		var err error
		if each[i], err = makespans(ctx, p, ST, seed); err != nil {
			return times{}, err
		}
		r.Executions++
	}
	return mean(each), nil
}

func key(c faw7Cell) string { return c.app.Name + " " + c.policy + " " + c.grow.String() }

func faw7Check(r *lab.Run, got map[string]times) {
	for _, k := range []mrcluster.Kind{mrcluster.Transient, mrcluster.TransientCore} {
		balanced(r, "WordCount", k, got[key(faw7Cell{WC, "None", k})], got[key(faw7Cell{WC, "EQ", k})],
			got[key(faw7Cell{WC, "TD", k})])
	}
	k := mrcluster.TransientCore
	balanced(r, "Sort", k, got[key(faw7Cell{ST, "None", k})], got[key(faw7Cell{ST, "EQ", k})],
		got[key(faw7Cell{ST, "TD", k})])
	tr, tc := got[key(faw7Cell{ST, "TD", mrcluster.Transient})], got[key(faw7Cell{ST, "TD", mrcluster.TransientCore})]
	r.Check("Sort: c-3 is slower with transient nodes than with transient-core nodes", tr[2] > tc[2],
		"%.0f s against %.0f s",
		tr[2], tc[2])
}

// balanced checks the relations of one application and one kind of growth.
func balanced(r *lab.Run, app string, k mrcluster.Kind, none, eq, td times) {
	what := fmt.Sprintf("%s, %v: ", app, k)
	r.Check(what+"c-3 is faster under TD and under EQ than without a policy", max(td[2], eq[2]) < none[2],
		"%.0f, %.0f, %.0f s", td[2], eq[2], none[2])
	if app == "WordCount" {
		r.Check(what+"c-3 is faster under TD than under EQ", td[2] < eq[2], "%.0f and %.0f s", td[2], eq[2])
	}
	LeftAlone(r, what+"c-1 takes as long as without a policy", td[0], none[0], "%.0f s against %.0f s")
	r.Check(what+"c-2 and c-3 are balanced under TD", td[2] < 1.5*td[1],
		"%.0f s and %.0f s; without a policy %.0f s and %.0f s", td[1], td[2], none[1], none[2])
}

func faw7Pool(c faw7Cell, seed uint64) Pool {
	return Pool{Model: DAS4().With(c.app), Nodes: 60, Interval: 60_000, Policy: c.policy, Grow: c.grow, Seed: seed}
}

func makespans(ctx context.Context, p Pool, app App, seed uint64) (t times, err error) {
	res, err := p.Run(ctx, faw7Workload(p.Model, app, seed))
	if err != nil {
		return t, err
	}
	return timesOf(res), nil
}

// faw7Workload returns WKLD-B if app is WordCount and WKLD-C if app is Sort.
func faw7Workload(m Model, app App, seed uint64) (work []fawkes.Workload) {
	for i, n := range []int{90, 5, 5} {
		name := fmt.Sprintf("c-%d", i+1)
		mk := &Maker{Model: m, Apps: []App{app}, Seed: seed + uint64(i)}
		work = append(work, Cluster(name, 0, mk.Batch(name, n, Sizes[i], 0)))
	}
	return work
}

func timesOf(res *fawkes.Result) (t times) {
	for i := range t {
		t[i] = float64(res.Clusters[i].Makespan) / 1000
	}
	return t
}
