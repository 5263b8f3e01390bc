package security

import (
	"encoding/binary"
	"errors"
	"io"
	"net"

	"github.com/howdah/howdah/dfs/hdfs/rpc"
	"github.com/howdah/howdah/dfs/hdfs/sasl"
)

// conn is a connection that sends and receives all data in protected messages. One goroutine may
// read while another writes.
type conn struct {
	net.Conn
	layer sasl.Layer
	in    frames
	// open returns the protected message in a frame, and seal protects b and sends it as a frame.
	// After its length, an RPC frame contains headers and the message, whereas a data-transfer
	// frame contains only the message.
	open func(frame []byte) ([]byte, error)
	seal func(c *conn, b []byte) error

	plain []byte // unwrapped but not yet read
	out   []byte // seal's reusable buffer
}

func (c *conn) Read(p []byte) (int, error) {
	for len(c.plain) == 0 {
		frame, err := c.in.next()
		if err != nil {
			return 0, err
		}
		token, err := c.open(frame)
		if err != nil {
			return 0, err
		}
		if c.plain, err = c.layer.Unwrap(token); err != nil {
			return 0, err
		}
		if len(p) == 0 {
			break
		}
	}
	n := copy(p, c.plain)
	c.plain = c.plain[n:]
	return n, nil
}

func (c *conn) Write(p []byte) (int, error) {
	done := 0
	for done < len(p) {
		part := p[done:min(len(p), done+c.layer.MaxSend())]
		if err := c.seal(c, part); err != nil {
			return done, err
		}
		done += len(part)
	}
	return done, nil
}

// maxProtected is the maximum size of a protected message from a peer, in bytes. It must exceed the
// size of the largest answer, because a server never splits an answer.
const maxProtected = 256 << 20

// newRPCConn returns a connection that protects RPC. Each message is in an RpcSaslProto. rest is
// what has already been read from nc.
func newRPCConn(nc net.Conn, l sasl.Layer, rest []byte) net.Conn {
	return &conn{Conn: nc, layer: l, in: frames{r: nc, max: maxProtected, buf: rest},
		open: func(frame []byte) ([]byte, error) {
			m, err := decodeMessage(frame)
			if err == nil && m.state != stateWrap {
				err = errors.New("the server sent a message without protection")
			}
			return m.token, err
		},
		seal: func(c *conn, b []byte) (err error) {
			if c.out, err = c.layer.Wrap(c.out[:0], b); err != nil {
				return err
			}
			return sendMessage(c.Conn, &saslMessage{state: stateWrap, token: c.out})
		}}
}

// newDataConn returns a connection that protects data transfer. A length precedes each message. r
// reads from nc.
func newDataConn(nc net.Conn, r io.Reader, l sasl.Layer) net.Conn {
	return &conn{Conn: nc, layer: l, in: frames{r: r, max: maxProtected},
		open: func(frame []byte) ([]byte, error) { return frame, nil },
		seal: func(c *conn, b []byte) (err error) {
			if c.out, err = c.layer.Wrap(append(c.out[:0], 0, 0, 0, 0), b); err != nil {
				return err
			}
			binary.BigEndian.PutUint32(c.out, uint32(len(c.out)-4))
			_, err = c.Conn.Write(c.out)
			return err
		}}
}

var _ rpc.Security = (*Identity)(nil)
