package namenode

import (
	"context"
	"errors"
	"time"

	"github.com/howdah/howdah/dfs/hdfs/transfer"
	"github.com/howdah/howdah/internal/pb"
)

// Blocks is the NameNode's record of a file's content.
type Blocks struct {
	Size               int64 // does not include the block being written
	Blocks             []transfer.Located
	UnderConstruction  bool
	Last               *transfer.Located // the last block, even if it is being written
	LastComplete       bool
	Encrypted, Striped bool // the file is encrypted or erasure-coded, so this client cannot read it
}

// Locations returns the blocks of a file that contain the bytes [off, off+n), each with its
// replicas, nearest first. If the file does not exist, the result is nil or an error.
func (c *Client) Locations(ctx context.Context, src string, off, n int64) (*Blocks, error) {
	const method = "getBlockLocations"
	m, err := c.ask(ctx, method, pb.Message(nil).String(1, src).Int(2, off).Int(3, n))
	if err != nil || m == nil {
		return nil, err
	}
	b, err := decodeBlocks(m)
	if err != nil {
		return nil, damaged(method, err)
	}
	return b, nil
}

func decodeBlocks(m []byte) (*Blocks, error) {
	b := &Blocks{}
	r := pb.Read(m)
	for r.Next() {
		switch r.Num {
		case 1:
			b.Size = r.Int()
		case 2:
			l, err := transfer.DecodeLocated(r.Bytes())
			if err != nil {
				return nil, err
			}
			b.Blocks = append(b.Blocks, l)
		case 3:
			b.UnderConstruction = r.Bool()
		case 4:
			l, err := transfer.DecodeLocated(r.Bytes())
			if err != nil {
				return nil, err
			}
			b.Last = &l
		case 5:
			b.LastComplete = r.Bool()
		case 6:
			b.Encrypted = true
		case 7:
			b.Striped = true
		}
	}
	return b, r.Err
}

// The flags of create and append.
const (
	flagCreate   = 0x01
	flagNewBlock = 0x20
	flagAppend   = 0x04
)

// NewFile contains the attributes of a file to create.
type NewFile struct {
	Mode        uint32
	Replication int
	BlockSize   int64
}

// Create creates an empty file and its missing parents, and acquires the file's lease. The file
// must not exist.
func (c *Client) Create(ctx context.Context, src string, n NewFile) (Status, error) {
	const method = "create"
	perm := pb.Message(nil).Uint(1, uint64(n.Mode))
	req := pb.Message(nil).String(1, src).Bytes(2, perm).String(3, c.name).Uint(4, flagCreate).Bool(5, true).
		Int(6, int64(n.Replication)).Int(7, n.BlockSize).Bytes(9, perm)
	m, err := c.ask(ctx, method, req)
	if err != nil {
		return Status{}, err
	}
	s, err := DecodeStatus(m)
	if err != nil {
		return Status{}, damaged(method, err)
	}
	return s, nil
}

// Append acquires the lease of a file in order to append blocks. last is the file's last block, or
// nil if the file is empty.
func (c *Client) Append(ctx context.Context, src string) (s Status, last *transfer.Block, err error) {
	const method = "append"
	body, err := c.Raw(ctx, method, pb.Message(nil).String(1, src).String(2, c.name).Uint(3, flagAppend|flagNewBlock))
	if err != nil {
		return s, nil, err
	}
	r := pb.Read(body)
	for r.Next() && err == nil {
		switch r.Num {
		case 1:
			var l transfer.Located
			l, err = transfer.DecodeLocated(r.Bytes())
			last = &l.Block
		case 2:
			s, err = DecodeStatus(r.Bytes())
		}
	}
	if err = errors.Join(err, r.Err); err != nil {
		return s, nil, damaged(method, err)
	}
	return s, last, nil
}

// AddBlock finishes the previous block, if it is not nil, and allocates a new block for the file on
// nodes other than exclude.
func (c *Client) AddBlock(ctx context.Context, src string, fileID uint64, previous *transfer.Block,
	exclude []transfer.DataNode) (transfer.Located, error) {
	const method = "addBlock"
	req := pb.Message(nil).String(1, src).String(2, c.name)
	if previous != nil {
		req = req.Bytes(3, previous.Encode())
	}
	for _, d := range exclude {
		req = req.Bytes(4, d.Encode())
	}
	m, err := c.ask(ctx, method, req.Uint(5, fileID))
	if err != nil {
		return transfer.Located{}, err
	}
	l, err := transfer.DecodeLocated(m)
	if err == nil && len(l.Nodes) == 0 {
		err = errors.New("the block has no DataNodes")
	}
	if err != nil {
		return transfer.Located{}, damaged(method, err)
	}
	return l, nil
}

// AbandonBlock removes the last block of a file.
func (c *Client) AbandonBlock(ctx context.Context, src string, fileID uint64, b transfer.Block) error {
	_, err := c.tell(ctx, "abandonBlock", pb.Message(nil).Bytes(1, b.Encode()).String(2, src).
		String(3, c.name).Uint(4, fileID))
	return err
}

// Complete closes a file. last is the file's last block, or nil if the file is empty. It returns
// false, and the file stays open, while a block has too few replicas.
func (c *Client) Complete(ctx context.Context, src string, fileID uint64, last *transfer.Block) (bool, error) {
	req := pb.Message(nil).String(1, src).String(2, c.name)
	if last != nil {
		req = req.Bytes(3, last.Encode())
	}
	return c.tell(ctx, "complete", req.Uint(4, fileID))
}

// Fsync makes the NameNode persist the file's blocks. If lastLength is not negative, the NameNode
// also persists it as the length of the last block. Fsync fails if this client does not hold the
// lease.
func (c *Client) Fsync(ctx context.Context, src string, fileID uint64, lastLength int64) error {
	_, err := c.tell(ctx, "fsync", pb.Message(nil).String(1, src).String(2, c.name).Sint(3, lastLength).Uint(4, fileID))
	return err
}

// NewGeneration returns b, the last block of a file, with a new generation and a token. They are
// required to set up the block's pipeline again.
func (c *Client) NewGeneration(ctx context.Context, b transfer.Block) (transfer.Located, error) {
	const method = "updateBlockForPipeline"
	m, err := c.ask(ctx, method, pb.Message(nil).Bytes(1, b.Encode()).String(2, c.name))
	if err != nil {
		return transfer.Located{}, err
	}
	l, err := transfer.DecodeLocated(m)
	if err != nil {
		return transfer.Located{}, damaged(method, err)
	}
	return l, nil
}

// UpdatePipeline reports the new generation of a block and the nodes of its new pipeline to the
// NameNode.
func (c *Client) UpdatePipeline(ctx context.Context, old, now transfer.Block, nodes []transfer.DataNode,
	storages []string) error {
	req := pb.Message(nil).String(1, c.name).Bytes(2, old.Encode()).Bytes(3, now.Encode())
	for _, d := range nodes {
		req = req.Bytes(4, d.EncodeID())
	}
	for _, s := range storages {
		req = req.String(5, s)
	}
	_, err := c.tell(ctx, "updatePipeline", req)
	return err
}

// RenewLease renews the leases of all files that this client is writing.
func (c *Client) RenewLease(ctx context.Context) error {
	_, err := c.tell(ctx, "renewLease", pb.Message(nil).String(1, c.name))
	return err
}

// Closed reports whether a file is no longer under construction.
func (c *Client) Closed(ctx context.Context, src string) (bool, error) {
	return c.tell(ctx, "isFileClosed", pb.Message(nil).String(1, src))
}

// ReportBad reports the replicas on l.Nodes as damaged.
func (c *Client) ReportBad(ctx context.Context, l transfer.Located) error {
	_, err := c.tell(ctx, "reportBadBlocks", pb.Message(nil).Bytes(1, l.Encode()))
	return err
}

// Rename moves a file or directory. The target must not exist. With overwrite, however, a file can
// replace a file, and a directory can replace an empty directory.
func (c *Client) Rename(ctx context.Context, src, dst string, overwrite bool) error {
	_, err := c.tell(ctx, "rename2", pb.Message(nil).String(1, src).String(2, dst).Bool(3, overwrite))
	return err
}

// SetReplication changes the replication of a file. It returns false if src is not a file.
func (c *Client) SetReplication(ctx context.Context, src string, n int) (bool, error) {
	return c.tell(ctx, "setReplication", pb.Message(nil).String(1, src).Int(2, int64(n)))
}

// SetOwner changes the owner, the group, or both. A nil argument leaves the field unchanged. The
// library, by contrast, always sends both names, so an empty name would clear the field.
func (c *Client) SetOwner(ctx context.Context, src string, owner, group *string) error {
	req := pb.Message(nil).String(1, src)
	if owner != nil {
		req = req.String(2, *owner)
	}
	if group != nil {
		req = req.String(3, *group)
	}
	_, err := c.tell(ctx, "setOwner", req)
	return err
}

// SetTimes sets the times that are not nil, with a resolution of one millisecond.
func (c *Client) SetTimes(ctx context.Context, src string, modified, accessed *time.Time) error {
	const leave = -1
	ms := func(t *time.Time) int64 {
		if t == nil {
			return leave
		}
		return t.UnixMilli()
	}
	_, err := c.tell(ctx, "setTimes", pb.Message(nil).String(1, src).Int(2, ms(modified)).Int(3, ms(accessed)))
	return err
}

// Delete removes a file, or a directory and its content if recursive is set. It returns no error if
// the path does not exist.
func (c *Client) Delete(ctx context.Context, src string, recursive bool) error {
	_, err := c.tell(ctx, "delete", pb.Message(nil).String(1, src).Bool(2, recursive))
	return err
}

// Truncate truncates a file. It returns false if DataNodes have yet to truncate the last block.
func (c *Client) Truncate(ctx context.Context, src string, size int64) (bool, error) {
	return c.tell(ctx, "truncate", pb.Message(nil).String(1, src).Int(2, size).String(3, c.name))
}
