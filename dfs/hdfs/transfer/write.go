package transfer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/howdah/howdah/internal/pb"
)

// Stage is the reason for setting up a pipeline.
type Stage int

// The stages, with their numbers on the wire.
const (
	StageCreate   Stage = 6 // for a new block
	StageRecovery Stage = 3 // for a partly written block, in a new generation
	// StageCloseRecovery finishes a block in a new generation. No packets follow.
	StageCloseRecovery Stage = 5
)

// Setup describes how to set up a pipeline.
type Setup struct {
	Located
	Stage      Stage
	Generation uint64 // new generation, for recovery
	// MinReceived is the number of the block's bytes that all nodes have acknowledged, and
	// MaxReceived is the number that the client has sent. Only recovery uses them.
	MinReceived, MaxReceived int64
	Checksum                 Checksum
	Window                   int   // maximum number of unacknowledged packets
	First                    int64 // number of the first packet
}

// PipelineError is the failure of a pipeline.
type PipelineError struct {
	Bad int // index of the failed node; -1 means unknown
	Err error
}

func (e *PipelineError) Error() string { return e.Err.Error() }
func (e *PipelineError) Unwrap() error { return e.Err }

// Pipeline sends a block's packets through a chain of DataNodes. Only one goroutine may use Send
// and Wait.
type Pipeline struct {
	c    *conn
	stop func() bool
	o    Setup
	done chan struct{} // closed when the receiver of acknowledgments ends

	sending sync.Mutex // serializes packets and heartbeats
	lastOut time.Time
	ended   bool // the last packet was sent

	mu      sync.Mutex
	changed *sync.Cond
	sent    int // number of packets
	acked   int
	err     error
}

// Write sets up a pipeline. The pipeline ends when ctx ends.
func (c *Client) Write(ctx context.Context, o Setup) (*Pipeline, error) {
	if len(o.Nodes) == 0 {
		return nil, &PipelineError{-1, errors.New("the block has no DataNodes")}
	}
	k, err := c.connect(ctx, o.Nodes[0], o.Token, true)
	if err != nil {
		return nil, &PipelineError{0, fmt.Errorf("DataNode %s: %w", c.Addr(o.Nodes[0]), err)}
	}
	p := &Pipeline{c: k, o: o, stop: k.follow(ctx), done: make(chan struct{}), lastOut: time.Now()}
	p.changed = sync.NewCond(&p.mu)
	// Each node in the pipeline waits for the nodes after it.
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

// badLink returns the index of the node at addr, an "ip:port" from a DataNode's answer. It returns
// 0 if addr is not the address of a node.
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

// out writes b to the first node of the pipeline.
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
	// An acknowledgment in flight may identify the node that failed.
	limit := time.NewTimer(time.Second)
	defer limit.Stop()
	select {
	case <-p.done:
	case <-limit.C:
	}
	p.fail(&PipelineError{p.c.blame(err), p.c.why(err)})
	return p.Err()
}

// Err returns the failure of the pipeline, or nil while it is working.
func (p *Pipeline) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// Acked returns the number of sent packets that all nodes have acknowledged.
func (p *Pipeline) Acked() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.acked
}

// Wait waits until all nodes have acknowledged every packet.
func (p *Pipeline) Wait() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.acked < p.sent && p.err == nil {
		p.changed.Wait()
	}
	if p.acked < p.sent {
		return p.err
	}
	return nil // errors after the last acknowledgment do not matter
}

// Close ends the pipeline. The block is finished only if the caller has sent the last packet and
// waited for its acknowledgment.
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
