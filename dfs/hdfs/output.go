package hdfs

import (
	"github.com/howdah/howdah/dfs/hdfs/transfer"
)

// windowBytes is how much of a block may be on its way; it is at least minWindow packets.
const (
	windowBytes = 8 << 20
	minWindow   = 4
)

// output is a block that is being written.
//
// Its packets are kept at least until all DataNodes have acknowledged them, so that the nodes that are left can go on when one dies. As
// long as the budget of the file system allows it all of them are kept, so that the whole block can be written anew.
type output struct {
	w       *writer
	located transfer.Located // the block and its pipeline; no nodes: none is allocated yet
	pipe    *transfer.Pipeline
	from    int64              // number of the first packet that was sent through pipe
	packets []*transfer.Packet // that were sent and are kept
	next    int64              // number of the next packet
	now     *transfer.Packet   // is being filled
	size    int64              // bytes of the block
	sent    int64              // end of the last packet with data that was sent, in the block
	synced  bool               // others may have seen the block
	ending  bool               // the last packet is under way, all others have been acknowledged

	holding bool  // the budget allows to keep all packets
	held    int64 // bytes of the budget

	failed map[string]bool // nodes of the pipeline that failed, by UUID
	tries  int             // pipelines that broke
}

func newOutput(w *writer) *output { return &output{w: w, holding: true, failed: map[string]bool{}} }

func (o *output) full() bool { return o.size == o.w.blockSize }

// write takes some of b.
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

// packet gives an empty packet for data at an offset in the block.
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

// hold makes room for another packet: within the budget, or in place of those that have been acknowledged.
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

// whole tells whether all packets since the first are kept.
func (o *output) whole() bool { return len(o.packets) > 0 && o.packets[0].Seq == 0 }

// acked gives the number of the first packet that has not been acknowledged.
func (o *output) acked() int64 {
	if o.pipe == nil {
		return o.from
	}
	return o.from + int64(o.pipe.Acked())
}

// sync sends what there is and waits until it is on the disks; it gives the size of the block.
func (o *output) sync() (int64, error) {
	k := o.now
	o.now = nil
	if k == nil {
		k = o.packet(o.size)
	}
	k.Sync = true
	// The next packet begins with the chunk that is not full yet: its checksum will be another.
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

// end finishes the block.
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

// wait waits until all packets have been acknowledged.
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

// close gives connection and memory back.
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

// leave gives the pipeline up.
func (o *output) leave() {
	if o.pipe != nil {
		o.from = o.acked()
		o.pipe.Close()
		o.pipe = nil
	}
}
