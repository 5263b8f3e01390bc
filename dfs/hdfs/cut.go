package hdfs

import (
	"context"
	"fmt"
	"path"
	"time"

	"github.com/howdah/howdah/internal/pb"
)

// Truncate implements dfs.Truncater.
func (f *FS) Truncate(ctx context.Context, name string, size int64) error {
	done, err := f.BeginTruncate(ctx, name, size)
	if err == nil && !done {
		err = f.AwaitClosed(ctx, name)
	}
	return err
}

// BeginTruncate implements dfs.LazyTruncater. If the new end is inside a block, done is false, and
// the DataNodes truncate that block later.
func (f *FS) BeginTruncate(ctx context.Context, name string, size int64) (done bool, err error) {
	const op = "truncate"
	if err := begin(ctx, op, name); err != nil {
		return false, err
	}
	done, err = f.nn.Truncate(ctx, path.Clean(name), size)
	return done, wrap(op, name, err)
}

// recoveryLimit is the maximum time to wait for the recovery of a block. DataNodes start a recovery
// with their next heartbeat.
const recoveryLimit = 2 * time.Minute

// AwaitClosed implements dfs.LazyTruncater. It waits for at most recoveryLimit.
func (f *FS) AwaitClosed(ctx context.Context, name string) error {
	const op = "wait for the recovery of"
	limited, cancel := context.WithTimeout(ctx, recoveryLimit)
	defer cancel()
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		closed, err := f.nn.Closed(limited, path.Clean(name))
		if closed || err != nil {
			return wrap(op, name, err)
		}
		select {
		case <-limited.Done():
			return wrap(op, name, fmt.Errorf("the DataNodes are still truncating its last block: %w", limited.Err()))
		case <-time.After(wait):
		}
	}
}

// Concat implements dfs.Concatenator.
func (f *FS) Concat(ctx context.Context, target string, sources []string) error {
	m := pb.Message(nil).String(1, path.Clean(target))
	for _, s := range sources {
		m = m.String(2, path.Clean(s))
	}
	_, err := f.call(ctx, "concatenate to", target, "concat", m)
	return err
}
