package hdfs

import (
	"context"
	"crypto/md5"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/hdfs/transfer"
	"github.com/howdah/howdah/job/failure"
)

// Checksum implements dfs.Checksummer. As in Hadoop, the result is the MD5 of the blocks' MD5s,
// which are computed from the checksums of chunks. It depends on the block size and the chunk size.
func (f *FS) Checksum(ctx context.Context, name string) (dfs.Checksum, error) {
	const op = "compute the checksum of"
	if err := begin(ctx, op, name); err != nil {
		return dfs.Checksum{}, err
	}
	m, err := f.openBlocks(ctx, name)
	if err != nil {
		return dfs.Checksum{}, wrap(op, name, err)
	}
	var first transfer.BlockSum
	var sums []byte
	for pos, n := int64(0), 0; pos < m.size; n++ {
		l, err := m.at(ctx, pos, false)
		if err != nil {
			return dfs.Checksum{}, wrap(op, name, err)
		}
		s, err := f.blockSum(ctx, l)
		if err != nil {
			return dfs.Checksum{}, wrap(op, name, err)
		}
		if n == 0 {
			first = s
		}
		pos = l.Offset + l.Block.Size
		if n == 0 && pos >= m.size {
			first.PerBlock = 0 // present only for files with several blocks
		}
		sums = append(sums, s.MD5...)
	}
	return fileSum(first, sums), nil
}

// blockSum returns the checksum of a block. It queries the block's nodes one after another until
// one answers.
func (f *FS) blockSum(ctx context.Context, l transfer.Located) (transfer.BlockSum, error) {
	errs := []error{fmt.Errorf("block %d", l.Block.ID)}
	for _, d := range l.Nodes {
		s, err := f.data.Checksum(ctx, l, d)
		if err == nil || ctx.Err() != nil {
			return s, err
		}
		errs = append(errs, fmt.Errorf("DataNode %s: %w", f.data.Addr(d), err))
	}
	return transfer.BlockSum{}, failure.New(failure.Unreachable, "read", "", errors.Join(errs...))
}

// fileSum computes the checksum of a file. sums contains the checksums of its blocks. Like Hadoop,
// fileSum first pads them with zeros to a power of two of at least 32 bytes.
func fileSum(first transfer.BlockSum, sums []byte) dfs.Checksum {
	size := 32
	for size < len(sums) {
		size *= 2
	}
	digest := md5.Sum(append(sums, make([]byte, size-len(sums))...))
	kind := "CRC32"
	if first.Checksum.Type == transfer.CRC32C {
		kind = "CRC32C"
	}
	b := binary.BigEndian.AppendUint32(nil, uint32(first.Checksum.Chunk))
	b = binary.BigEndian.AppendUint64(b, uint64(first.PerBlock))
	return dfs.Checksum{
		Algorithm: fmt.Sprintf("MD5-of-%dMD5-of-%d%s", first.PerBlock, first.Checksum.Chunk, kind),
		Bytes:     append(b, digest[:]...),
	}
}
