package simmr

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
)

// predicted lists the numbers of TaskTrackers of predicted clusters. Profiles come from Mini.
var predicted = []int{6, 12}

func sim3Real(ctx context.Context, r *lab.Run) error {
	f, err := newForecaster(ctx, r)
	if err != nil {
		return err
	}
	var all Accuracy
	for _, n := range predicted {
		a, err := f.measure(ctx, fifo, n)
		if err != nil {
			return err
		}
		a.Report(r, fmt.Sprint("figure5a-real-", n), Beats, TaskLevel, Mumak)
		all.Add(a)
	}
	Compare(r, "", &all, Beats)
	compareMumak(r, &all)
	return nil
}
