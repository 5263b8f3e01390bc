package scenario

import (
	"slices"

	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/weight"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/generate"
)

// Parts are a program's own parts, which its scenarios can name like the built-in ones. The zero
// Parts adds nothing.
type Parts struct {
	Schedulers []catalog.Entry
	Weights    []Weighting
	Workloads  []Workload
	// Program is a program whose jobtracker command knows Schedulers (package
	// jobtracker/jobtrackermain); real runs start it as the JobTracker. "" means howdah.
	Program string
}

// Weighting is a named policy that weighs MR-clusters. It runs in the simulator only.
type Weighting struct {
	Name string
	New  func() (mrcluster.Weighting, error)
}

// Workload is a named generator of jobs.
type Workload struct {
	Name string
	// New returns a source of the given number of jobs. The jobs depend only on the arguments. gaps
	// is nil if the scenario does not set the gaps between jobs.
	New func(jobs int, gaps generate.Arrivals, seed uint64) trace.Source
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

func (p *Parts) weighting(name string) (mrcluster.Weighting, error) {
	for _, w := range p.Weights {
		if w.Name == name {
			return w.New()
		}
	}
	return weight.New(name, weight.Defaults())
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

// knows reports whether one of the named schedulers is p's own.
func (p *Parts) knows(names []string) bool {
	for _, e := range p.Schedulers {
		if slices.Contains(names, e.Name) {
			return true
		}
	}
	return false
}
