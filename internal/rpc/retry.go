package rpc

import (
	"context"
	"time"

	"github.com/howdah/howdah/job/failure"
)

// Backoff bounds a retried operation. The wait doubles from First to Max.
type Backoff struct {
	First    time.Duration   // 0 = 50 ms
	Max      time.Duration   // 0 = 2 s
	Attempts int             // calls in all; 0 = as many as the context and Until allow
	Until    <-chan struct{} // when it is closed no further call is made; nil = never
}

// Retry calls f until it succeeds, fails for a reason that waiting does not cure, or the bounds are reached; it gives f's last
// error. Only kind Unreachable is worth another call; a Timeout is not, because nobody knows what the call did.
func Retry(ctx context.Context, b Backoff, f func(context.Context) error) error {
	if b.First == 0 {
		b.First = 50 * time.Millisecond
	}
	if b.Max == 0 {
		b.Max = 2 * time.Second
	}
	wait := b.First
	for n := 1; ; n++ {
		err := f(ctx)
		if err == nil || !failure.Is(err, failure.Unreachable) || n == b.Attempts {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-b.Until:
			return err
		case <-time.After(wait):
		}
		wait = min(2*wait, b.Max)
	}
}
