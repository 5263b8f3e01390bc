package rpc

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"time"

	"github.com/howdah/howdah/internal/pb"
	"github.com/howdah/howdah/job/failure"
)

// The first bytes of a connection: "hrpc", version, service class, authentication.
const (
	magic      = "hrpc"
	version    = 9
	authSimple = 0
	authSASL   = 0xdf
)

// Reserved call numbers.
const (
	contextCall = -3
	pingCall    = -4
)

const (
	kindProtobuf    = 2
	opFinal         = 0
	protocolVersion = 1

	statusSuccess = 0
	statusError   = 1
)

// Header returns the header of a frame for call number id. The handshake also uses it.
func Header(clientID [16]byte, id, retry int32) pb.Message {
	return pb.Message(nil).Uint(1, kindProtobuf).Uint(2, opFinal).Sint(3, int64(id)).Bytes(4, clientID[:]).
		Sint(5, int64(retry))
}

// Frame joins length-delimited messages and prepends their total length.
func Frame(messages ...pb.Message) []byte {
	b := make([]byte, 4, 256)
	for _, m := range messages {
		b = pb.Delimited(b, m)
	}
	binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	return b
}

func (c *Conn) frame(call Call) []byte {
	method := pb.Message(nil).String(1, call.Method).String(2, c.o.Protocol).Uint(3, protocolVersion)
	return Frame(Header(c.o.ClientID, call.ID, call.Retry), method, call.Request)
}

func pingFrame(clientID [16]byte) []byte { return Frame(Header(clientID, pingCall, -1)) }

func (c *Conn) handshake(ctx context.Context) error {
	if err := c.nc.SetDeadline(time.Now().Add(c.o.Connect)); err != nil {
		return &LostError{Addr: c.addr, Err: err}
	}
	raw := c.nc
	stop := context.AfterFunc(ctx, func() { raw.SetDeadline(time.Now()) })
	defer stop()
	auth, user := byte(authSimple), c.o.User
	if c.o.Security != nil {
		auth = authSASL
	}
	if _, err := raw.Write(append([]byte(magic), version, 0, auth)); err != nil {
		return &LostError{Addr: c.addr, Err: err}
	}
	if c.o.Security != nil {
		secured, name, err := c.o.Security.Negotiate(ctx, raw,
			Server{Addr: c.addr, Service: c.o.Service, Protocol: c.o.Protocol})
		if err != nil {
			return c.broken(err)
		}
		c.nc, user = secured, name
	}
	var who pb.Message
	if user != "" {
		who = who.Bytes(2, pb.Message(nil).String(1, user))
	}
	if _, err := c.nc.Write(Frame(Header(c.o.ClientID, contextCall, -1), who.String(3, c.o.Protocol))); err != nil {
		return &LostError{Addr: c.addr, Err: err}
	}
	if !stop() {
		return ctx.Err()
	}
	return raw.SetDeadline(time.Time{})
}

// broken returns the error of a handshake that failed with err. If the connection broke, a retry
// might help, and broken returns a *LostError. Otherwise, it returns err itself.
func (c *Conn) broken(err error) error {
	var told *failure.Error
	var network net.Error
	if errors.As(err, &told) {
		return err // such as a missing ticket, whose cause can look like a network error
	}
	if errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &LostError{Addr: c.addr, Err: noEOF(err)}
	}
	return err
}

type response struct {
	callID int32
	status uint64
	err    RemoteError
}

// parseResponse splits a frame into the header and the body that follows it.
func parseResponse(frame []byte) (h response, body []byte, err error) {
	head, body, ok := pb.CutDelimited(frame)
	if !ok {
		return h, nil, errors.New("an answer without a header")
	}
	r := pb.Read(head)
	for r.Next() {
		switch r.Num {
		case 1:
			h.callID = r.Int32()
		case 2:
			h.status = r.Uint()
		case 4:
			h.err.Class = r.String()
		case 5:
			h.err.Message = r.String()
		}
	}
	return h, body, r.Err
}
