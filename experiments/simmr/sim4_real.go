package simmr

import (
	"context"

	"github.com/howdah/howdah/experiments/lab"
)

// sim4Real forecasts with SimMR's model, with a shuffle whose bandwidth all reduces share, and with
// Mumak's model.
func sim4Real(ctx context.Context, r *lab.Run) error {
	f, err := newForecaster(ctx, r)
	if err != nil {
		return err
	}
	for i, p := range sim4Policies {
		all, err := f.compare(ctx, p, name(i))
		if err != nil {
			return err
		}
		Compare(r, p.Name+"-", all, Shared)
		r.Compare(p.Name+"-tasks-average", r.Value(100*all.Mean(TaskLevel)), "%v, %d jobs", TaskLevel, len(all.Jobs))
		compareTasks(r, p.Name+"-", all)
	}
	return nil
}

// compareTasks compares the errors of SimMR's model with those of a shuffle with shared bandwidth.
// The ID of the relation starts with prefix.
func compareTasks(r *lab.Run, prefix string, a *Accuracy) {
	r.Compare(prefix+"tasks-times", r.Value(a.Mean(TaskLevel)/a.Mean(Shared)), "%.2f%% against %.2f%%",
		100*a.Mean(TaskLevel), 100*a.Mean(Shared))
}
