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
	ID: "FAW-7", Paper: Paper, BibTeX: BibTeX, Sim: faw7Sim, Real: faw7Real,
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
	got := map[string][]times{}
	for i, c := range cells {
		got[key(c)] = each[i*n : (i+1)*n]
	}
	var rows [][]string
	for _, c := range cells {
		t := mean(got[key(c)])
		rows = append(rows, []string{c.app.Name, c.grow.String(), c.policy, fmt.Sprintf("%.0f", t[0]),
			fmt.Sprintf("%.0f", t[1]), fmt.Sprintf("%.0f", t[2])})
	}
	r.AddTable("makespans", []string{"application", "added nodes", "policy", "c-1 (s)", "c-2 (s)", "c-3 (s)"}, rows)
	faw7Compare(r, got)
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

// moves isolates the cost of moving data away from nodes that leave, if Sort on c-3 with transient-core
// nodes is not faster under TD than under EQ.
func moves(ctx context.Context, r *lab.Run, got map[string][]times) error {
	k := mrcluster.TransientCore
	eq, td := got[key(faw7Cell{ST, "EQ", k})], got[key(faw7Cell{ST, "TD", k})]
	if tdEQ(r, "ST-"+k.String(), eq, td) {
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
	r.Note("EQ moves nodes only once. Under TD, nodes with data leave repeatedly, which costs work in two ways. A "+
		"departing node that has only map outputs left waits at most a minute for the jobs that need them. If a job still "+
		"needs them, the node's finished maps run again. Moving data also takes disk time away from tasks. With no other "+
		"change, c-3 of Sort with transient-core nodes under TD takes %.0f s if no map runs again, %.0f s if moving data "+
		"costs nothing, and %.0f s with both changes. If TD also counts running tasks and nothing else changes, it moves "+
		"fewer nodes, and c-3 takes %.0f s.", of[0][2], of[1][2], of[2][2], of[3][2])
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

func faw7Compare(r *lab.Run, got map[string][]times) {
	of := func(a App, policy string, k mrcluster.Kind) []times { return got[key(faw7Cell{a, policy, k})] }
	tr, tc := mrcluster.Transient, mrcluster.TransientCore
	for _, k := range []mrcluster.Kind{tr, tc} {
		balanced(r, "WC-"+k.String(), of(WC, "None", k), of(WC, "EQ", k), of(WC, "TD", k))
		tdEQ(r, "WC-"+k.String(), of(WC, "EQ", k), of(WC, "TD", k))
	}
	balanced(r, "ST-"+tc.String(), of(ST, "None", tc), of(ST, "EQ", tc), of(ST, "TD", tc))
	for _, a := range []App{WC, ST} {
		eq, none := of(a, "EQ", tc), of(a, "None", tc)
		r.Compare("alone-EQ-"+a.Name, lab.Gain(makespan(eq, 0), makespan(none, 0)).Scale(0, -1), "%.0f s against %.0f s",
			mean(eq)[0], mean(none)[0])
	}
	sort := of(ST, "TD", tr)
	r.Compare("unbalanced-ST-"+tr.String(), lab.Ratio(makespan(sort, 2), makespan(sort, 1)), "%.0f s and %.0f s",
		mean(sort)[2], mean(sort)[1])
	r.Compare("sort", lab.Gain(makespan(of(ST, "TD", tc), 2), makespan(of(ST, "TD", tr), 2)), "c-3 under TD")
}

// balanced evaluates the relations of an application and a kind of growth, which what names.
func balanced(r *lab.Run, what string, none, eq, td []times) {
	over := func(t []times, c int) lab.Interval { return lab.Gain(makespan(t, c), makespan(none, c)) }
	n, e, t := mean(none), mean(eq), mean(td)
	r.Compare("faster-"+what, lab.Least(over(td, 2), over(eq, 2)), "TD %.0f s, EQ %.0f s, without a policy %.0f s", t[2],
		e[2], n[2])
	r.Compare("alone-"+what, over(td, 0).Scale(0, -1), "%.0f s against %.0f s", t[0], n[0])
	r.Compare("balanced-"+what, lab.Ratio(makespan(td, 2), makespan(td, 1)), "%.0f s and %.0f s; without a policy %.0f s "+
		"and %.0f s", t[2], t[1], n[2], n[1])
}

// tdEQ compares c-3 under TD and EQ, and reports whether the relation holds.
func tdEQ(r *lab.Run, what string, eq, td []times) bool {
	return r.Compare("TD-EQ-"+what, lab.Gain(makespan(td, 2), makespan(eq, 2)), "%.0f s against %.0f s", mean(td)[2],
		mean(eq)[2])
}

// makespan returns the makespans of an MR-cluster by seed.
func makespan(t []times, cluster int) (out []float64) {
	for _, x := range t {
		out = append(out, x[cluster])
	}
	return out
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
