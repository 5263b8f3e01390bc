package lifecycle

import (
	"context"
	"time"
)

// Sleep waits until d has passed or ctx is done. It returns nil if d has passed, and the error of
// ctx otherwise. If d is 0 or less, Sleep does not wait.
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
