package scenario

import (
	"cmp"
	"slices"

	"github.com/howdah/howdah/mrcluster/weight"
	"github.com/howdah/howdah/orchestrator"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/generate"
)

// Parts are a program's own parts, which its scenarios can name like the built-in ones. The zero
// Parts adds nothing.
type Parts struct {
	Schedulers []catalog.Entry
	Weights    []weight.Entry
	Workloads  []Workload
	// Estimators are estimators of MROrchestrator. A scenario names them as values of orchestrator.
	Estimators []orchestrator.Entry
	// JobTracker is a program whose jobtracker command knows Schedulers (package
	// jobtracker/jobtrackermain), TaskTracker one whose tasktracker command knows Estimators (package
	// tasktracker/tasktrackermain), and Manager one whose mrcluster manager command knows Weights (package
	// mrcluster/managermain). Real runs start them. "" means howdah, or with package labmain the program
	// itself.
	JobTracker, TaskTracker, Manager string
}

// Workload is a named generator of jobs.
type Workload struct {
	Name string
	// New returns a source of the given number of jobs. The jobs depend only on the arguments. gaps
	// is nil if the scenario does not set the gaps between jobs.
	New func(jobs int, gaps generate.Arrivals, seed uint64) trace.Source
}

// With returns p with the program self for the daemons that p has parts for but names no program.
func (p Parts) With(self string) Parts {
	if len(p.Schedulers) > 0 {
		p.JobTracker = cmp.Or(p.JobTracker, self)
	}
	if len(p.Estimators) > 0 {
		p.TaskTracker = cmp.Or(p.TaskTracker, self)
	}
	if len(p.Weights) > 0 {
		p.Manager = cmp.Or(p.Manager, self)
	}
	return p
}

// Table returns the table of all schedulers, the built-in ones and p's own. It returns an error of kind
// Config if a name is taken.
func (p *Parts) Table() (catalog.Table, error) {
	t := catalog.Builtin()
	for _, e := range p.Schedulers {
		var err error
		if t, err = t.With(e); err != nil {
			return nil, err
		}
	}
	return t, nil
}

func (p *Parts) weightNames() []string {
	names := weight.Names()
	for _, w := range p.Weights {
		names = append(names, w.Name)
	}
	return names
}

// orchestrators returns the values of the key orchestrator.
func (p *Parts) orchestrators() []string {
	names := []string{"off", "on"}
	for _, e := range p.Estimators {
		names = append(names, e.Name)
	}
	return names
}

// estimator returns the named estimator, or nil if it is not p's own.
func (p *Parts) estimator(name string) orchestrator.Estimator {
	for _, e := range p.Estimators {
		if e.Name == name {
			return e.Estimate
		}
	}
	return nil
}

// workloads returns all generators.
func (p *Parts) workloads() []Workload {
	return append([]Workload{
		{"testbed", func(jobs int, gaps generate.Arrivals, seed uint64) trace.Source {
			return generate.TestbedLike(jobs, gaps, seed)
		}},
		{"facebook", func(jobs int, gaps generate.Arrivals, seed uint64) trace.Source {
			f := generate.Facebook{Jobs: jobs, Arrivals: gaps, Seed: seed}
			return f.Source()
		}},
	}, p.Workloads...)
}

func (p *Parts) workloadNames() (names []string) {
	for _, w := range p.workloads() {
		names = append(names, w.Name)
	}
	return names
}

// ownScheduler returns one of the named schedulers that is p's own, or "".
func (p *Parts) ownScheduler(names []string) string {
	return own(names, p.Schedulers, func(e catalog.Entry) string { return e.Name })
}

// ownEstimator returns one of the named estimators that is p's own, or "".
func (p *Parts) ownEstimator(names []string) string {
	return own(names, p.Estimators, func(e orchestrator.Entry) string { return e.Name })
}

// ownWeights returns one of the named weighting policies that is p's own, or "".
func (p *Parts) ownWeights(names []string) string {
	return own(names, p.Weights, func(e weight.Entry) string { return e.Name })
}

func own[E any](names []string, parts []E, name func(E) string) string {
	for _, e := range parts {
		if slices.Contains(names, name(e)) {
			return name(e)
		}
	}
	return ""
}
