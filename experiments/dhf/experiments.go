package dhf

import "github.com/howdah/howdah/experiments/lab"

// Experiments lists the figures and tables of the paper.
var Experiments = []*lab.Experiment{dhf0, dhf1, dhf2, dhf3, dhf4, dhf5, why}
