package transfer

import (
	"context"
	"errors"
	"fmt"

	"github.com/howdah/howdah/internal/pb"
)

// BlockSum is a DataNode's checksum of the checksums of a block's chunks.
type BlockSum struct {
	MD5      []byte
	Checksum Checksum
	PerBlock int64 // number of chunks in a full block
}

// Checksum returns the checksum of the first l.Block.Size bytes of the replica on d. The DataNode
// computes it.
func (c *Client) Checksum(ctx context.Context, l Located, d DataNode) (BlockSum, error) {
	k, err := c.connect(ctx, d, l.Token, true)
	if err != nil {
		return BlockSum{}, err
	}
	defer k.nc.Close()
	defer k.follow(ctx)()
	base := pb.Message(nil).Bytes(1, l.Block.Encode()).Bytes(2, l.Token.Encode())
	if err := k.request(opChecksum, pb.Message(nil).Bytes(1, base)); err != nil {
		return BlockSum{}, k.why(err)
	}
	m, err := k.message(nil)
	if err != nil {
		return BlockSum{}, k.why(err)
	}
	return decodeBlockSum(m)
}

// decodeBlockSum decodes the answer, a BlockOpResponseProto with an OpBlockChecksumResponseProto.
func decodeBlockSum(m []byte) (s BlockSum, err error) {
	a := StatusError{}
	r := pb.Read(m)
	for r.Next() {
		switch r.Num {
		case 1:
			a.Status = r.Uint()
		case 3:
			one := pb.Read(r.Bytes())
			for one.Next() {
				switch one.Num {
				case 1:
					s.Checksum.Chunk = int(one.Int32())
				case 2:
					s.PerBlock = one.Int()
				case 3:
					s.MD5 = append([]byte{}, one.Bytes()...)
				case 4:
					s.Checksum.Type = ChecksumType(one.Uint())
				}
			}
			err = one.Err
		case 5:
			a.Message = r.String()
		}
	}
	switch err = errors.Join(err, r.Err); {
	case err != nil:
		return s, err
	case a.Status != statusSuccess:
		return s, &a
	case len(s.MD5) != 16:
		return s, fmt.Errorf("a checksum of %d bytes", len(s.MD5))
	}
	return s, nil
}
