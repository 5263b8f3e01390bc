// Package sim2 repeats table I of SimMR: how alike the phases of several runs of one application are, and how different those of
// different applications, by their Kullback-Leibler divergence.
package sim2

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/simmr"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/generate"
	"github.com/howdah/howdah/simulator/trace/profile"
)

// Experiment is SIM-2.
var Experiment = &lab.Experiment{
	ID: "SIM-2", Paper: simmr.Paper, Item: "Table I", BibTeX: simmr.BibTeX,
	Claim:    "Five runs of one application diverge by at most 0.2 (map), 4.4 (shuffle) and 0.73 (reduce); runs of different applications by 7 to 13.5",
	Relation: "KL(same application) < 1/5 of KL(different applications) for map and reduce, on average; shuffles diverge more than maps",
	Sim:      sim,
	Real:     real,
}

const repeats = 5

// sim executes each application five times on the testbed, alone, with other luck each time.
func sim(ctx context.Context, r *lab.Run) error {
	const bins = 10
	apps := generate.TestbedApplications()
	var runs []run
	for i := 0; i < len(apps); i += 3 { // the first of three data sets
		for n := range repeats {
			j := apps[i].Job(512, 2*generate.TestbedSlots, generate.TestbedSlots, generate.Stream(r.Seed, "sim2 "+apps[i].Name, n))
			t, err := simmr.Workers.Execute(ctx, simmr.Policy{Name: "fifo"}, r.Seed+uint64(n), (&trace.Trace{Jobs: []*trace.Job{j}}).Source())
			if err != nil {
				return err
			}
			r.Executions++
			runs = append(runs, run{apps[i].Name, profile.Of(t.Jobs...)})
		}
	}
	r.Knob("durations", "assumed: the paper's traces were never published (simulator/trace/generate); the five runs of an application are drawn from one distribution, so the real run is the test of the claim")
	r.Knob("tasks", fmt.Sprintf("512 maps, %d reduces in two waves", 2*generate.TestbedSlots))
	check(r, report(r, "table1", runs, profile.Divergence{Bins: bins}), [3]bool{true, true, true})
	return nil
}

// run is one execution of an application.
type run struct {
	app    string
	phases *profile.Phases
}

// phase gives the durations of maps (0), shuffles (1) and reduces (2). First and typical shuffles are one, as in the table.
func (x run) phase(k int) []float64 {
	switch k {
	case 0:
		return x.phases.Map
	case 1:
		return slices.Concat(x.phases.First, x.phases.Typical)
	}
	return x.phases.Reduce
}

var phaseNames = [3]string{"map", "shuffle", "reduce"}

// compare gives the divergences of all pairs of runs, of the same application by its name, and of different ones.
func compare(runs []run, d profile.Divergence, k int) (same map[string][]float64, different []float64) {
	same = map[string][]float64{}
	for i, a := range runs {
		for _, b := range runs[i+1:] {
			x := d.Between(a.phase(k), b.phase(k))
			if a.app == b.app {
				same[a.app] = append(same[a.app], x)
			} else {
				different = append(different, x)
			}
		}
	}
	return same, different
}

// averages of the divergences by phase.
type averages struct{ same, different [3]float64 }

// report adds the table and gives the averages.
func report(r *lab.Run, name string, runs []run, d profile.Divergence) (a averages) {
	r.Knob("bins of "+name, d.Bins)
	r.Knob("probability of an empty bin", "1e-6")
	var apps []string
	for _, x := range runs {
		if !slices.Contains(apps, x.app) {
			apps = append(apps, x.app)
		}
	}
	head := []string{"application"}
	rows := make([][]string, len(apps)+1)
	for i, app := range apps {
		rows[i] = []string{app}
	}
	rows[len(apps)] = []string{"different ones"}
	for k, phase := range phaseNames {
		same, different := compare(runs, d, k)
		head = append(head, phase+" min", "avg", "max")
		for i, app := range apps {
			rows[i] = append(rows[i], summary(same[app])...)
			a.same[k] += stat.Mean(same[app], nil) / float64(len(apps))
		}
		rows[len(apps)] = append(rows[len(apps)], summary(different)...)
		a.different[k] = stat.Mean(different, nil)
	}
	r.AddTable(name, head, rows)
	return a
}

// alike tells whether runs of one application are alike in a phase, and those of different ones are not.
func (a averages) alike(k int) bool { return a.same[k] < a.different[k]/5 }

// noisy tells whether the shuffles of one application diverge more than its maps.
func (a averages) noisy() bool { return a.same[1] > a.same[0] }

// check checks the relations that are wanted: of maps, of shuffles against maps, of reduces.
func check(r *lab.Run, a averages, want [3]bool) {
	for _, k := range []int{0, 2} {
		if want[k] {
			r.Check(phaseNames[k]+": KL(same application) < 1/5 of KL(different applications)", a.alike(k), "%.3f against %.3f on average", a.same[k], a.different[k])
		}
	}
	if want[1] {
		r.Check("shuffles of one application diverge more than maps", a.noisy(), "%.3f against %.3f on average", a.same[1], a.same[0])
	}
}

func summary(x []float64) []string {
	if len(x) == 0 || math.IsNaN(x[0]) {
		return []string{"", "", ""}
	}
	return []string{fmt.Sprintf("%.2f", slices.Min(x)), fmt.Sprintf("%.2f", stat.Mean(x, nil)), fmt.Sprintf("%.2f", slices.Max(x))}
}
