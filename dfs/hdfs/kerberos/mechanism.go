package kerberos

import (
	"errors"
	"fmt"

	"github.com/howdah/howdah/dfs/hdfs/sasl"
)

// maxReceive is the size of the largest protected message that this side accepts, in bytes. Java
// uses the same limit.
const maxReceive = 65536

// Mechanism returns the client's side of SASL GSSAPI (RFC 4752) for a login to the ticket's
// service. want lists the protections in order of preference.
func (t *Ticket) Mechanism(want []sasl.Protection) sasl.Mechanism {
	return &gssapi{hand: handshake{ticket: t}, want: want}
}

type gssapi struct {
	hand  handshake
	want  []sasl.Protection
	state int // number of messages answered; -1 after an error
	ctx   *secContext
	layer sasl.Layer
}

func (*gssapi) Name() string        { return "GSSAPI" }
func (g *gssapi) Done() bool        { return g.state == 3 }
func (g *gssapi) Layer() sasl.Layer { return g.layer }

func (g *gssapi) Step(challenge []byte) (response []byte, err error) {
	defer func() {
		if err != nil {
			g.state = -1
			response, err = nil, fmt.Errorf("GSSAPI: %w", err)
			return
		}
		g.state++
	}()
	defer recoverLibrary(&err)
	switch g.state {
	case 0:
		return g.hand.request()
	case 1:
		g.ctx, err = g.hand.reply(challenge)
		return nil, err
	case 2:
		return g.choose(challenge)
	}
	return nil, errors.New("a message after the end of the conversation")
}

// choose returns the client's answer to the server's offer (RFC 4752, section 3.1). The offer
// contains the server's layers and its maximum message size. The answer contains the chosen layer
// and the client's maximum message size.
func (g *gssapi) choose(offer []byte) ([]byte, error) {
	b, err := g.ctx.unwrap(offer, false)
	if err != nil {
		return nil, err
	}
	if len(b) != 4 {
		return nil, errToken
	}
	p, err := sasl.Choose(g.want, sasl.Protection(b[0]))
	if err != nil {
		return nil, err
	}
	maxSend := int(b[1])<<16 | int(b[2])<<8 | int(b[3])
	answer := []byte{byte(p), maxReceive >> 16, maxReceive >> 8 & 0xff, maxReceive & 0xff}
	if p == sasl.Authentication {
		answer = []byte{byte(p), 0, 0, 0}
	} else {
		if maxSend <= wrapOverhead {
			return nil, fmt.Errorf("the server only accepts messages of %d bytes", maxSend)
		}
		g.layer = &layer{ctx: g.ctx, seal: p == sasl.Privacy, maxSend: maxSend - wrapOverhead}
	}
	return g.ctx.wrap(nil, answer, false)
}

// wrapOverhead is an upper bound on the number of bytes that a token adds: two headers, a
// confounder, and the longest checksum.
const wrapOverhead = 2*wrapHeader + 16 + 24

// A layer protects messages with a security context. Its two directions share no mutable state.
type layer struct {
	ctx     *secContext
	seal    bool
	maxSend int
	broken  error
}

func (l *layer) MaxSend() int { return l.maxSend }

func (l *layer) Wrap(dst, b []byte) ([]byte, error) { return l.ctx.wrap(dst, b, l.seal) }

func (l *layer) Unwrap(b []byte) (out []byte, err error) {
	defer func() { l.broken = err }()
	defer recoverLibrary(&err)
	if l.broken != nil {
		return nil, l.broken
	}
	if out, err = l.ctx.unwrap(b, l.seal); err != nil {
		return nil, fmt.Errorf("GSSAPI: protected message: %w", err)
	}
	return out, nil
}
