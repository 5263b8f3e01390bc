package loadgen

import (
	"context"
	"os"
	"sync/atomic"
	"time"

	"github.com/howdah/howdah/job/failure"
)

// worker does the steps of one task and holds what the task holds.
type worker struct {
	held [][]byte
	live [][]*record
	file *os.File // without a name; nil = nothing was written yet
	size int64
	at   int64 // where the next byte is read
	owed int64 // bytes that could not be read, since nothing was written yet
	buf  []byte
}

const (
	chunk = 1 << 20   // memory is taken and given back in these, rounded up
	block = 256 << 10 // bytes of one write or read
)

// unit is how many rounds of a computation make a second of work. A core of about 3 GHz does them in that time. It is fixed, so that a task
// has the same work wherever it runs and however fast.
const unit = 750_000_000

func (w *worker) do(ctx context.Context, work Work) error {
	w.hold(work.Memory)
	w.keep(work.Live)
	if err := litter(ctx, work.Trash); err != nil {
		return err
	}
	if err := compute(ctx, work.CPU); err != nil {
		return err
	}
	if err := w.write(ctx, work.Write); err != nil {
		return err
	}
	if err := w.read(ctx, work.Read); err != nil {
		return err
	}
	if work.Wait == 0 {
		return ctx.Err()
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(work.Wait):
		return nil
	}
}

// hold takes memory and touches each page of it, or lets go.
func (w *worker) hold(bytes int64) {
	n := int(ceil(bytes, chunk))
	for len(w.held) > n {
		w.held[len(w.held)-1] = nil
		w.held = w.held[:len(w.held)-1]
	}
	for len(w.held) < n {
		b := make([]byte, chunk)
		for i := 0; i < len(b); i += 4096 {
			b[i] = byte(i>>12) | 1
		}
		w.held = append(w.held, b)
	}
}

// record is a small object, of which a chunk of live memory holds recordsOfChunk.
type record struct {
	next *record
	_    [120]byte
}

const (
	recordSize     = 128
	recordsOfChunk = chunk / (recordSize + 8) // each has a pointer to it
)

func newChunk() []*record {
	c := make([]*record, recordsOfChunk)
	for i := range c {
		c[i] = &record{next: c[i/2]}
	}
	return c
}

// keep takes live memory, or lets go.
func (w *worker) keep(bytes int64) {
	n := int(ceil(bytes, chunk))
	for len(w.live) > n {
		w.live[len(w.live)-1] = nil
		w.live = w.live[:len(w.live)-1]
	}
	for len(w.live) < n {
		w.live = append(w.live, newChunk())
	}
}

// dropped keeps the compiler from leaving out objects that nobody needs.
var dropped atomic.Pointer[record]

// litter makes small objects that nobody needs.
func litter(ctx context.Context, bytes int64) error {
	for bytes > 0 && ctx.Err() == nil {
		for range min(recordsOfChunk, ceil(bytes, recordSize)) {
			dropped.Store(new(record))
		}
		bytes -= chunk
	}
	return ctx.Err()
}

// sink keeps the compiler from leaving the computation out.
var sink atomic.Uint64

// compute keeps one core busy with a fixed amount of work.
func compute(ctx context.Context, work time.Duration) error {
	const between = 1_000_000 // rounds between two looks at whether the task was killed
	x := uint64(work)
	left := int64(work.Seconds() * unit)
	for left > 0 && ctx.Err() == nil {
		n := min(left, between)
		for range n {
			x = x*6364136223846793005 + 1442695040888963407
		}
		left -= n
	}
	sink.Store(x)
	return ctx.Err()
}

// write appends to the task's file. The file loses its name at once: whatever becomes of the task, nothing stays.
func (w *worker) write(ctx context.Context, n int64) error {
	if n == 0 {
		return nil
	}
	if w.file == nil {
		f, err := os.CreateTemp(".", "load-")
		if err != nil {
			return bad("", err)
		}
		os.Remove(f.Name())
		w.file, w.buf = f, make([]byte, block)
	}
	for n > 0 && ctx.Err() == nil {
		k, err := w.file.WriteAt(w.buf[:min(n, block)], w.size)
		if err != nil {
			return bad(w.file.Name(), err)
		}
		w.size += int64(k)
		n -= int64(k)
	}
	return ctx.Err()
}

// read reads the file, from its beginning when it has come to the end. What there is nothing to read from yet is read later: a few bytes that
// are written in many steps are written by the last ones.
func (w *worker) read(ctx context.Context, n int64) error {
	if n += w.owed; w.size == 0 {
		w.owed = n
		return ctx.Err()
	}
	w.owed = 0
	for n > 0 && ctx.Err() == nil {
		if w.at >= w.size {
			w.at = 0
		}
		k, err := w.file.ReadAt(w.buf[:min(n, block, w.size-w.at)], w.at)
		if err != nil {
			return bad(w.file.Name(), err)
		}
		w.at += int64(k)
		n -= int64(k)
	}
	return ctx.Err()
}

// close lets go of everything.
func (w *worker) close() {
	w.held, w.live = nil, nil
	if w.file != nil {
		w.file.Close()
		w.file = nil
	}
}

func bad(name string, err error) error {
	return failure.New(failure.KindOf(err), "make load", name, err)
}
