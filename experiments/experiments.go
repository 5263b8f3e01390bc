// Package experiments lists the figures and tables of the papers that can be reproduced. Each has a folder of its own.
package experiments

import (
	"strings"

	"github.com/howdah/howdah/experiments/lab"
)

// All lists the experiments, paper by paper.
func All() []*lab.Experiment {
	return []*lab.Experiment{}
}

// Find gives the experiment of an ID; upper and lower case are the same.
func Find(id string) *lab.Experiment {
	for _, e := range All() {
		if strings.EqualFold(e.ID, id) {
			return e
		}
	}
	return nil
}
