package transfer

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/howdah/howdah/internal/pb"
)

// ChecksumType is an algorithm for the checksums of a block's chunks.
type ChecksumType int

// The types, with their numbers on the wire.
const (
	ChecksumNull ChecksumType = iota
	CRC32
	CRC32C
)

// Checksum describes the checksum that protects each chunk of a block.
type Checksum struct {
	Type  ChecksumType
	Chunk int // bytes that share one checksum
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrChecksum is the error for bytes that do not match their checksum.
var ErrChecksum = errors.New("checksum error")

// maxChunk is the maximum number of bytes per checksum.
const maxChunk = 16 << 20

func (c Checksum) check() error {
	if c.Type < ChecksumNull || c.Type > CRC32C || c.Chunk <= 0 || c.Chunk > maxChunk {
		return fmt.Errorf("unknown checksum: type %d of %d bytes", c.Type, c.Chunk)
	}
	return nil
}

func (c Checksum) table() *crc32.Table {
	if c.Type == CRC32 {
		return crc32.IEEETable
	}
	return castagnoli
}

// size returns the size in bytes of the checksums of n bytes of data.
func (c Checksum) size(n int) int {
	if c.Type == ChecksumNull {
		return 0
	}
	return (n + c.Chunk - 1) / c.Chunk * 4
}

// verify compares data with its checksums. at is the offset of data in the block, for error
// messages.
func (c Checksum) verify(data, sums []byte, at int64) error {
	if c.Type == ChecksumNull {
		return nil
	}
	t := c.table()
	for i := 0; len(data) > 0; i += 4 {
		n := min(c.Chunk, len(data))
		if got, want := crc32.Checksum(data[:n], t), binary.BigEndian.Uint32(sums[i:]); got != want {
			return fmt.Errorf("%w at byte %d of the block: %08x, want %08x", ErrChecksum, at, got, want)
		}
		data, at = data[n:], at+int64(n)
	}
	return nil
}

// sum writes the checksums of data to sums.
func (c Checksum) sum(sums, data []byte) {
	if c.Type == ChecksumNull {
		return
	}
	t := c.table()
	for i := 0; len(data) > 0; i += 4 {
		n := min(c.Chunk, len(data))
		binary.BigEndian.PutUint32(sums[i:], crc32.Checksum(data[:n], t))
		data = data[n:]
	}
}

func (c Checksum) encode() pb.Message {
	return pb.Message(nil).Uint(1, uint64(c.Type)).Int(2, int64(c.Chunk))
}

func decodeChecksum(m []byte) (c Checksum, err error) {
	r := pb.Read(m)
	for r.Next() {
		switch r.Num {
		case 1:
			c.Type = ChecksumType(r.Int32())
		case 2:
			c.Chunk = int(r.Int32())
		}
	}
	return c, r.Err
}
