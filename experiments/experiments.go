// Package experiments lists the reproducible figures and tables of the papers. Each paper has a
// package, and each experiment has a file. Start with All or Find.
package experiments

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/howdah/howdah/experiments/dhf"
	"github.com/howdah/howdah/experiments/faw"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/mro"
	"github.com/howdah/howdah/experiments/ra"
	"github.com/howdah/howdah/experiments/registered"
	"github.com/howdah/howdah/experiments/simmr"
	"github.com/howdah/howdah/experiments/study"
)

// All returns the experiments, grouped by paper.
func All() []*lab.Experiment {
	return slices.Concat(simmr.Experiments, ra.Experiments, dhf.Experiments, faw.Experiments, mro.Experiments,
		study.Experiments)
}

// Find returns the experiment with the given ID, or nil if there is none. It ignores case.
func Find(id string) *lab.Experiment {
	for _, e := range All() {
		if strings.EqualFold(e.ID, id) {
			return e
		}
	}
	return nil
}

// The starts of the generated pages.
var (
	//go:embed index.md
	index string
	//go:embed artifact.md
	artifact string
)

// Site returns the documentation of all experiments and of their results in the given directory.
func Site(results string) (*lab.Site, error) {
	s := &lab.Site{Experiments: All(), Registrations: map[string]*lab.Registration{}, Index: index, Artifact: artifact,
		Results: results}
	for _, e := range s.Experiments {
		g, err := registered.Of(e.ID)
		if err != nil {
			return nil, err
		}
		s.Registrations[e.ID] = g
	}
	return s, nil
}
