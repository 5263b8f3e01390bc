package simmr

import (
	"context"

	"github.com/howdah/howdah/experiments/lab"
)

func sim4Real(ctx context.Context, r *lab.Run) error {
	for i, p := range sim4Policies {
		a, err := RealRun(ctx, r, p)
		if err != nil {
			return err
		}
		a.Report(r, name(i)+"-real", Beats, TaskLevel, Mumak)
		Compare(r, p.Name+"-", a, Beats)
	}
	return nil
}
