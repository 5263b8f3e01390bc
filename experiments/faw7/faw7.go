// Package faw7 reproduces figure 7 of Fawkes: small, medium and large jobs in three MR-clusters, without a policy, with equal shares
// and by task demand, with transient and transient-core nodes.
package faw7

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/faw"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/simmr"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/weight"
	"github.com/howdah/howdah/simulator/fawkes"
)

// Experiment is FAW-7.
var Experiment = &lab.Experiment{
	ID: "FAW-7", Paper: faw.Paper, Item: "Figure 7, WKLD-B and WKLD-C", BibTeX: faw.BibTeX,
	Claim: "growing and shrinking shortens the makespan of the MR-clusters with medium and large jobs and leaves the one with small jobs as it is; for Sort it works with transient-core " +
		"nodes and fails with transient nodes",
	Relation: "makespan of c-3 under TD < EQ < None, that of c-1 within 10% of None, those of c-2 and c-3 close under TD; Sort with TR slower than with TC",
	Sim:      sim,
	Real:     real,
}

// times are the makespans of c-1, c-2 and c-3 in s.
type times [3]float64

// cell is a run: application, policy, and what the MR-clusters grow by.
type cell struct {
	app    faw.App
	policy string
	grow   mrcluster.Kind
}

func sim(ctx context.Context, r *lab.Run) error {
	faw.PoolKnobs(r, pool(cell{faw.WC, "TD", mrcluster.Transient}, 1))
	var cells []cell
	for _, a := range []faw.App{faw.WC, faw.ST} {
		for _, p := range []string{"None", "EQ", "TD"} {
			for _, k := range []mrcluster.Kind{mrcluster.Transient, mrcluster.TransientCore} {
				cells = append(cells, cell{a, p, k})
			}
		}
	}
	n := seeds(r)
	r.Knob("seeds", n)
	each := make([]times, n*len(cells))
	err := simmr.Parallel(ctx, r.Workers, len(each), func(ctx context.Context, i int) error {
		c, seed := cells[i/n], r.Seed+uint64(i%n)
		t, err := makespans(ctx, pool(c, seed), c.app, seed)
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
		rows = append(rows, []string{c.app.Name, c.grow.String(), c.policy, fmt.Sprintf("%.0f", t[0]), fmt.Sprintf("%.0f", t[1]), fmt.Sprintf("%.0f", t[2])})
	}
	r.AddTable("makespans", []string{"application", "grows by", "policy", "c-1 (s)", "c-2 (s)", "c-3 (s)"}, rows)
	check(r, got)
	return moves(ctx, r, got)
}

func seeds(r *lab.Run) int {
	if r.Quick {
		return 2
	}
	return 5
}

// mean over the seeds.
func mean(each []times) (t times) {
	for _, x := range each {
		for c := range t {
			t[c] += x[c] / float64(len(each))
		}
	}
	return t
}

// moves isolates what it costs Sort that transient-core nodes leave.
func moves(ctx context.Context, r *lab.Run, got map[string]times) error {
	k := mrcluster.TransientCore
	eq, td := got[key(cell{faw.ST, "EQ", k})], got[key(cell{faw.ST, "TD", k})]
	if td[2] < eq[2] {
		r.Check("Sort, transient-core: c-3 under TD < EQ", true, "%.0f and %.0f s", td[2], eq[2])
		return nil
	}
	var of [4]times
	for i, change := range []func(*faw.Pool){
		func(p *faw.Pool) { p.OutputsWait = forever },
		func(p *faw.Pool) { p.Model.FreeMoves = true },
		func(p *faw.Pool) { p.Model.FreeMoves, p.OutputsWait = true, forever },
		func(p *faw.Pool) { p.Queue = weight.Unfinished },
	} {
		var err error
		if of[i], err = other(ctx, r, change); err != nil {
			return err
		}
	}
	r.NotReproduced("Sort with transient-core nodes: c-3 takes %.0f s under TD and %.0f s under EQ, which moves nobody after the first time. Under TD nodes with data leave again and again, and that costs work: finished maps "+
		"run again if a node has waited a minute for the job that needs their output, and data that is moved takes disks from the tasks. Under TD, with nothing else changed, c-3 takes %.0f s where no map runs again, "+
		"%.0f s where moving costs nothing, %.0f s with both. If TD counts running tasks too, nothing else changed, it moves less and c-3 takes %.0f s.",
		td[2], eq[2], of[0][2], of[1][2], of[2][2], of[3][2])
	return nil
}

// forever is longer than any job, in ms.
const forever = 24 * 3_600_000

// other runs Sort on transient-core nodes under TD with something changed.
func other(ctx context.Context, r *lab.Run, change func(*faw.Pool)) (times, error) {
	each := make([]times, seeds(r))
	for i := range each {
		seed := r.Seed + uint64(i)
		p := pool(cell{faw.ST, "TD", mrcluster.TransientCore}, seed)
		change(&p)
		var err error
		if each[i], err = makespans(ctx, p, faw.ST, seed); err != nil {
			return times{}, err
		}
		r.Executions++
	}
	return mean(each), nil
}

func key(c cell) string { return c.app.Name + " " + c.policy + " " + c.grow.String() }

func check(r *lab.Run, got map[string]times) {
	for _, k := range []mrcluster.Kind{mrcluster.Transient, mrcluster.TransientCore} {
		balanced(r, "WordCount", k, got[key(cell{faw.WC, "None", k})], got[key(cell{faw.WC, "EQ", k})], got[key(cell{faw.WC, "TD", k})])
	}
	k := mrcluster.TransientCore
	balanced(r, "Sort", k, got[key(cell{faw.ST, "None", k})], got[key(cell{faw.ST, "EQ", k})], got[key(cell{faw.ST, "TD", k})])
	tr, tc := got[key(cell{faw.ST, "TD", mrcluster.Transient})], got[key(cell{faw.ST, "TD", mrcluster.TransientCore})]
	r.Check("Sort: c-3 is slower with transient than with transient-core nodes", tr[2] > tc[2], "%.0f s against %.0f s", tr[2], tc[2])
}

// balanced checks the relations of one application and one way to grow.
func balanced(r *lab.Run, app string, k mrcluster.Kind, none, eq, td times) {
	what := fmt.Sprintf("%s, %v: ", app, k)
	r.Check(what+"c-3 under TD and under EQ faster than without a policy", max(td[2], eq[2]) < none[2], "%.0f, %.0f, %.0f s", td[2], eq[2], none[2])
	if app == "WordCount" {
		r.Check(what+"c-3 under TD < EQ", td[2] < eq[2], "%.0f and %.0f s", td[2], eq[2])
	}
	faw.LeftAlone(r, what+"c-1 as without a policy", td[0], none[0], "%.0f s against %.0f s")
	r.Check(what+"c-2 and c-3 balanced under TD", td[2] < 1.5*td[1], "%.0f s and %.0f s; without a policy %.0f s and %.0f s", td[1], td[2], none[1], none[2])
}

func pool(c cell, seed uint64) faw.Pool {
	return faw.Pool{Model: faw.DAS4().With(c.app), Nodes: 60, Interval: 60_000, Policy: c.policy, Grow: c.grow, Seed: seed}
}

func makespans(ctx context.Context, p faw.Pool, app faw.App, seed uint64) (t times, err error) {
	res, err := p.Run(ctx, workload(p.Model, app, seed))
	if err != nil {
		return t, err
	}
	return timesOf(res), nil
}

// workload gives WKLD-B or WKLD-C.
func workload(m faw.Model, app faw.App, seed uint64) (work []fawkes.Workload) {
	for i, n := range []int{90, 5, 5} {
		name := fmt.Sprintf("c-%d", i+1)
		mk := &faw.Maker{Model: m, Apps: []faw.App{app}, Seed: seed + uint64(i)}
		work = append(work, faw.Cluster(name, 0, mk.Batch(name, n, faw.Sizes[i], 0)))
	}
	return work
}

func timesOf(res *fawkes.Result) (t times) {
	for i := range t {
		t[i] = float64(res.Clusters[i].Makespan) / 1000
	}
	return t
}
