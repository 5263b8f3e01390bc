package daemon

import (
	"context"

	wire "github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/internal/wire/umbilical"
	"github.com/howdah/howdah/job"
)

// skips asks the JobTracker for the records that an attempt skips. It returns nil if the attempt is
// not in skipping mode. If the JobTracker is down, skips waits.
func (d *Daemon) skips(ctx context.Context, a job.Attempt) (*umbilical.Skips, error) {
	var plan *wire.Skips
	err := d.jt.insist(ctx, func(ctx context.Context, c wire.TrackersClient) (err error) {
		plan, err = c.GetSkips(ctx, &wire.GetSkipsRequest{Attempt: toAttempt(a)})
		return err
	})
	if err != nil || !plan.GetOn() {
		return nil, err
	}
	out := &umbilical.Skips{Test: plan.GetTest()}
	for _, r := range plan.GetRange() {
		out.Range = append(out.Range, &umbilical.Range{Start: r.GetStart(), Length: r.GetLength()})
	}
	return out, nil
}
