package lifecycle

import (
	"context"
	"time"
)

// Sleep waits for d or until ctx ends. It returns the error of ctx, or nil if d has passed. If d is
// 0 or less, Sleep does not wait.
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
