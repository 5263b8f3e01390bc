package rpc

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/semaphore"
	"google.golang.org/grpc"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

// replies bounds the memory of a server's large replies. gRPC keeps a reply in memory until the
// client has accepted it, so clients that do not read their replies could use up the memory.
// Therefore, a large reply must wait until enough memory is free, and the server closes the
// connection of a client that takes too long to accept one.
type replies struct {
	sending, waiting *semaphore.Weighted
	largest          int64 // maximum size of a reply, in bytes
}

const (
	// smallReply is the size of a reply, in bytes, up to which it does not count. It equals the
	// window of a call.
	smallReply = 64 << 10
	// acceptTimeout is how long a client may take to accept a large reply.
	acceptTimeout = time.Minute
)

func newReplies(memory, largest int64) *replies {
	memory = max(memory, largest) // one reply must fit
	return &replies{semaphore.NewWeighted(memory), semaphore.NewWeighted(memory), largest}
}

// send sends a call's reply. For a large reply, it returns only after gRPC has freed the reply's
// memory or the call has ended. If the client takes too long to accept the reply, send closes the
// connection.
func (r *replies) send(stream grpc.ServerStream, reply any) error {
	m, ok := reply.(proto.Message)
	if !ok {
		return stream.SendMsg(reply)
	}
	n := int64(proto.Size(m))
	if n <= smallReply || n > r.largest { // gRPC rejects a reply that is too large
		return stream.SendMsg(reply)
	}
	out := &outgoing{m, make(chan struct{})}
	ctx := stream.Context()
	if err := r.reserve(ctx, n); err != nil {
		return ToStatus(err)
	}
	defer r.sending.Release(n)
	if err := stream.SendMsg(out); err != nil {
		return err
	}
	timer := time.NewTimer(acceptTimeout)
	defer timer.Stop()
	select {
	case <-out.freed:
		return nil
	case <-ctx.Done():
	case <-timer.C:
		connection(ctx).close()
		<-ctx.Done()
	}
	return ctx.Err()
}

// reserve waits until memory for a reply of n bytes is free. The error is of kind Limit if this
// takes too long, or if the waiting replies already occupy as much memory as replies may.
func (r *replies) reserve(ctx context.Context, n int64) error {
	if r.sending.TryAcquire(n) {
		return nil
	}
	if r.waiting.TryAcquire(n) {
		defer r.waiting.Release(n)
		if acquire(ctx, r.sending, n) == nil {
			return nil
		}
	}
	return failure.New(failure.Limit, "send reply", "", errors.New("the memory for large replies is in use")).
		Fix("retry later, or raise " + conf.IPCMemory.Name + " of the server")
}

// outgoing is a large reply, which the codec encodes. It is also the buffer pool of the encoded
// reply. gRPC therefore calls its Put method when it no longer needs the buffer.
type outgoing struct {
	message proto.Message
	freed   chan struct{}
}

func (o *outgoing) marshal() (mem.BufferSlice, error) {
	b, err := proto.Marshal(o.message)
	if err != nil {
		return nil, err
	}
	return mem.BufferSlice{mem.NewBuffer(&b, o)}, nil
}

// Get implements mem.BufferPool. gRPC does not call it.
func (o *outgoing) Get(n int) *[]byte {
	b := make([]byte, n)
	return &b
}

// Put implements mem.BufferPool.
func (o *outgoing) Put(*[]byte) { close(o.freed) }
