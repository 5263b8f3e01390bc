package simmr

import (
	"context"

	"github.com/howdah/howdah/experiments/lab"
)

func sim3Real(ctx context.Context, r *lab.Run) error {
	a, err := RealRun(ctx, r, fifo)
	if err != nil {
		return err
	}
	a.Report(r, "figure5a-real", Beats, TaskLevel, Mumak)
	Compare(r, "", a, Beats)
	compareMumak(r, a)
	return nil
}
