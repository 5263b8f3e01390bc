// Package experiments lists the figures and tables of the papers that can be reproduced. Each has a folder of its own.
package experiments

import (
	"strings"

	"github.com/howdah/howdah/experiments/dhf1"
	"github.com/howdah/howdah/experiments/dhf2"
	"github.com/howdah/howdah/experiments/dhf3"
	"github.com/howdah/howdah/experiments/dhf4"
	"github.com/howdah/howdah/experiments/dhf5"
	"github.com/howdah/howdah/experiments/faw1"
	"github.com/howdah/howdah/experiments/faw2"
	"github.com/howdah/howdah/experiments/faw3"
	"github.com/howdah/howdah/experiments/faw4"
	"github.com/howdah/howdah/experiments/faw5"
	"github.com/howdah/howdah/experiments/faw6"
	"github.com/howdah/howdah/experiments/faw7"
	"github.com/howdah/howdah/experiments/faw8"
	"github.com/howdah/howdah/experiments/faw9"
	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/mro1"
	"github.com/howdah/howdah/experiments/mro1b"
	"github.com/howdah/howdah/experiments/mro2"
	"github.com/howdah/howdah/experiments/mro3"
	"github.com/howdah/howdah/experiments/mro4"
	"github.com/howdah/howdah/experiments/mro5"
	"github.com/howdah/howdah/experiments/mro6"
	"github.com/howdah/howdah/experiments/ra1"
	"github.com/howdah/howdah/experiments/ra2"
	"github.com/howdah/howdah/experiments/ra3"
	"github.com/howdah/howdah/experiments/ra4"
	"github.com/howdah/howdah/experiments/rawarning"
	"github.com/howdah/howdah/experiments/sim1"
	"github.com/howdah/howdah/experiments/sim2"
	"github.com/howdah/howdah/experiments/sim3"
	"github.com/howdah/howdah/experiments/sim4"
	"github.com/howdah/howdah/experiments/sim5"
	"github.com/howdah/howdah/experiments/sim6"
	"github.com/howdah/howdah/experiments/sim7"
)

// All lists the experiments, paper by paper.
func All() []*lab.Experiment {
	return []*lab.Experiment{
		sim1.Experiment, sim2.Experiment, sim3.Experiment, sim4.Experiment, sim5.Experiment, sim6.Experiment, sim7.Experiment,
		ra1.Experiment, ra2.Experiment, ra3.Experiment, ra4.Experiment, rawarning.Experiment,
		dhf1.Experiment, dhf2.Experiment, dhf3.Experiment, dhf4.Experiment, dhf5.Experiment,
		faw1.Experiment, faw2.Experiment, faw3.Experiment, faw4.Experiment, faw5.Experiment, faw6.Experiment, faw7.Experiment, faw8.Experiment, faw9.Experiment,
		mro1.Experiment, mro1b.Experiment, mro2.Experiment, mro3.Experiment, mro4.Experiment, mro5.Experiment, mro6.Experiment,
	}
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
