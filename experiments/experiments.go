// Package experiments lists the reproducible figures and tables of the papers. Each paper has a
// package, and each experiment has a file. Start with All or Find.
package experiments

import (
	"slices"
	"strings"

	"github.com/howdah/howdah/experiments/dhf"
	"github.com/howdah/howdah/experiments/faw"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/mro"
	"github.com/howdah/howdah/experiments/ra"
	"github.com/howdah/howdah/experiments/simmr"
)

// All returns the experiments, grouped by paper.
func All() []*lab.Experiment {
	return slices.Concat(simmr.Experiments, ra.Experiments, dhf.Experiments, faw.Experiments, mro.Experiments)
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
