package faw7

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/faw"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/mrcluster"
)

// speed makes T 3 s.
const speed = 20

// real runs a fifth of WKLD-B and WKLD-C on real nodes, and beside it in the simulator. What transient nodes cost Sort is the simulator's
// to say: here tasks sleep.
func real(ctx context.Context, r *lab.Run) error {
	got := map[string]times{}
	var rows [][]string
	for _, c := range realCells() {
		x := faw.Real{Pool: pool(c, r.Seed), Speed: speed, Deployed: true}
		x.Nodes = faw.RealNodes
		if len(rows) == 0 {
			x.Knobs(r)
		}
		work := faw.Part(faw.Fifth, workload(x.Model, c.app, r.Seed))
		res, err := x.Run(ctx, r, work)
		if err != nil {
			return err
		}
		sim, err := x.Simulated(ctx, work, nil)
		if err != nil {
			return err
		}
		t, s := timesOf(res), timesOf(sim)
		got[key(c)] = t
		rows = append(rows, []string{c.app.Name, c.grow.String(), c.policy, fmt.Sprintf("%.0f", t[0]), fmt.Sprintf("%.0f", t[1]), fmt.Sprintf("%.0f", t[2]), fmt.Sprint(res.Reconfigurations),
			fmt.Sprintf("%.0f", s[0]), fmt.Sprintf("%.0f", s[1]), fmt.Sprintf("%.0f", s[2])})
	}
	r.AddTable("makespans", []string{"application", "grows by", "policy", "c-1 (s)", "c-2 (s)", "c-3 (s)", "reconfigurations", "c-1 simulated (s)", "c-2", "c-3"}, rows)
	of := func(a faw.App, policy string, k mrcluster.Kind) times { return got[key(cell{a, policy, k})] }
	tr, tc := mrcluster.Transient, mrcluster.TransientCore
	balanced(r, "WordCount", tr, of(faw.WC, "None", tr), of(faw.WC, "EQ", tr), of(faw.WC, "TD", tr))
	balanced(r, "Sort", tc, of(faw.ST, "None", tc), of(faw.ST, "EQ", tc), of(faw.ST, "TD", tc))
	eq, td := of(faw.ST, "EQ", tc), of(faw.ST, "TD", tc)
	r.Check("Sort, transient-core: c-3 under TD < EQ", td[2] < eq[2], "%.0f and %.0f s", td[2], eq[2])
	return nil
}

// realCells are the runs: WKLD-B grows by transient nodes and WKLD-C by transient-core ones, as in the paper they should.
func realCells() (out []cell) {
	for _, policy := range []string{"None", "EQ", "TD"} {
		out = append(out, cell{faw.WC, policy, mrcluster.Transient}, cell{faw.ST, policy, mrcluster.TransientCore})
	}
	return out
}
