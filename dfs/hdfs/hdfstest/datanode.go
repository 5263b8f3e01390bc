package hdfstest

import (
	"bufio"
	"encoding/binary"
	"hash/crc32"
	"io"
	"net"
	"sync"

	"github.com/howdah/howdah/dfs/hdfs/transfer"
	"github.com/howdah/howdah/internal/pb"
)

// Chunk is the number of bytes that share a checksum. PacketData is the maximum number of bytes in
// a packet.
const (
	Chunk      = 512
	PacketData = 4096
)

// DataNode keeps replicas in memory. The first node of a pipeline writes the replicas of all nodes
// in the pipeline.
type DataNode struct {
	conns
	Node    transfer.DataNode
	cluster *Cluster

	// OnRead can change a packet of a replica before the node sends it. p is the encoded packet
	// with checksums. If hang is set, the node sends nothing more but keeps the connection open.
	// Otherwise, a nil result ends the connection.
	OnRead func(seq int64, p []byte) (changed []byte, hang bool)
	// OnWrite returns the fault to inject into a written packet.
	OnWrite func(seq int64) Fault
	// Refuse makes the node answer all operations with an error.
	Refuse bool

	mu       sync.Mutex
	replicas map[uint64]*replica
	reads    int
}

// Fault is what goes wrong when a pipeline receives a packet.
type Fault struct {
	HangUp bool
	Hang   bool // never answers
	Bad    int  // if positive, the acknowledgment blames this node of the pipeline; 1 is the first
}

type replica struct {
	data   []byte
	writer net.Conn // connection that may append to the replica
}

// Reads returns the number of read requests.
func (d *DataNode) Reads() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.reads
}

func (d *DataNode) dial() (net.Conn, error) { return d.pipe(d.serve) }

func (d *DataNode) serve(nc net.Conn) {
	r := bufio.NewReader(nc)
	for {
		var head [3]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return
		}
		m, err := message(r)
		if err != nil {
			return
		}
		const write, read = 80, 81
		ok := false
		switch head[2] {
		case read:
			ok = d.read(nc, r, fields(m))
		case write:
			ok = d.write(nc, r, m)
		}
		if !ok {
			return
		}
	}
}

func message(r *bufio.Reader) ([]byte, error) {
	n, err := binary.ReadUvarint(r)
	if err != nil {
		return nil, err
	}
	b := make([]byte, n)
	_, err = io.ReadFull(r, b)
	return b, err
}

func send(nc net.Conn, m pb.Message) bool {
	_, err := nc.Write(pb.Delimited(nil, m))
	return err == nil
}

func blockOf(header []byte) transfer.Block {
	base := fields(fields(header).bytes(1))
	b, _ := transfer.DecodeBlock(base.bytes(1))
	return b
}

func (d *DataNode) read(nc net.Conn, r *bufio.Reader, f request) bool {
	b := blockOf(f.bytes(1))
	d.mu.Lock()
	d.reads++
	rep := d.replicas[b.ID]
	d.mu.Unlock()
	if rep == nil || d.Refuse {
		send(nc, pb.Message(nil).Uint(1, 1).String(5, "no such replica"))
		return false
	}
	from := f.int(2) / Chunk * Chunk
	to := min((f.int(2)+f.int(3)+Chunk-1)/Chunk*Chunk, int64(len(rep.data)))
	checksum := pb.Message(nil).Uint(1, uint64(transfer.CRC32C)).Int(2, Chunk)
	if !send(nc, pb.Message(nil).Uint(1, 0).Bytes(4, pb.Message(nil).Bytes(1, checksum).Int(2, from))) {
		return false
	}
	seq := int64(0)
	for at := from; ; seq++ {
		end := min(at+PacketData, to)
		p, hang := EncodePacket(at, seq, at == to, rep.data[at:end]), false
		if d.OnRead != nil {
			if p, hang = d.OnRead(seq, p); p == nil && !hang {
				return false
			}
		}
		if hang {
			io.Copy(io.Discard, r)
			return false
		}
		if _, err := nc.Write(p); err != nil {
			return false
		}
		if at == to {
			break
		}
		at = end
	}
	_, err := message(r) // the client's status
	return err == nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// EncodePacket returns a packet with checksums as a DataNode sends it. at is the offset of data in
// the block.
func EncodePacket(at, seq int64, last bool, data []byte) []byte {
	h := pb.Message(nil).Fixed64(1, uint64(at)).Fixed64(2, uint64(seq)).Bool(3, last).Fixed32(4, uint32(len(data)))
	sums := []byte{}
	for b := data; len(b) > 0; b = b[min(Chunk, len(b)):] {
		sums = binary.BigEndian.AppendUint32(sums, crc32.Checksum(b[:min(Chunk, len(b))], castagnoli))
	}
	p := binary.BigEndian.AppendUint32(nil, uint32(4+len(sums)+len(data)))
	p = binary.BigEndian.AppendUint16(p, uint16(len(h)))
	return append(append(append(p, h...), sums...), data...)
}

// write receives the packets of a block and stores them on all nodes of the pipeline.
func (d *DataNode) write(nc net.Conn, r *bufio.Reader, m []byte) bool {
	f := fields(m)
	b := blockOf(f.bytes(1))
	nodes := []*DataNode{d}
	for r := pb.Read(m); r.Next(); {
		if r.Num == 2 {
			t, _ := transfer.DecodeDataNode(r.Bytes())
			for _, other := range d.cluster.DataNodes {
				if other.Node.UUID == t.UUID {
					nodes = append(nodes, other)
				}
			}
		}
	}
	for _, n := range nodes {
		n.conns.mu.Lock()
		down := n.down
		n.conns.mu.Unlock()
		if down || n.Refuse {
			send(nc, pb.Message(nil).Uint(1, 1).String(2, n.Node.IP+":9866").String(5, "bad link"))
			return false
		}
		n.mu.Lock()
		if rep := n.replicas[b.ID]; rep == nil || f.int(4) == int64(transfer.StageCreate) {
			n.replicas[b.ID] = &replica{}
		} else {
			rep.data = rep.data[:min(int64(len(rep.data)), f.int(7))]
		}
		n.replicas[b.ID].writer = nc
		n.mu.Unlock()
	}
	if !send(nc, pb.Message(nil).Uint(1, 0)) {
		return false
	}
	for f.int(4) != int64(transfer.StageCloseRecovery) {
		seq, last, ok := d.packet(nc, r, b.ID, nodes)
		if !ok {
			return false
		}
		if seq >= 0 && last {
			break
		}
	}
	return false
}

// packet receives one packet, stores its data on the nodes, and acknowledges it.
func (d *DataNode) packet(nc net.Conn, r *bufio.Reader, id uint64, nodes []*DataNode) (seq int64, last, ok bool) {
	var head [6]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, false, false
	}
	rest := make([]byte, int(binary.BigEndian.Uint16(head[4:]))+int(binary.BigEndian.Uint32(head[:]))-4)
	if _, err := io.ReadFull(r, rest); err != nil {
		return 0, false, false
	}
	h := fields(rest[:binary.BigEndian.Uint16(head[4:])])
	body := rest[binary.BigEndian.Uint16(head[4:]):]
	size := int(h.int(4))
	data := body[len(body)-size:]
	seq, last = h.int(2), h.flag(3)
	fault := Fault{}
	if d.OnWrite != nil && seq >= 0 {
		fault = d.OnWrite(seq)
	}
	switch {
	case fault.HangUp:
		return seq, last, false
	case fault.Hang:
		io.Copy(io.Discard, r)
		return seq, last, false
	}
	ack := pb.Message(nil).Sint(1, seq)
	for i, n := range nodes {
		if fault.Bad == i+1 {
			ack = ack.Uint(2, 1)
			continue
		}
		ack = ack.Uint(2, 0)
		if seq >= 0 {
			n.mu.Lock()
			rep := n.replicas[id]
			if rep.writer != nc { // after a recovery, the old writer's buffered data must not truncate newer data
				n.mu.Unlock()
				return seq, last, false
			}
			rep.data = append(rep.data[:min(h.int(1), int64(len(rep.data)))], data...)
			n.mu.Unlock()
		}
	}
	return seq, last, send(nc, ack)
}
