package namenode

import (
	"context"
	"fmt"
	"time"

	"github.com/howdah/howdah/internal/pb"
	"github.com/howdah/howdah/job/failure"
)

// Status is the NameNode's description of a file or directory.
type Status struct {
	Dir, Link          bool
	Name               string // last element of the path; set only in listings
	Size               int64
	Mode               uint32
	Owner, Group       string
	ModTime            time.Time
	AccessTime         time.Time
	Replication        int
	BlockSize          int64
	FileID             uint64
	Encrypted, Striped bool
	AccessList         bool
	Blocks             *Blocks // set if the listing requested them
}

// HasAccessList is a flag in HdfsFileStatusProto.
const HasAccessList = 1

// DecodeStatus decodes an HdfsFileStatusProto.
func DecodeStatus(m []byte) (s Status, err error) {
	r := pb.Read(m)
	for r.Next() && err == nil {
		switch r.Num {
		case 1:
			s.Dir, s.Link = r.Uint() == 1, r.Uint() == 3
		case 2:
			s.Name = r.String()
		case 3:
			s.Size = r.Int()
		case 4:
			p := pb.Read(r.Bytes())
			for p.Next() {
				if p.Num == 1 {
					s.Mode = uint32(p.Uint())
				}
			}
			err = p.Err
		case 5:
			s.Owner = r.String()
		case 6:
			s.Group = r.String()
		case 7:
			s.ModTime = time.UnixMilli(r.Int())
		case 8:
			s.AccessTime = time.UnixMilli(r.Int())
		case 10:
			s.Replication = int(r.Int32())
		case 11:
			s.BlockSize = r.Int()
		case 12:
			s.Blocks, err = decodeBlocks(r.Bytes())
		case 13:
			s.FileID = r.Uint()
		case 15:
			s.Encrypted = true
		case 17:
			s.Striped = true
		case 18:
			s.AccessList = r.Uint()&HasAccessList != 0
		}
	}
	if err == nil {
		err = r.Err
	}
	return s, err
}

// maxEntries is the number of entries after which Listing returns an error instead of requesting
// more. Tests change it.
var maxEntries = 10_000_000

// Listing returns the entries of a directory, with their blocks if requested. If src is a file, it
// returns one entry with an empty name. ok is false if src does not exist. If the directory has more
// than about ten million entries, the error is of kind Limit.
func (c *Client) Listing(ctx context.Context, src string, blocks bool) (all []Status, ok bool, err error) {
	const method = "getListing"
	after := []byte{}
	for len(all) < maxEntries {
		m, err := c.ask(ctx, method, pb.Message(nil).String(1, src).Bytes(2, after).Bool(3, blocks))
		if err != nil || m == nil {
			return nil, false, err
		}
		had, remaining := len(all), uint64(0)
		r := pb.Read(m)
		for r.Next() {
			switch r.Num {
			case 1:
				s, err := DecodeStatus(r.Bytes())
				if err != nil {
					return nil, false, damaged(method, err)
				}
				all = append(all, s)
			case 2:
				remaining = r.Uint()
			}
		}
		if r.Err != nil {
			return nil, false, damaged(method, r.Err)
		}
		if remaining == 0 || len(all) == had {
			return all, true, nil
		}
		after = []byte(all[len(all)-1].Name)
	}
	return nil, false, failure.New(failure.Limit, "list", src,
		fmt.Errorf("the directory has more than %d entries", maxEntries))
}

// Defaults contains the cluster's defaults for files.
type Defaults struct {
	BlockSize        int64
	BytesPerChecksum int
	PacketSize       int
	Replication      int
	Encrypt          bool   // encrypt data transfer
	ChecksumType     uint64 // number on the wire
	TrashInterval    time.Duration
}

// Defaults returns the cluster's defaults.
func (c *Client) Defaults(ctx context.Context) (d Defaults, err error) {
	m, err := c.ask(ctx, "getServerDefaults", nil)
	if err != nil {
		return d, err
	}
	r := pb.Read(m)
	for r.Next() {
		switch r.Num {
		case 1:
			d.BlockSize = r.Int()
		case 2:
			d.BytesPerChecksum = int(r.Int32())
		case 3:
			d.PacketSize = int(r.Int32())
		case 4:
			d.Replication = int(r.Int32())
		case 6:
			d.Encrypt = r.Bool()
		case 7:
			d.TrashInterval = time.Duration(r.Int()) * time.Minute
		case 8:
			d.ChecksumType = r.Uint()
		}
	}
	return d, r.Err
}

// Stat returns the status of the file or directory src. ok is false if it does not exist.
func (c *Client) Stat(ctx context.Context, src string) (s Status, ok bool, err error) {
	const method = "getFileInfo"
	m, err := c.ask(ctx, method, pb.Message(nil).String(1, src))
	if err != nil || m == nil {
		return s, false, err
	}
	if s, err = DecodeStatus(m); err != nil {
		return s, false, damaged(method, err)
	}
	return s, true, nil
}
