package rpc

import (
	"fmt"

	"google.golang.org/grpc/encoding"
	protocodec "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/pb"
	"github.com/howdah/howdah/job/failure"
)

// incoming is a request that the server reads. The codec fills it in.
type incoming struct {
	message  proto.Message
	size     int64 // encoded, in bytes
	parts    int64 // number of texts and messages inside the message; 0 if not counted
	tooLarge error // error for a message that would exceed the limit when decoded; otherwise nil
}

// uncounted is the message size, in bytes, below which the codec does not count parts.
const uncounted = 16 << 10

// cost returns the approximate memory of the decoded message, in bytes. It includes the parts only
// if they were counted.
func (in *incoming) cost() int64 { return in.size + in.parts*pb.PartSize }

// codec is gRPC's codec for protobuf with a limit on the memory of decoded requests.
type codec struct{ largest int64 }

func (codec) Name() string { return protocodec.Name }

func (codec) Marshal(v any) (mem.BufferSlice, error) {
	if out, ok := v.(*outgoing); ok {
		return out.marshal()
	}
	return encoding.GetCodecV2(protocodec.Name).Marshal(v)
}

func (c codec) Unmarshal(data mem.BufferSlice, v any) error {
	in, ok := v.(*incoming)
	if !ok {
		return encoding.GetCodecV2(protocodec.Name).Unmarshal(data, v)
	}
	buf := data.MaterializeToBuffer(mem.DefaultBufferPool())
	defer buf.Free()
	b := buf.ReadOnlyData()
	in.size = int64(len(b))
	if len(b) > uncounted {
		in.parts = int64(pb.Parts(b, in.message.ProtoReflect().Descriptor(), int(c.largest/pb.PartSize)))
	}
	if in.cost() > c.largest {
		in.tooLarge = failure.New(failure.Limit, "read request", "",
			fmt.Errorf("%d bytes with %d parts or more exceed the limit of %d bytes in memory", in.size, in.parts, c.largest)).
			Fix("send less at once, or raise " + conf.IPCMaximumDataLength.Name + " on both sides")
		return nil
	}
	return proto.Unmarshal(b, in.message)
}

// Limits returns the maximum size of a request in bytes, and the maximum number of its parts. If
// maxMessage is 0, the default maximum applies.
func Limits(maxMessage int) (size, parts int) {
	size = Options{MaxMessage: maxMessage}.withDefaults().MaxMessage
	return size, decodedFactor * size / pb.PartSize
}

// TooLarge reports whether a server rejects request because it is larger than maxMessage bytes or
// needs too much memory. If maxMessage is 0, the default maximum applies.
func TooLarge(request proto.Message, maxMessage int) bool {
	maxMessage, _ = Limits(maxMessage)
	b, err := proto.Marshal(request)
	if err != nil || len(b) > maxMessage {
		return true
	}
	in := incoming{size: int64(len(b))}
	largest := int64(decodedFactor * maxMessage)
	in.parts = int64(pb.Parts(b, request.ProtoReflect().Descriptor(), int(largest/pb.PartSize)))
	return in.cost() > largest
}
