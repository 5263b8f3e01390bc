// Package hdfstest simulates a small HDFS cluster for tests, with a NameNode and DataNodes that use
// in-memory connections and fail on demand. Start with New. The tests in integration/ use a real
// cluster. hdfstest produces faults that a real cluster cannot produce on demand.
package hdfstest

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"

	"github.com/howdah/howdah/dfs/hdfs/rpc"
	"github.com/howdah/howdah/internal/pb"
)

// Call is one call that a NameNode received.
type Call struct {
	ID, Retry int64
	Client    string // client's id
	Method    string
	Request   []byte
}

// ServeRPC answers calls on a connection until the connection ends. handle returns the encoded
// answer or an exception. If hangUp is set, ServeRPC closes the connection without an answer.
func ServeRPC(nc net.Conn, handle func(c Call) (body []byte, err *rpc.RemoteError, hangUp bool)) {
	defer nc.Close()
	r := bufio.NewReader(nc)
	if _, err := r.Discard(7); err != nil {
		return
	}
	for {
		var n [4]byte
		if _, err := io.ReadFull(r, n[:]); err != nil {
			return
		}
		b := make([]byte, binary.BigEndian.Uint32(n[:]))
		if _, err := io.ReadFull(r, b); err != nil {
			return
		}
		c := parse(b)
		if c.ID < 0 {
			continue // the connection's context, or a ping
		}
		body, exception, hangUp := handle(c)
		if hangUp {
			return
		}
		answer := rpc.Frame(pb.Message(nil).Int(1, c.ID).Uint(2, 0), body)
		if exception != nil {
			answer = rpc.Frame(pb.Message(nil).Int(1, c.ID).Uint(2, 1).String(4, exception.Class).String(5, exception.Message))
		}
		if _, err := nc.Write(answer); err != nil {
			return
		}
	}
}

func parse(frame []byte) (c Call) {
	head, rest, _ := pb.CutDelimited(frame)
	for r := pb.Read(head); r.Next(); {
		switch r.Num {
		case 3:
			c.ID = r.Sint()
		case 4:
			c.Client = r.String()
		case 5:
			c.Retry = r.Sint()
		}
	}
	if c.ID < 0 {
		return c
	}
	method, rest, _ := pb.CutDelimited(rest)
	for r := pb.Read(method); r.Next(); {
		if r.Num == 1 {
			c.Method = r.String()
		}
	}
	c.Request, _, _ = pb.CutDelimited(rest)
	return c
}
