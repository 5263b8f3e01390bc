package transfer

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/howdah/howdah/internal/pb"
)

// On the wire, a packet consists of a length (4 bytes), the length of the header (2 bytes), the
// header, the checksums, and the data. The first length covers itself, the checksums, and the data.
const (
	prefix = 6
	// maxHeader is an upper bound on the size of a packet's header.
	maxHeader = 1 << 10
	// maxPacket is the maximum size of a packet's checksums and data. DataNodes use the same limit.
	maxPacket = 16 << 20
)

// header is the header of a packet on the wire.
type header struct {
	offset int64 // in the block
	seq    int64
	last   bool // an empty packet that ends the block
	size   int  // bytes of data
	sync   bool
}

// lengths decodes the six bytes that precede a packet's header. head is the size of the header, and
// rest is the size of the checksums and the data.
func lengths(b []byte) (head, rest int, err error) {
	rest = int(int32(binary.BigEndian.Uint32(b))) - 4
	head = int(binary.BigEndian.Uint16(b[4:]))
	if rest < 0 || rest > maxPacket || head > maxHeader {
		return 0, 0, fmt.Errorf("a packet of %d bytes with a header of %d", rest, head)
	}
	return head, rest, nil
}

func decodeHeader(b []byte) (h header, err error) {
	r := pb.Read(b)
	for r.Next() {
		switch r.Num {
		case 1:
			h.offset = r.Int()
		case 2:
			h.seq = r.Int()
		case 3:
			h.last = r.Bool()
		case 4:
			h.size = int(r.Int32())
		case 5:
			h.sync = r.Bool()
		}
	}
	if r.Err == nil && h.size < 0 {
		return h, errors.New("a packet of negative size")
	}
	return h, r.Err
}

// headerSize is the number of bytes that encode appends: prefix and header.
const headerSize = prefix + 27

// encode appends prefix and header to b. sums is the size of the checksums in bytes.
func (h header) encode(b []byte, sums int) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(4+sums+h.size))
	b = binary.BigEndian.AppendUint16(b, headerSize-prefix)
	return pb.Message(b).Fixed64(1, uint64(h.offset)).Fixed64(2, uint64(h.seq)).Bool(3, h.last).
		Fixed32(4, uint32(h.size)).Bool(5, h.sync)
}
