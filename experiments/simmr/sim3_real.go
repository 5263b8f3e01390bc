package simmr

import (
	"context"

	"github.com/howdah/howdah/experiments/lab"
)

// predicted lists the numbers of TaskTrackers of predicted clusters. Profiles come from Mini.
var predicted = []int{6, 12}

// sim3Real forecasts with the models of sim4Real.
func sim3Real(ctx context.Context, r *lab.Run) error {
	f, err := newForecaster(ctx, r)
	if err != nil {
		return err
	}
	all, err := f.compare(ctx, fifo, "figure5a")
	if err != nil {
		return err
	}
	Compare(r, "", all, Shared)
	compareMumak(r, all)
	compareTasks(r, "", all)
	return nil
}
