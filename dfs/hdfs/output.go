package hdfs

import (
	"github.com/howdah/howdah/dfs/hdfs/transfer"
)

// windowBytes limits a block's bytes in flight, but minWindow packets are always allowed.
const (
	windowBytes = 8 << 20
	minWindow   = 4
)

// An output is a block being written.
//
// It keeps packets until all DataNodes have acknowledged them, so that the remaining nodes can
// continue when one dies. While the file system's budget allows, it keeps all packets, so that it
// can write the whole block again.
type output struct {
	w       *writer
	located transfer.Located // the block and its pipeline; has no nodes until the block is allocated
	pipe    *transfer.Pipeline
	from    int64              // number of the first packet sent through pipe
	packets []*transfer.Packet // packets that were sent and that the output still keeps
	next    int64              // number of the next packet
	now     *transfer.Packet   // being filled
	size    int64              // size of the block in bytes
	sent    int64              // end offset of the last data packet sent, in the block
	synced  bool               // readers may have seen the block
	ending  bool               // the last packet is in flight; all others are acknowledged

	holding bool  // the budget allows keeping all packets
	held    int64 // bytes reserved from the budget

	failed map[string]bool // nodes of the pipeline that failed, by UUID
	tries  int             // number of broken pipelines
}

func newOutput(w *writer) *output { return &output{w: w, holding: true, failed: map[string]bool{}} }

func (o *output) full() bool { return o.size == o.w.blockSize }

// write adds some bytes of b to the block and returns their number.
func (o *output) write(b []byte) (int, error) {
	if o.now == nil {
		o.now = o.packet(o.size)
	}
	n := o.now.Add(b, o.w.blockSize-o.size)
	o.size += int64(n)
	if o.now.Full() || o.full() {
		return n, o.flush()
	}
	return n, nil
}

// packet returns an empty packet. at is the offset of its data in the block.
func (o *output) packet(at int64) *transfer.Packet {
	k := transfer.NewPacket(o.w.fs.o.Checksum, o.w.fs.o.PacketSize)
	k.Offset = at
	return k
}

// flush sends the packet that is being filled.
func (o *output) flush() error {
	k := o.now
	if k == nil {
		return nil
	}
	o.now = nil
	return o.send(k)
}

func (o *output) send(k *transfer.Packet) error {
	k.Seq = o.next
	o.next++
	o.sent = max(o.sent, k.Offset+int64(k.Len()))
	o.hold(k)
	o.packets = append(o.packets, k)
	if o.pipe == nil {
		return o.recover(nil)
	}
	if err := o.pipe.Send(k); err != nil {
		return o.recover(err)
	}
	return nil
}

// hold makes room for packet k by reserving memory from the budget or by dropping acknowledged
// packets.
func (o *output) hold(k *transfer.Packet) {
	b := &o.w.fs.budget
	if o.holding && b.take(int64(k.Size())) {
		o.held += int64(k.Size())
		return
	}
	o.holding = false
	b.give(o.held)
	o.held = 0
	n := 0
	for n < len(o.packets) && o.packets[n].Seq < o.acked() {
		o.packets[n].Free()
		n++
	}
	o.packets = append(o.packets[:0], o.packets[n:]...)
}

// whole reports whether the output still has all packets of the block.
func (o *output) whole() bool { return len(o.packets) > 0 && o.packets[0].Seq == 0 }

// acked returns the number of the first unacknowledged packet.
func (o *output) acked() int64 {
	if o.pipe == nil {
		return o.from
	}
	return o.from + int64(o.pipe.Acked())
}

// sync sends all data, waits until the nodes have it on disk, and returns the size of the block.
func (o *output) sync() (int64, error) {
	k := o.now
	o.now = nil
	if k == nil {
		k = o.packet(o.size)
	}
	k.Sync = true
	// The next packet starts with the incomplete chunk, whose checksum will change.
	tail := append([]byte(nil), k.Tail()...)
	if err := o.send(k); err != nil {
		return 0, err
	}
	if err := o.wait(); err != nil {
		return 0, err
	}
	o.synced = true
	if len(tail) > 0 {
		o.now = o.packet(o.size - int64(len(tail)))
		o.now.Add(tail, o.w.blockSize)
	}
	return o.size, nil
}

// end finishes the block and returns it.
func (o *output) end() (transfer.Block, error) {
	err := o.flush()
	if err == nil {
		err = o.wait()
	}
	if err == nil {
		last := o.packet(o.size)
		last.Last = true
		o.ending = true
		err = o.send(last)
	}
	if err == nil {
		err = o.wait()
	}
	if err != nil {
		return transfer.Block{}, err
	}
	o.close()
	b := o.located.Block
	b.Size = o.size
	return b, nil
}

// wait waits until all packets are acknowledged. It replaces pipelines that fail.
func (o *output) wait() error {
	for o.pipe != nil {
		err := o.pipe.Wait()
		if err == nil {
			return nil
		}
		if err := o.recover(err); err != nil {
			return err
		}
	}
	return nil
}

// close releases the connection and the memory.
func (o *output) close() {
	o.leave()
	for _, k := range o.packets {
		k.Free()
	}
	if o.now != nil {
		o.now.Free()
	}
	o.packets, o.now = nil, nil
	o.w.fs.budget.give(o.held)
	o.held = 0
}

// leave closes the pipeline.
func (o *output) leave() {
	if o.pipe != nil {
		o.from = o.acked()
		o.pipe.Close()
		o.pipe = nil
	}
}
