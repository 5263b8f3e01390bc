package rpc

import (
	"context"
	"time"

	"github.com/howdah/howdah/job/failure"
)

// Backoff configures the retries of an operation. The pause between retries doubles from First to
// Max.
type Backoff struct {
	First    time.Duration   // 0 means 50 ms
	Max      time.Duration   // 0 means 2 s
	Attempts int             // maximum number of calls; 0 means that only the context and Until limit the calls
	Until    <-chan struct{} // closing it prevents more calls; nil means no such limit
}

// Retry calls f until f succeeds, f fails permanently, or a limit is reached. It returns f's last
// error. It retries only after errors of kind Unreachable. It does not retry after a Timeout,
// because the call might have taken effect.
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
