package simmr

import "github.com/howdah/howdah/experiments/lab"

// Experiments lists the figures and tables of the paper.
var Experiments = []*lab.Experiment{sim1, sim2, sim3, sim4, sim5, sim6, sim7, why}
