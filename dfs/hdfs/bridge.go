package hdfs

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"time"

	"github.com/howdah/howdah/dfs/hdfs/namenode"
	"github.com/howdah/howdah/internal/pb"
)

// A bridge replaces the library's connection to a NameNode (see names). It decodes the library's
// calls, makes them with our own client, and returns the encoded answers to the library. It handles
// one call at a time.
type bridge struct {
	nn  *namenode.Client
	ctx context.Context // of the call
	err error           // error that our client returned for the call

	began bool
	sent  []byte // the part of the next frame that the library has written so far
	reply bytes.Buffer
}

// preamble is the length of the library's first message: "hrpc", version, service class, no
// authentication.
const preamble = 7

// Write implements net.Conn. It makes each call whose frame p completes.
func (b *bridge) Write(p []byte) (int, error) {
	b.sent = append(b.sent, p...)
	if !b.began && len(b.sent) >= preamble {
		b.began, b.sent = true, b.sent[preamble:]
	}
	for b.began && len(b.sent) >= 4 {
		n := int(binary.BigEndian.Uint32(b.sent))
		if len(b.sent) < 4+n {
			break
		}
		frame := b.sent[4 : 4+n]
		b.sent = b.sent[4+n:]
		if err := b.take(frame); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

var errBridge = errors.New("the library sent invalid data")

// take decodes the call in a frame from the library and makes it with our own client.
func (b *bridge) take(frame []byte) error {
	head, rest, ok1 := pb.CutDelimited(frame)
	call, rest, ok2 := pb.CutDelimited(rest)
	if !ok1 || !ok2 {
		return errBridge
	}
	id := int64(-1)
	r := pb.Read(head)
	for r.Next() {
		if r.Num == 3 {
			id = r.Sint()
		}
	}
	if id < 0 {
		return r.Err // not a call but the connection's context; our client sends its own
	}
	request, _, ok := pb.CutDelimited(rest)
	if !ok {
		return errBridge
	}
	b.answer(id, b.call(method(call), request))
	return nil
}

func method(m []byte) string {
	r := pb.Read(m)
	for r.Next() {
		if r.Num == 1 {
			return r.String()
		}
	}
	return ""
}

// call makes a call to the NameNode and returns the body of the answer, or nil if the call failed.
func (b *bridge) call(method string, request []byte) []byte {
	if method == "renewLease" { // we never write files through the library
		return []byte{}
	}
	body, err := b.nn.Raw(b.ctx, method, request)
	if err != nil {
		b.err = err
		return nil
	}
	if body == nil {
		body = []byte{}
	}
	return body
}

const (
	replySuccess = 0
	replyError   = 1
)

func (b *bridge) answer(id int64, body []byte) {
	head := pb.Message(nil).Int(1, id)
	var frame []byte
	if body != nil {
		frame = pb.Delimited(pb.Delimited(nil, head.Uint(2, replySuccess)), body)
	} else {
		// The code that called the library gets the error from b.err.
		frame = pb.Delimited(nil, head.Uint(2, replyError).String(4, "java.io.IOException").String(5, b.err.Error()))
	}
	b.reply.Write(binary.BigEndian.AppendUint32(nil, uint32(len(frame))))
	b.reply.Write(frame)
}

// Read implements net.Conn.
func (b *bridge) Read(p []byte) (int, error) {
	if b.reply.Len() == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	return b.reply.Read(p)
}

// The remaining methods of net.Conn do nothing, because our own client limits all waits.

func (b *bridge) Close() error                     { return nil }
func (b *bridge) LocalAddr() net.Addr              { return bridgeAddr{} }
func (b *bridge) RemoteAddr() net.Addr             { return bridgeAddr{} }
func (b *bridge) SetDeadline(time.Time) error      { return nil }
func (b *bridge) SetReadDeadline(time.Time) error  { return nil }
func (b *bridge) SetWriteDeadline(time.Time) error { return nil }

type bridgeAddr struct{}

func (bridgeAddr) Network() string { return "bridge" }
func (bridgeAddr) String() string  { return "namenode" }
