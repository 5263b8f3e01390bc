package ra

import "github.com/howdah/howdah/experiments/lab"

// Experiments lists the figures and tables of the paper.
var Experiments = []*lab.Experiment{ra1, ra2, ra3, ra4, raWarning}
