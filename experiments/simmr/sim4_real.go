package simmr

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/experiments/lab"
)

func sim4Real(ctx context.Context, r *lab.Run) error {
	f, err := newForecaster(ctx, r)
	if err != nil {
		return err
	}
	for i, p := range sim4Policies {
		var all Accuracy
		for _, n := range predicted {
			a, err := f.measure(ctx, p, n)
			if err != nil {
				return err
			}
			a.Report(r, fmt.Sprint(name(i), "-real-", n), Beats, TaskLevel, Mumak)
			all.Add(a)
		}
		Compare(r, p.Name+"-", &all, Beats)
	}
	return nil
}
