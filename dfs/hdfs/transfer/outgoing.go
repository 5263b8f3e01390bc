package transfer

import "sync"

// Packet is a packet to send to DataNodes. Header, checksums, and data are contiguous, so that a
// single write can send it, even repeatedly.
type Packet struct {
	Offset int64 // offset in the block; for packets with data, a multiple of the checksum's chunk
	Seq    int64 // number of the packet; a block's first packet is 0
	Last   bool  // ends the block, without data
	Sync   bool  // makes the DataNodes sync the block to disk

	sum  Checksum
	buf  []byte
	data int // start of the data in buf
	n    int // bytes of data
	out  []byte
}

var packets sync.Pool

// NewPacket returns an empty packet with room for size bytes. Free releases its memory.
func NewPacket(sum Checksum, size int) *Packet {
	data := headerSize + sum.size(size)
	k, _ := packets.Get().(*Packet)
	if k == nil || len(k.buf) != data+size {
		k = &Packet{buf: make([]byte, data+size)}
	}
	*k = Packet{sum: sum, buf: k.buf, data: data}
	return k
}

// Free releases the packet's memory for reuse by later packets.
func (k *Packet) Free() { packets.Put(k) }

// Size returns the size of the packet's memory, in bytes.
func (k *Packet) Size() int { return len(k.buf) }

// Len returns the number of data bytes in the packet.
func (k *Packet) Len() int { return k.n }

// Full reports whether the packet is full.
func (k *Packet) Full() bool { return k.data+k.n == len(k.buf) }

// Add copies as much of b into the packet as fits, but at most limit bytes. It returns the number
// of bytes copied.
func (k *Packet) Add(b []byte, limit int64) int {
	free := k.buf[k.data+k.n:]
	n := copy(free[:min(int64(len(free)), limit)], b)
	k.n += n
	return n
}

// Tail returns the data after the last whole chunk.
func (k *Packet) Tail() []byte {
	return k.buf[k.data+k.n/k.sum.Chunk*k.sum.Chunk : k.data+k.n]
}

// wire returns the encoded packet. The caller must not add data afterward.
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
