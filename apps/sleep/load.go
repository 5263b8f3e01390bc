package sleep

import (
	"context"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

// load occupies a task until the given time or until the task is killed.
type load func(ctx context.Context, until time.Time) error

func loadOf(c *conf.Config) (load, error) {
	name, err := conf.SleepLoad.Get(c)
	return map[string]load{"sleep": rests, "cpu": computes, "io": stores}[name], err
}

func rests(ctx context.Context, until time.Time) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(until)):
		return nil
	}
}

// sink prevents the compiler from removing the computation.
var sink atomic.Uint64

// computes keeps one core busy.
func computes(ctx context.Context, until time.Time) error {
	x := uint64(until.UnixNano())
	for ctx.Err() == nil && time.Now().Before(until) {
		for range 100_000 {
			x = x*6364136223846793005 + 1442695040888963407
		}
	}
	sink.Store(x)
	return ctx.Err()
}

// portion is the number of bytes to write before reading them back.
const portion = 16 << 20

// stores repeatedly writes and reads a file in the working directory.
func stores(ctx context.Context, until time.Time) (err error) {
	f, err := os.CreateTemp(".", "load-")
	if err != nil {
		return failure.New(failure.IO, "make load", "", err)
	}
	defer func() {
		f.Close()
		if e := os.Remove(f.Name()); err == nil {
			err = e
		}
	}()
	block := make([]byte, 256<<10)
	for ctx.Err() == nil && time.Now().Before(until) {
		for at := int64(0); at < portion && time.Now().Before(until); at += int64(len(block)) {
			if _, err := f.WriteAt(block, at); err != nil {
				return failure.New(failure.IO, "make load", f.Name(), err)
			}
		}
		if err := f.Sync(); err != nil {
			return failure.New(failure.IO, "make load", f.Name(), err)
		}
		for at := int64(0); at < portion && time.Now().Before(until); at += int64(len(block)) {
			if _, err := f.ReadAt(block, at); err != nil && err != io.EOF {
				return failure.New(failure.IO, "make load", f.Name(), err)
			}
		}
	}
	return ctx.Err()
}
