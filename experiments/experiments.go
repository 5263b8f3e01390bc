// Package experiments lists the reproducible figures and tables of the papers. Each paper has a
// package, and each figure has a file. All returns them, and Find finds an experiment by its ID.
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

// Find returns the experiment with the ID, or nil. The ID is not case-sensitive.
func Find(id string) *lab.Experiment {
	for _, e := range All() {
		if strings.EqualFold(e.ID, id) {
			return e
		}
	}
	return nil
}
