package transfer

import (
	"github.com/howdah/howdah/internal/pb"
)

// Block identifies one generation of a block.
type Block struct {
	Pool       string
	ID         uint64
	Generation uint64
	Size       int64 // number of bytes according to the NameNode
}

// Encode returns the block as an ExtendedBlockProto.
func (b Block) Encode() pb.Message {
	return pb.Message(nil).String(1, b.Pool).Uint(2, b.ID).Uint(3, b.Generation).Int(4, b.Size)
}

// DecodeBlock decodes an ExtendedBlockProto.
func DecodeBlock(m []byte) (b Block, err error) {
	r := pb.Read(m)
	for r.Next() {
		switch r.Num {
		case 1:
			b.Pool = r.String()
		case 2:
			b.ID = r.Uint()
		case 3:
			b.Generation = r.Uint()
		case 4:
			b.Size = r.Int()
		}
	}
	return b, r.Err
}

// Encode returns the token as a TokenProto.
func (t Token) Encode() pb.Message {
	return pb.Message(nil).Bytes(1, t.Identifier).Bytes(2, t.Password).String(3, t.Kind).String(4, t.Service)
}

// DecodeToken decodes a TokenProto.
func DecodeToken(m []byte) (t Token, err error) {
	r := pb.Read(m)
	for r.Next() {
		switch r.Num {
		case 1:
			t.Identifier = append([]byte{}, r.Bytes()...)
		case 2:
			t.Password = append([]byte{}, r.Bytes()...)
		case 3:
			t.Kind = r.String()
		case 4:
			t.Service = r.String()
		}
	}
	return t, r.Err
}

// EncodeID returns the DataNode as a DatanodeIDProto.
func (d DataNode) EncodeID() pb.Message {
	return pb.Message(nil).String(1, d.IP).String(2, d.Host).String(3, d.UUID).
		Int(4, int64(d.Port)).Int(5, int64(d.InfoPort)).Int(6, int64(d.IPCPort))
}

// Encode returns the DataNode as a DatanodeInfoProto.
func (d DataNode) Encode() pb.Message {
	m := pb.Message(nil).Bytes(1, d.EncodeID())
	if d.Rack != "" {
		m = m.String(8, d.Rack)
	}
	return m
}

// DecodeDataNode decodes a DatanodeInfoProto.
func DecodeDataNode(m []byte) (d DataNode, err error) {
	r := pb.Read(m)
	for r.Next() {
		switch r.Num {
		case 1:
			if err := d.DecodeID(r.Bytes()); err != nil {
				return d, err
			}
		case 8:
			d.Rack = r.String()
		case 10:
			d.State = AdminState(r.Int32())
		}
	}
	return d, r.Err
}

// DecodeID decodes a DatanodeIDProto into d.
func (d *DataNode) DecodeID(m []byte) error {
	r := pb.Read(m)
	for r.Next() {
		switch r.Num {
		case 1:
			d.IP = r.String()
		case 2:
			d.Host = r.String()
		case 3:
			d.UUID = r.String()
		case 4:
			d.Port = int(r.Int32())
		case 5:
			d.InfoPort = int(r.Int32())
		case 6:
			d.IPCPort = int(r.Int32())
		}
	}
	return r.Err
}

// Located is a block of a file and the locations of its replicas, nearest first.
type Located struct {
	Block      Block
	Offset     int64 // in the file
	Corrupt    bool  // all replicas are corrupt
	Nodes      []DataNode
	StorageIDs []string // one for each node
	Storages   []uint64 // types of the storages, one for each node
	Token      Token
	Striped    bool // erasure-coded: the nodes store pieces of the block, not replicas
}

// Encode returns the block as a LocatedBlockProto.
func (l Located) Encode() pb.Message {
	m := pb.Message(nil).Bytes(1, l.Block.Encode()).Int(2, l.Offset)
	for _, n := range l.Nodes {
		m = m.Bytes(3, n.Encode())
	}
	m = m.Bool(4, l.Corrupt).Bytes(5, l.Token.Encode())
	for _, t := range l.Storages {
		m = m.Uint(7, t)
	}
	for _, s := range l.StorageIDs {
		m = m.String(8, s)
	}
	return m
}

// DecodeLocated decodes a LocatedBlockProto.
func DecodeLocated(m []byte) (l Located, err error) {
	r := pb.Read(m)
	for r.Next() && err == nil {
		switch r.Num {
		case 1:
			l.Block, err = DecodeBlock(r.Bytes())
		case 2:
			l.Offset = r.Int()
		case 3:
			var d DataNode
			d, err = DecodeDataNode(r.Bytes())
			l.Nodes = append(l.Nodes, d)
		case 4:
			l.Corrupt = r.Bool()
		case 5:
			l.Token, err = DecodeToken(r.Bytes())
		case 7:
			l.Storages = append(l.Storages, r.Uint())
		case 8:
			l.StorageIDs = append(l.StorageIDs, r.String())
		case 9:
			l.Striped = true
		}
	}
	if err == nil {
		err = r.Err
	}
	return l, err
}
