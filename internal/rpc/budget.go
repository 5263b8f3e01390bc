package rpc

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/job/failure"
)

// budget bounds the memory of a server's requests. Before the server reads a request, it reserves
// as much memory as the largest request can occupy. It then releases what the actual request does
// not need, and keeps the rest until the call ends. A request waits until enough memory is free. If
// it waits too long, or too many others wait, the client receives an error of kind Limit.
type budget struct {
	requests *semaphore.Weighted
	reserve  int64 // bytes reserved while a request is read
	largest  int64 // maximum size of a decoded request; see incoming.cost
	share    int64 // bytes that one connection can reserve to read requests
	waiting  atomic.Int32
}

const (
	// A message of n bytes occupies up to n bytes as it arrives, n bytes in one piece, and more when
	// it is decoded. How much more depends on the message, but decodedFactor × n is plenty.
	readFactor    = 8
	decodedFactor = readFactor - 2

	// shares is the number of slow clients that can use up all memory for reading requests. If
	// fewer clients send slowly at the same time, the other clients need not wait for them.
	shares = 4

	// maxWaiting is the maximum number of requests that wait for memory. Only administrators and nodes
	// may wait if maxOthers or more requests already do. There are more places than TaskTrackers,
	// because the heartbeats of all of them can wait when a busy machine lets the server run again. The
	// windows of users' requests occupy at most maxOthers × 64 KiB = 256 MiB.
	maxWaiting = 12_000
	maxOthers  = 4096
	// reserveTimeout is how long a request waits for memory, and readTimeout is how long a client may
	// take to send it afterward.
	reserveTimeout = 10 * time.Second
	readTimeout    = 5 * time.Second
)

func newBudget(message, memory int64) *budget {
	b := &budget{reserve: readFactor * message, largest: decodedFactor * message}
	memory = max(memory, b.reserve) // one request must fit
	b.requests = semaphore.NewWeighted(memory)
	b.share = max(memory/shares, b.reserve)
	return b
}

// receive reads a call's request. ctx is the stream's context with the caller's principal. The
// result is the number of bytes that remain reserved for the request until the call ends.
func (b *budget) receive(ctx context.Context, stream grpc.ServerStream, message any) (held int64, err error) {
	m, ok := message.(proto.Message)
	if !ok {
		return 0, fmt.Errorf("%T is not a message", message)
	}
	leave, err := b.enter(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { leave(held) }()
	in := &incoming{message: m}
	if err := readWithin(readTimeout, stream, in); err != nil {
		return 0, err
	}
	return in.cost(), in.tooLarge
}

// enter waits for the memory that is needed to read a request. The caller must call leave with the
// number of bytes to keep reserved.
func (b *budget) enter(ctx context.Context) (leave func(keep int64), err error) {
	most := int32(maxOthers)
	if p := auth.From(ctx); p.Admin || p.Node != "" {
		most = maxWaiting
	}
	if b.waiting.Add(1) > most {
		b.waiting.Add(-1)
		return nil, overloaded("too many requests are waiting")
	}
	defer b.waiting.Add(-1)
	reading := connection(ctx).reading(b.share)
	if err := acquire(ctx, reading, b.reserve); err != nil {
		return nil, overloaded("the client sends too many large requests at once")
	}
	if err := acquire(ctx, b.requests, b.reserve); err != nil {
		reading.Release(b.reserve)
		return nil, overloaded("the memory for requests is in use")
	}
	return func(keep int64) {
		reading.Release(b.reserve)
		b.requests.Release(b.reserve - keep)
	}, nil
}

// acquire reserves n bytes. If necessary, it waits for them, but at most reserveTimeout.
func acquire(ctx context.Context, w *semaphore.Weighted, n int64) error {
	if w.TryAcquire(n) { // the usual case needs no timer
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, reserveTimeout)
	defer cancel()
	return w.Acquire(ctx, n)
}

func overloaded(why string) error {
	return failure.New(failure.Limit, "read request", "", errors.New(why)).
		Fix("retry later, or raise " + conf.IPCMemory.Name + " of the server")
}
