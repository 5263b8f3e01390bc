package faw

import (
	"context"
	"fmt"
	"slices"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/mrcluster"
)

// faw7Speed makes T 3 s of real time.
const faw7Speed = 20

// faw7Policies are the policies of the figure.
var faw7Policies = []string{"None", "EQ", "TD"}

// faw7Real runs a fifth of WKLD-B and WKLD-C with sleeping tasks on real nodes and, for comparison,
// in the simulator. Sleeping tasks cannot show the cost of transient nodes for Sort. It then runs a
// tenth of WKLD-B with WordCount.
func faw7Real(ctx context.Context, r *lab.Run) error {
	got := map[string][]times{}
	var rows [][]string
	for _, c := range realCells() {
		of, simulated, moves, err := faw7Sleep(ctx, r, c)
		if err != nil {
			return err
		}
		got[key(c)] = of
		row := []string{c.app.Name, c.grow.String(), c.policy}
		for i := range 3 {
			row = append(row, spread(makespan(of, i)))
		}
		s := mean(simulated)
		rows = append(rows, append(row, lab.Span("%d", slices.Min(moves), slices.Max(moves)), fmt.Sprintf("%.0f", s[0]),
			fmt.Sprintf("%.0f", s[1]), fmt.Sprintf("%.0f", s[2])))
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
	return faw7Apps(ctx, r)
}

// spread returns the mean and the range of values.
func spread(v []float64) string {
	return fmt.Sprintf("%.0f (%s)", lab.IntervalOf(v).Mean, lab.Span("%.0f", slices.Min(v), slices.Max(v)))
}

// faw7Sleep returns the times of a cell on real nodes and in the simulator, and the numbers of
// reconfigurations on real nodes, by repetition.
func faw7Sleep(ctx context.Context, r *lab.Run, c faw7Cell) (real, simulated []times, moves []int64, err error) {
	real, simulated, moves = make([]times, RealRuns), make([]times, RealRuns), make([]int64, RealRuns)
	at := func(seed uint64) Real {
		x := Real{Pool: faw7Pool(c, seed), Speed: faw7Speed, Deployed: true}
		x.Nodes = RealNodes
		return x
	}
	if r.Executions == 0 {
		at(r.Seed).Knobs(r)
	}
	err = Repeat(ctx, r, RealRuns, func(ctx context.Context, r *lab.Run, i int) error {
		x := at(r.Seed)
		work := Part(Fifth, faw7Workload(x.Model, c.app, r.Seed))
		res, err := x.Run(ctx, r, work)
		if err != nil {
			return err
		}
		sim, err := x.Simulated(ctx, work, nil)
		if err != nil {
			return err
		}
		real[i], simulated[i], moves[i] = timesOf(res), timesOf(sim), res.Reconfigurations
		return nil
	})
	return real, simulated, moves, err
}

// faw7Apps runs a tenth of WKLD-B with WordCount on slow nodes. The repetitions run one after the
// other, because the tasks compute.
func faw7Apps(ctx context.Context, r *lab.Run) error {
	got := map[string][]times{}
	var rows [][]string
	inputs, err := NewInputs()
	if err != nil {
		return err
	}
	defer inputs.Close()
	x := Real{Speed: faw7Speed, Deployed: true, Inputs: inputs}
	x.appKnobs(r)
	for _, policy := range faw7Policies {
		of, moves := make([]times, RealRuns), make([]int64, RealRuns)
		err := Repeat(ctx, r, 1, func(ctx context.Context, r *lab.Run, i int) error {
			x := x
			x.Pool = faw7Pool(faw7Cell{WC, policy, mrcluster.Transient}, r.Seed)
			x.Nodes = SiteNodes
			res, err := x.Run(ctx, r, Part(Tenth, faw7Workload(x.Model, WC, r.Seed)))
			if err != nil {
				return err
			}
			of[i], moves[i] = timesOf(res), res.Reconfigurations
			return nil
		})
		if err != nil {
			return err
		}
		got[policy] = of
		row := []string{policy}
		for i := range 3 {
			row = append(row, spread(makespan(of, i)))
		}
		rows = append(rows, append(row, lab.Span("%d", slices.Min(moves), slices.Max(moves))))
	}
	r.AddTable("makespans of real applications", []string{"policy", "c-1 (s)", "c-2 (s)", "c-3 (s)", "reconfigurations"},
		rows)
	balanced(r, "apps", got["None"], got["EQ"], got["TD"])
	tdEQ(r, "apps", got["EQ"], got["TD"])
	return nil
}

// realCells returns the runs. As the paper recommends, WKLD-B grows by transient nodes and WKLD-C
// by transient-core nodes.
func realCells() (out []faw7Cell) {
	for _, policy := range faw7Policies {
		out = append(out, faw7Cell{WC, policy, mrcluster.Transient}, faw7Cell{ST, policy, mrcluster.TransientCore})
	}
	return out
}
