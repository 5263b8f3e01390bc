package lab

import (
	"context"
	"sync"
	"sync/atomic"
)

// Parallel calls f for 0 to n-1, with at most max(1, workers) calls at a time. An error from f
// cancels the context of all calls and prevents further calls. Parallel returns the first error
// from f or ctx.
func Parallel(ctx context.Context, workers, n int, f func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(max(1, workers), n) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if err := f(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}
