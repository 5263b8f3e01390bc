package faw

import "github.com/howdah/howdah/experiments/lab"

// Experiments lists the figures and tables of the paper.
var Experiments = []*lab.Experiment{faw1, faw2, faw3, faw4, faw5, faw6, faw7, faw8, faw9, why}
