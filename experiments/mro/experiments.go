package mro

import "github.com/howdah/howdah/experiments/lab"

// Experiments lists the figures and tables of the paper.
var Experiments = []*lab.Experiment{mro1, mro1b, mro2, mro3, mro4, mro5, mro6, why}
