package hdfs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/howdah/howdah/dfs/hdfs/transfer"
	"github.com/howdah/howdah/job/failure"
)

// window is how many packets may be on their way.
const window = 80

// output is a block that is being written. Its packets are kept until the block is finished, so that it can be sent again.
type output struct {
	w       *writer
	located transfer.Located
	has     bool // a block was allocated
	pipe    *transfer.Pipeline
	packets []*transfer.Packet // that were sent
	now     *transfer.Packet   // is being filled
	size    int64              // bytes of the block
	exclude []transfer.DataNode
	tries   int
}

func newOutput(w *writer) *output { return &output{w: w} }

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
	k.Seq = int64(len(o.packets))
	o.packets = append(o.packets, k)
	if o.pipe == nil {
		return o.restart(nil)
	}
	if err := o.pipe.Send(k); err != nil {
		return o.restart(err)
	}
	return nil
}

// sync sends what there is and waits until it is on disk; it gives the size of the block.
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
	if len(tail) > 0 {
		o.now = o.packet(o.size - int64(len(tail)))
		o.now.Add(tail, o.w.blockSize)
	}
	return o.size, nil
}

// end finishes the block.
func (o *output) end() (transfer.Block, error) {
	if err := o.flush(); err != nil {
		return transfer.Block{}, err
	}
	last := o.packet(o.size)
	last.Last = true
	if err := o.send(last); err != nil {
		return transfer.Block{}, err
	}
	if err := o.wait(); err != nil {
		return transfer.Block{}, err
	}
	o.close()
	b := o.located.Block
	b.Size = o.size
	return b, nil
}

// wait waits until all packets have been acknowledged.
func (o *output) wait() error {
	for {
		err := o.pipe.Wait()
		if err == nil {
			return nil
		}
		if err := o.restart(err); err != nil {
			return err
		}
	}
}

// close gives connection and memory back.
func (o *output) close() {
	if o.pipe != nil {
		o.pipe.Close()
		o.pipe = nil
	}
	for _, k := range o.packets {
		k.Free()
	}
	o.packets = nil
}

// restart sends the block again through another pipeline, after why (nil: for the first time).
func (o *output) restart(why error) error {
	w := o.w
	for {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		if why != nil {
			o.blame(why)
			if o.tries++; o.tries >= w.fs.o.Pipelines {
				return failure.New(failure.IO, "write", w.name, fmt.Errorf("%d pipelines failed for one block: %w", o.tries, why))
			}
			if err := o.abandon(w.ctx); err != nil {
				return err
			}
		}
		err := o.allocate()
		if err != nil {
			return err
		}
		if why = o.resend(); why == nil {
			return nil
		}
	}
}

// blame excludes the node that broke the pipeline.
func (o *output) blame(why error) {
	bad := -1
	var p *transfer.PipelineError
	if errors.As(why, &p) {
		bad = p.Bad
	}
	if bad < 0 || bad >= len(o.located.Nodes) {
		bad = 0
	}
	if len(o.located.Nodes) > 0 {
		d := o.located.Nodes[bad]
		o.exclude = append(o.exclude, d)
		o.w.fs.o.Log(fmt.Sprintf("write %s: block %d: DataNode %s:%d failed: %v; sending the block to others", o.w.name, o.located.Block.ID, d.Host, d.Port, why))
	}
}

// abandon gives the block back to the NameNode.
func (o *output) abandon(ctx context.Context) error {
	if o.pipe != nil {
		o.pipe.Close()
		o.pipe = nil
	}
	if !o.has {
		return nil
	}
	err := o.w.fs.nn.AbandonBlock(ctx, o.w.path, o.w.id, o.located.Block)
	o.has = err != nil
	return err
}

// allocate gets a block. The NameNode may want to wait until the one before it has enough replicas.
func (o *output) allocate() error {
	w := o.w
	pause := completeFirst
	for end := time.Now().Add(completeLimit); ; {
		l, err := w.fs.nn.AddBlock(w.ctx, w.path, w.id, w.last, o.exclude)
		if err == nil {
			o.located, o.has = l, true
			return nil
		}
		if !is(err, "NotReplicatedYetException") || time.Now().After(end) {
			return err
		}
		if err := sleep(w.ctx, pause); err != nil {
			return err
		}
		pause = min(2*pause, completeMax)
	}
}

// resend sets a pipeline up and sends all packets of the block.
func (o *output) resend() error {
	fs := o.w.fs
	p, err := fs.data.Write(o.w.ctx, transfer.Setup{Located: o.located, Stage: transfer.StageCreate, Checksum: fs.o.Checksum, Window: window})
	if err != nil {
		return err
	}
	o.pipe = p
	for _, k := range o.packets {
		if err := p.Send(k); err != nil {
			return err
		}
	}
	return nil
}
