package rpc

import (
	"fmt"

	"google.golang.org/grpc/encoding"
	protocodec "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

// incoming is a request that the server reads. The codec fills it in.
type incoming struct {
	message  proto.Message
	size     int64 // encoded, in bytes
	parts    int64 // number of texts and messages inside the message
	tooLarge error // the decoded message would exceed the limit
}

// partSize is the memory of one part of a decoded message, in bytes, without its text. A client can
// encode a part in two bytes, so a message can occupy a hundred times its size.
const partSize = 256

// uncounted is the size in bytes below which the codec does not count parts.
const uncounted = 16 << 10

// cost returns the memory that the decoded message occupies, in bytes. It is an upper bound if the
// parts were counted.
func (in *incoming) cost() int64 { return in.size + in.parts*partSize }

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
		in.parts = int64(countParts(b, in.message.ProtoReflect().Descriptor(), int(c.largest/partSize)))
	}
	if in.cost() > c.largest {
		in.tooLarge = failure.New(failure.Limit, "read request", "",
			fmt.Errorf("%d bytes with %d parts or more exceed the limit of %d bytes in memory", in.size, in.parts, c.largest)).
			Fix("send less at once, or raise " + conf.IPCMaximumDataLength.Name + " on both sides")
		return nil
	}
	return proto.Unmarshal(b, in.message)
}

// TooLarge reports whether a server rejects request because it is larger than maxMessage bytes or
// needs too much memory. If maxMessage is 0, the default maximum applies.
func TooLarge(request proto.Message, maxMessage int) bool {
	maxMessage = Options{MaxMessage: maxMessage}.withDefaults().MaxMessage
	b, err := proto.Marshal(request)
	if err != nil || len(b) > maxMessage {
		return true
	}
	in := incoming{size: int64(len(b))}
	largest := int64(decodedFactor * maxMessage)
	in.parts = int64(countParts(b, request.ProtoReflect().Descriptor(), int(largest/partSize)))
	return in.cost() > largest
}

// countParts counts the texts and messages in an encoded message, and stops above limit. Decoding
// detects malformed messages.
func countParts(b []byte, of protoreflect.MessageDescriptor, limit int) (n int) {
	for len(b) > 0 && n <= limit {
		num, typ, k := protowire.ConsumeTag(b)
		if k < 0 {
			return n
		}
		b = b[k:]
		if typ != protowire.BytesType {
			if k = protowire.ConsumeFieldValue(num, typ, b); k < 0 {
				return n
			}
			b = b[k:]
			continue
		}
		part, k := protowire.ConsumeBytes(b)
		if k < 0 {
			return n
		}
		b = b[k:]
		n++
		if field := of.Fields().ByNumber(num); field != nil && field.Kind() == protoreflect.MessageKind {
			n += countParts(part, field.Message(), limit-n)
		}
	}
	return n
}
