package loadgen

import (
	"context"
	"os"
	"sync/atomic"
	"time"

	"github.com/howdah/howdah/job/failure"
)

// worker does the steps of one task and owns the task's memory and file.
type worker struct {
	held [][]byte
	live [][]*record
	file *os.File // unlinked; nil if nothing has been written
	size int64
	at   int64 // offset of the next read
	owed int64 // bytes that read has deferred because the file had no data yet
	buf  []byte
}

const (
	chunk = 1 << 20   // unit of allocation and release; amounts are rounded up
	block = 256 << 10 // bytes of one write or read
)

// unit is the number of rounds of the computation that count as a second of work. A 3 GHz core
// needs about a second for them. unit is a constant so that a task does the same work on any
// machine.
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

// hold allocates or releases memory until the task holds the given number of bytes. It touches each
// new page.
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

// record is a small object. A chunk of live memory consists of recordsOfChunk records.
type record struct {
	next *record
	_    [120]byte
}

const (
	recordSize     = 128
	recordsOfChunk = chunk / (recordSize + 8) // 8 bytes for the pointer to the record
)

func newChunk() []*record {
	c := make([]*record, recordsOfChunk)
	for i := range c {
		c[i] = &record{next: c[i/2]}
	}
	return c
}

// keep allocates or releases live memory until the task holds the given number of bytes.
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

// dropped prevents the compiler from removing unused objects.
var dropped atomic.Pointer[record]

// litter allocates small objects and drops them. For each chunk of bytes, it allocates at most
// recordsOfChunk objects, which use about 94% of the chunk's bytes.
func litter(ctx context.Context, bytes int64) error {
	for bytes > 0 && ctx.Err() == nil {
		for range min(recordsOfChunk, ceil(bytes, recordSize)) {
			dropped.Store(new(record))
		}
		bytes -= chunk
	}
	return ctx.Err()
}

// sink prevents the compiler from removing the computation.
var sink atomic.Uint64

// compute keeps one core busy with the given amount of work.
func compute(ctx context.Context, work time.Duration) error {
	const between = 1_000_000 // rounds between two checks for cancellation
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

// write appends n bytes to the task's file. The first write creates the file and unlinks it
// immediately, so that no file remains.
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

// read reads n bytes of the file. At the end of the file, it starts over. It defers reads while the
// file is empty. The file can be empty at first, because a step may write nothing if few bytes are
// spread over many steps.
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

// close releases the worker's memory and its file.
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
