package lifecycle

import (
	"context"
	"time"
)

// Sleep waits for d, not beyond the end of ctx, whose error it gives then. A d of 0 or less is over at once.
func Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
