package pb

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// PartSize is the memory that one part is assumed to occupy in a decoded message, in bytes, in
// addition to its text. A sender can encode a part in two bytes, so a message can occupy a hundred
// times its encoded size.
const PartSize = 256

// Parts counts the texts and embedded messages in an encoded message. It stops when the count
// exceeds limit. It need not detect malformed messages, because decoding does so.
func Parts(b []byte, of protoreflect.MessageDescriptor, limit int) (n int) {
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
			n += Parts(part, field.Message(), limit-n)
		}
	}
	return n
}
