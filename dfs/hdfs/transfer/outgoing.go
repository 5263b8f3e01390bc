package transfer

import "sync"

// Packet is a packet on its way to DataNodes. Header, checksums and data lie behind each other, so that it goes out in one piece
// and can go out again.
type Packet struct {
	Offset int64 // in the block, a multiple of the checksum's chunk
	Seq    int64 // the first packet of a block is number 0
	Last   bool  // ends the block; holds no data
	Sync   bool  // the DataNodes sync the block to their disks

	sum  Checksum
	buf  []byte
	data int // where data begins in buf
	n    int // bytes of data
	out  []byte
}

var packets sync.Pool

// NewPacket gives an empty packet with room for size bytes. Free gives its memory back.
func NewPacket(sum Checksum, size int) *Packet {
	data := headerSize + sum.size(size)
	k, _ := packets.Get().(*Packet)
	if k == nil || len(k.buf) != data+size {
		k = &Packet{buf: make([]byte, data+size)}
	}
	*k = Packet{sum: sum, buf: k.buf, data: data}
	return k
}

// Free gives the packet's memory to later packets.
func (k *Packet) Free() { packets.Put(k) }

// Size gives the memory that the packet takes, in bytes.
func (k *Packet) Size() int { return len(k.buf) }

// Len gives the bytes of data in the packet.
func (k *Packet) Len() int { return k.n }

// Full tells whether no more fits in.
func (k *Packet) Full() bool { return k.data+k.n == len(k.buf) }

// Add copies as much of b into the packet as fits, but no more than limit bytes.
func (k *Packet) Add(b []byte, limit int64) int {
	free := k.buf[k.data+k.n:]
	n := copy(free[:min(int64(len(free)), limit)], b)
	k.n += n
	return n
}

// Tail gives the data behind the last whole chunk.
func (k *Packet) Tail() []byte {
	return k.buf[k.data+k.n/k.sum.Chunk*k.sum.Chunk : k.data+k.n]
}

// wire gives the packet as it is sent. Nothing can be added any more.
func (k *Packet) wire() []byte {
	if k.out != nil {
		return k.out
	}
	sums := k.sum.size(k.n)
	begin := k.data - sums
	k.sum.sum(k.buf[begin:k.data], k.buf[k.data:k.data+k.n])
	h := header{offset: k.Offset, seq: k.Seq, last: k.Last, size: k.n, sync: k.Sync}
	h.encode(k.buf[begin-headerSize:begin-headerSize], sums)
	k.out = k.buf[begin-headerSize : k.data+k.n]
	return k.out
}
