package daemon

import (
	"context"

	wire "github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/internal/wire/umbilical"
	"github.com/howdah/howdah/job"
)

// skips asks the JobTracker which records an attempt should skip. It returns nil if the attempt is
// not in skipping mode. It blocks while the JobTracker is down.
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
