package sim4

import (
	"context"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/experiments/simmr"
)

func real(ctx context.Context, r *lab.Run) error {
	for i, p := range policies {
		a, err := simmr.RealRun(ctx, r, p)
		if err != nil {
			return err
		}
		a.Report(r, name(i)+"-real", simmr.Beats, simmr.TaskLevel, simmr.Mumak)
		check(r, p, a, simmr.Beats, 0.05, 0.10)
	}
	return nil
}
