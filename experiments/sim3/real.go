package sim3

import (
	"context"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/simmr"
)

func real(ctx context.Context, r *lab.Run) error {
	a, err := simmr.RealRun(ctx, r, fifo)
	if err != nil {
		return err
	}
	a.Report(r, "figure5a-real", simmr.Beats, simmr.TaskLevel, simmr.Mumak)
	Check(r, a, simmr.Beats, 0.05, 0.10)
	return nil
}
