package transfer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/howdah/howdah/dfs/hdfs/pb"
)

// Stage says why a pipeline is set up.
type Stage int

// The stages, numbered as on the wire.
const (
	StageCreate   Stage = 6 // of a new block
	StageRecovery Stage = 3 // of a block that is being written, in a new generation
	// StageCloseRecovery finishes a block in a new generation; no packets follow.
	StageCloseRecovery Stage = 5
)

// Setup describes a pipeline to set up.
type Setup struct {
	Located
	Stage      Stage
	Generation uint64 // the new one, for recovery
	// MinReceived and MaxReceived are, for recovery, how much of the block the client knows to have been written and has
	// sent, in bytes.
	MinReceived, MaxReceived int64
	Checksum                 Checksum
	Window                   int   // packets that may be unacknowledged
	First                    int64 // number of the first packet
}

// PipelineError is the failure of a pipeline.
type PipelineError struct {
	Bad int // index of the node that is to blame, -1 if nobody knows
	Err error
}

func (e *PipelineError) Error() string { return e.Err.Error() }
func (e *PipelineError) Unwrap() error { return e.Err }

// Pipeline is the way of a block's packets through its DataNodes. Send and Wait belong to one goroutine.
type Pipeline struct {
	c    *conn
	stop func() bool
	o    Setup
	done chan struct{} // closed when the receiver of acknowledgements has ended

	sending sync.Mutex // packets and heartbeats
	lastOut time.Time
	ended   bool // the last packet is out

	mu      sync.Mutex
	changed *sync.Cond
	sent    int // packets
	acked   int
	err     error
}

// Write sets up a pipeline. ctx ends it.
func (c *Client) Write(ctx context.Context, o Setup) (*Pipeline, error) {
	if len(o.Nodes) == 0 {
		return nil, &PipelineError{-1, errors.New("a block without DataNodes")}
	}
	k, err := c.connect(ctx, o.Nodes[0], o.Token, true)
	if err != nil {
		return nil, &PipelineError{0, fmt.Errorf("DataNode %s: %w", c.Addr(o.Nodes[0]), err)}
	}
	p := &Pipeline{c: k, o: o, stop: k.follow(ctx), done: make(chan struct{}), lastOut: time.Now()}
	p.changed = sync.NewCond(&p.mu)
	// Each node of the pipeline waits for those behind it.
	k.timeout += time.Duration(len(o.Nodes)-1) * 5 * time.Second
	var a answer
	if err = k.request(opWriteBlock, c.encodeWrite(o)); err == nil {
		a, err = k.answer()
	}
	if err != nil {
		err = &PipelineError{k.blame(err), k.why(err)}
	} else if a.status != statusSuccess {
		err = &PipelineError{badLink(o.Nodes, a.badLink), &StatusError{a.status, a.message}}
	}
	if err != nil {
		p.stop()
		k.nc.Close()
		return nil, err
	}
	go p.receive()
	go p.heartbeat()
	return p, nil
}

func (c *Client) encodeWrite(o Setup) pb.Message {
	base := pb.Message(nil).Bytes(1, o.Block.Encode()).Bytes(2, o.Token.Encode())
	m := pb.Message(nil).Bytes(1, pb.Message(nil).Bytes(1, base).String(2, c.o.Name))
	for _, d := range o.Nodes[1:] {
		m = m.Bytes(2, d.Encode())
	}
	m = m.Uint(4, uint64(o.Stage)).Int(5, int64(len(o.Nodes))).Int(6, o.MinReceived).Int(7, o.MaxReceived).
		Uint(8, o.Generation).Bytes(9, o.Checksum.encode())
	const disk = 1
	storage := func(i int) uint64 {
		if i < len(o.Storages) {
			return o.Storages[i]
		}
		return disk
	}
	m = m.Uint(11, storage(0))
	for i := range o.Nodes[1:] {
		m = m.Uint(12, storage(i+1))
	}
	if len(o.StorageIDs) == len(o.Nodes) {
		m = m.String(16, o.StorageIDs[0])
		for _, id := range o.StorageIDs[1:] {
			m = m.String(17, id)
		}
	}
	return m
}

// badLink finds the node whose "ip:port" a DataNode names; the first one if it names none.
func badLink(nodes []DataNode, addr string) int {
	for i, d := range nodes {
		if addr != "" && addr == fmt.Sprintf("%s:%d", d.IP, d.Port) {
			return i
		}
	}
	return 0
}

// Send sends a packet. It waits while the window is full.
func (p *Pipeline) Send(k *Packet) error {
	p.mu.Lock()
	for p.sent-p.acked >= p.o.Window && p.err == nil {
		p.changed.Wait()
	}
	err := p.err
	p.sent++
	p.mu.Unlock()
	if err != nil {
		return err
	}
	return p.out(k.wire(), k.Last)
}

// out writes to the first node.
func (p *Pipeline) out(b []byte, last bool) error {
	p.sending.Lock()
	err := p.c.armWrite()
	if err == nil {
		_, err = p.c.nc.Write(b)
	}
	p.lastOut, p.ended = time.Now(), last
	p.sending.Unlock()
	if err == nil {
		return nil
	}
	// An acknowledgement that is under way may know better who failed.
	limit := time.NewTimer(time.Second)
	defer limit.Stop()
	select {
	case <-p.done:
	case <-limit.C:
	}
	p.fail(&PipelineError{p.c.blame(err), p.c.why(err)})
	return p.Err()
}

// Err gives the failure of the pipeline, nil while it works.
func (p *Pipeline) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// Acked gives how many of the packets that were sent have been acknowledged by all nodes.
func (p *Pipeline) Acked() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.acked
}

// Wait waits until every packet has been acknowledged.
func (p *Pipeline) Wait() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.acked < p.sent && p.err == nil {
		p.changed.Wait()
	}
	if p.acked < p.sent {
		return p.err
	}
	return nil // what came after the last acknowledgement does not matter
}

// Close ends the pipeline. Unless the block was ended by its last packet and waited for, the block stays unfinished.
func (p *Pipeline) Close() {
	p.fail(&PipelineError{-1, errors.New("the pipeline was closed")})
	<-p.done
}

func (p *Pipeline) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = err
		p.stop()
		p.c.nc.Close()
		p.changed.Broadcast()
	}
}
