package transfer

import (
	"fmt"
	"time"

	"github.com/howdah/howdah/internal/pb"
)

// heartbeatSeq marks packets and acknowledgments that only indicate that the peer is alive.
const heartbeatSeq = -1

// receive receives the acknowledgments of a pipeline until the pipeline ends.
func (p *Pipeline) receive() {
	defer close(p.done)
	buf := make([]byte, 0, 256)
	next := p.o.First
	for {
		m, err := p.c.message(buf)
		var a ack
		if err == nil {
			a, err = decodeAck(m)
		}
		if err != nil {
			p.fail(&PipelineError{p.c.blame(err), p.c.why(err)})
			return
		}
		if a.bad >= 0 {
			p.fail(&PipelineError{a.bad, fmt.Errorf("acknowledged with %w", &StatusError{Status: a.status})})
			return
		}
		if a.seq == heartbeatSeq {
			continue
		}
		if a.seq != next {
			p.fail(&PipelineError{0, fmt.Errorf("acknowledgment of packet %d, want %d", a.seq, next)})
			return
		}
		next++
		p.ackedOne()
	}
}

func (p *Pipeline) ackedOne() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.acked++
	p.changed.Broadcast()
}

// heartbeat sends heartbeats to keep the connections of an idle pipeline alive. The acknowledgments
// indicate that the nodes are also alive.
func (p *Pipeline) heartbeat() {
	beat := header{seq: heartbeatSeq}.encode(nil, 0)
	t := time.NewTicker(p.c.timeout / 4)
	defer t.Stop()
	for {
		select {
		case <-p.done:
			return
		case <-t.C:
		}
		p.sending.Lock()
		quiet := !p.ended && time.Since(p.lastOut) >= p.c.timeout/4
		p.sending.Unlock()
		if quiet && p.out(beat, false) != nil {
			return
		}
	}
}

// ack is a PipelineAckProto.
type ack struct {
	seq    int64
	bad    int // index of the first node without SUCCESS; -1 means none
	status uint64
}

func decodeAck(m []byte) (ack, error) {
	a := ack{bad: -1}
	n := 0
	r := pb.Read(m)
	for r.Next() {
		switch r.Num {
		case 1:
			a.seq = r.Sint()
		case 2:
			if s := r.Uint(); s != statusSuccess && a.bad < 0 {
				a.bad, a.status = n, s
			}
			n++
		}
	}
	return a, r.Err
}
