package simmr

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/generate"
	"github.com/howdah/howdah/simulator/trace/profile"
)

// sim2 reproduces table I of SimMR. It compares the phases of several runs of the same application,
// and of different applications, by their Kullback-Leibler divergence.
var sim2 = &lab.Experiment{
	ID: "SIM-2", Paper: Paper, BibTeX: BibTeX, Sim: sim2Sim, Real: sim2Real,
}

const repeats = 5

func sim2Sim(ctx context.Context, r *lab.Run) error {
	runs, err := sim2Execute(ctx, r, func(*trace.Job, *rand.Rand) {})
	if err != nil {
		return err
	}
	r.Knob("durations", "assumed (simulator/trace/generate), because the paper's traces were never published; the "+
		"five runs of an application are drawn from one distribution, so only the real run tests the claim")
	r.Knob("tasks", fmt.Sprintf("512 maps, and %d reduces in two waves", 2*generate.TestbedSlots))
	sim2Compare(r, sim2Report(r, "table1", runs, sim2Divergence.Between, sim2Divergence.Bins))
	return nil
}

var sim2Divergence = profile.Divergence{Bins: 10}

// sim2Execute executes each application five times alone on the testbed, with different random numbers
// each time. vary changes the durations of a job before its execution.
func sim2Execute(ctx context.Context, r *lab.Run, vary func(*trace.Job, *rand.Rand)) (runs []sim2Run, err error) {
	apps := generate.TestbedApplications()
	for i := 0; i < len(apps); i += 3 { // the first of three data sets
		for n := range repeats {
			random := generate.Stream(r.Seed, "sim2 "+apps[i].Name, n)
			j := apps[i].Job(512, 2*generate.TestbedSlots, generate.TestbedSlots, random)
			vary(j, random)
			t, err := Workers.Execute(ctx, lab.Policy{Name: "fifo"}, r.Seed+uint64(n),
				(&trace.Trace{Jobs: []*trace.Job{j}}).Source())
			if err != nil {
				return nil, err
			}
			r.Executions++
			runs = append(runs, sim2Run{apps[i].Name, profile.Of(t.Jobs...)})
		}
	}
	return runs, nil
}

// sim2Run is one execution of an application.
type sim2Run struct {
	app    string
	phases *profile.Phases
}

// phase returns the durations of maps (0), shuffles (1), or reduces (2), in ms. Like Table I, it
// combines first and typical shuffles.
func (x sim2Run) phase(k int) []float64 {
	switch k {
	case 0:
		return x.phases.Map
	case 1:
		return slices.Concat(x.phases.First, x.phases.Typical)
	}
	return x.phases.Reduce
}

var phaseNames = [3]string{"map", "shuffle", "reduce"}

// divergences returns the divergences of phase k for all pairs of runs. same contains those of
// pairs of the same application, by application, and different contains all others.
func divergences(runs []sim2Run, between func(a, b []float64) float64, k int) (same map[string][]float64,
	different []float64) {
	same = map[string][]float64{}
	for i, a := range runs {
		for _, b := range runs[i+1:] {
			x := between(a.phase(k), b.phase(k))
			if a.app == b.app {
				same[a.app] = append(same[a.app], x)
			} else {
				different = append(different, x)
			}
		}
	}
	return same, different
}

// averages holds the mean divergences by phase, as in phaseNames.
type averages struct{ same, different [3]float64 }

// sim2Report adds the table and returns the averages. bins describes the bins of between.
func sim2Report(r *lab.Run, name string, runs []sim2Run, between func(a, b []float64) float64, bins any) (a averages) {
	r.Knob("bins of "+name, bins)
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
	rows[len(apps)] = []string{"different applications"}
	for k, phase := range phaseNames {
		same, different := divergences(runs, between, k)
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

// sim2Compare evaluates the relations.
func sim2Compare(r *lab.Run, a averages) {
	for _, k := range []int{0, 2} {
		r.Compare(phaseNames[k], r.Value(a.same[k]/a.different[k]), "%.3f against %.3f on average", a.same[k],
			a.different[k])
	}
	r.Compare("shuffle-map", r.Value(a.same[1]/a.same[0]), "%.3f against %.3f on average", a.same[1], a.same[0])
}

func summary(x []float64) []string {
	if len(x) == 0 || math.IsNaN(x[0]) {
		return []string{"", "", ""}
	}
	return []string{fmt.Sprintf("%.2f", slices.Min(x)), fmt.Sprintf("%.2f", stat.Mean(x, nil)),
		fmt.Sprintf("%.2f", slices.Max(x))}
}
