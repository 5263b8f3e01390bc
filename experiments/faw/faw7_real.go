package faw

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/mrcluster"
)

// faw7Speed makes T 3 s of real time.
const faw7Speed = 20

// faw7Real runs a fifth of WKLD-B and WKLD-C on real nodes and, for comparison, in the simulator.
// Tasks only sleep in these runs, so the runs cannot show the cost of transient nodes for Sort.
func faw7Real(ctx context.Context, r *lab.Run) error {
	got := map[string][]times{}
	var rows [][]string
	for _, c := range realCells() {
		x := Real{Pool: faw7Pool(c, r.Seed), Speed: faw7Speed, Deployed: true}
		x.Nodes = RealNodes
		if len(rows) == 0 {
			x.Knobs(r)
		}
		work := Part(Fifth, faw7Workload(x.Model, c.app, r.Seed))
		res, err := x.Run(ctx, r, work)
		if err != nil {
			return err
		}
		sim, err := x.Simulated(ctx, work, nil)
		if err != nil {
			return err
		}
		t, s := timesOf(res), timesOf(sim)
		got[key(c)] = []times{t}
		rows = append(rows, []string{c.app.Name, c.grow.String(), c.policy, fmt.Sprintf("%.0f", t[0]),
			fmt.Sprintf("%.0f", t[1]), fmt.Sprintf("%.0f", t[2]), fmt.Sprint(res.Reconfigurations),
			fmt.Sprintf("%.0f", s[0]), fmt.Sprintf("%.0f", s[1]), fmt.Sprintf("%.0f", s[2])})
	}
	r.AddTable("makespans", []string{"application", "added nodes", "policy", "c-1 (s)", "c-2 (s)", "c-3 (s)",
		"reconfigurations", "c-1 simulated (s)", "c-2", "c-3"}, rows)
	of := func(a App, policy string, k mrcluster.Kind) []times { return got[key(faw7Cell{a, policy, k})] }
	for _, x := range []struct {
		app  App
		grow mrcluster.Kind
	}{{WC, mrcluster.Transient}, {ST, mrcluster.TransientCore}} {
		what := x.app.Name + "-" + x.grow.String()
		none, eq, td := of(x.app, "None", x.grow), of(x.app, "EQ", x.grow), of(x.app, "TD", x.grow)
		balanced(r, what, none, eq, td)
		tdEQ(r, what, eq, td)
	}
	return nil
}

// realCells returns the runs. As the paper recommends, WKLD-B grows by transient nodes and WKLD-C
// by transient-core nodes.
func realCells() (out []faw7Cell) {
	for _, policy := range []string{"None", "EQ", "TD"} {
		out = append(out, faw7Cell{WC, policy, mrcluster.Transient}, faw7Cell{ST, policy, mrcluster.TransientCore})
	}
	return out
}
