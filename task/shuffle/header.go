package shuffle

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/task/sortio"
)

// Status is the status of one map's output in a response.
type Status uint8

// A segment follows the header only if the status is OK.
const (
	OK      Status = iota
	Missing        // the server does not have the map's output
	Broken         // the map's output is damaged or unreadable
	NoSuch         // the map's output has no partition for this reducer
	numStatus
)

func (s Status) String() string {
	switch s {
	case OK:
		return "ok"
	case Missing:
		return "no such map output"
	case Broken:
		return "damaged map output"
	case NoSuch:
		return "no such reducer in the map output"
	}
	return fmt.Sprintf("status %d", uint8(s))
}

// Header precedes a map's segment in a response.
type Header struct {
	Attempt job.AttemptID
	Reduce  int32
	Status  Status
	Entry   sortio.Entry // Start is not transmitted
}

// The wire format of a header is big-endian: magic, status, length of the attempt's name, name,
// reducer, raw length, stored length, checksum of the segment, largest key, CRC-32C of the header.
const (
	headerMagic = "HSH2"
	headerFixed = len(headerMagic) + 2
	headerTail  = 4 + 8 + 8 + 4 + 4 + 4
	maxName     = 255
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// append appends the encoded header to b.
func (h *Header) append(b []byte) []byte {
	start := len(b)
	name := h.Attempt.String()
	b = append(b, headerMagic...)
	b = append(b, byte(h.Status), byte(len(name)))
	b = append(b, name...)
	b = binary.BigEndian.AppendUint32(b, uint32(h.Reduce))
	b = binary.BigEndian.AppendUint64(b, uint64(h.Entry.Raw))
	b = binary.BigEndian.AppendUint64(b, uint64(h.Entry.Part))
	b = binary.BigEndian.AppendUint32(b, h.Entry.CRC)
	b = binary.BigEndian.AppendUint32(b, h.Entry.MaxKey)
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
}

// read reads one header. For invalid data, it returns an error of kind Corrupt. It returns errors
// from r unchanged.
func (h *Header) read(r io.Reader) error {
	var buf [headerFixed + maxName + headerTail]byte
	if _, err := io.ReadFull(r, buf[:headerFixed]); err != nil {
		return err
	}
	if string(buf[:len(headerMagic)]) != headerMagic {
		return badHeader("the header is missing")
	}
	b := buf[:headerFixed+int(buf[headerFixed-1])+headerTail]
	if _, err := io.ReadFull(r, b[headerFixed:]); err != nil {
		return err
	}
	body := b[:len(b)-4]
	if crc32.Checksum(body, castagnoli) != binary.BigEndian.Uint32(b[len(body):]) {
		return badHeader("checksum of the header does not match")
	}
	tail := body[len(body)-headerTail+4:]
	attempt, err := job.ParseAttemptID(string(body[headerFixed : len(body)-headerTail+4]))
	if err != nil {
		return badHeader("%w", err)
	}
	*h = Header{Attempt: attempt, Status: Status(buf[len(headerMagic)]), Reduce: int32(binary.BigEndian.Uint32(tail))}
	h.Entry.Raw = int64(binary.BigEndian.Uint64(tail[4:]))
	h.Entry.Part = int64(binary.BigEndian.Uint64(tail[12:]))
	h.Entry.CRC = binary.BigEndian.Uint32(tail[20:])
	h.Entry.MaxKey = binary.BigEndian.Uint32(tail[24:])
	if h.Status >= numStatus || h.Reduce < 0 || h.Entry.Raw < 0 || h.Entry.Part < 0 {
		return badHeader("impossible values")
	}
	return nil
}

func badHeader(format string, args ...any) error {
	return failure.New(failure.Corrupt, "read shuffle header", "", fmt.Errorf(format, args...))
}
