package kerberos

import (
	"errors"
	"fmt"

	"github.com/howdah/howdah/dfs/hdfs/sasl"
)

// maxReceive is what this side accepts as one protected message; Java says the same.
const maxReceive = 65536

// Mechanism gives the client's side of SASL GSSAPI (RFC 4752) to the service that t is for; want lists the protections, most
// wanted first.
func (t *Ticket) Mechanism(want []sasl.Protection) sasl.Mechanism {
	return &gssapi{hand: handshake{ticket: t}, want: want}
}

type gssapi struct {
	hand  handshake
	want  []sasl.Protection
	state int // messages that were answered
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

// choose is section 3.1: the server tells which layers it has and how large its messages may be, and the client answers in kind.
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
			return nil, fmt.Errorf("the server accepts messages of %d bytes only", maxSend)
		}
		g.layer = &layer{ctx: g.ctx, seal: p == sasl.Privacy, maxSend: maxSend - wrapOverhead}
	}
	return g.ctx.wrap(nil, answer, false)
}

// wrapOverhead is more than a token adds: two headers, a confounder and the longest checksum.
const wrapOverhead = 2*wrapHeader + 16 + 24

// layer protects messages by a context. The two directions share nothing that changes.
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
