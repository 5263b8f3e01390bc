package sleep

import (
	"context"
	"errors"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce/naps"
)

// load is what a task does until a time comes; it stops when the task is killed.
type load func(ctx context.Context, until time.Time) error

// loadOf reads what tasks do.
func loadOf(c *conf.Config) (load, error) {
	switch c.Get(naps.KeyLoad) {
	case "", "sleep":
		return rests, nil
	case "cpu":
		return computes, nil
	case "io":
		return stores, nil
	default:
		return nil, c.Refuse(naps.KeyLoad, errors.New("want sleep, cpu or io"))
	}
}

func rests(ctx context.Context, until time.Time) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(until)):
		return nil
	}
}

// sink keeps the compiler from leaving the computation out.
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

// portion is how much is written before it is read again.
const portion = 16 << 20

// stores writes a file in the working directory and reads it, again and again.
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
