package security

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/howdah/howdah/dfs/hdfs/rpc"
	"github.com/howdah/howdah/internal/pb"
)

// saslCall is the call number of every SASL message.
const saslCall = -33

// maxHandshake is the maximum size of a login message, in bytes.
const maxHandshake = 1 << 20

func sendMessage(w io.Writer, m *saslMessage) error {
	_, err := w.Write(rpc.Frame(rpc.Header([16]byte{}, saslCall, -1), m.encode()))
	return err
}

// readMessage reads one SASL message. It returns a *rpc.RemoteError if the server sent an
// exception.
func readMessage(f *frames) (m saslMessage, err error) {
	b, err := f.next()
	if err != nil {
		return m, err
	}
	return decodeMessage(b)
}

func decodeMessage(b []byte) (m saslMessage, err error) {
	head, rest, ok := pb.CutDelimited(b)
	if !ok {
		return m, errMessage
	}
	status, remote, err := parseHeader(head)
	if err != nil {
		return m, err
	}
	if status != 0 {
		return m, remote
	}
	body, rest, ok := pb.CutDelimited(rest)
	if !ok || len(rest) != 0 {
		return m, errMessage
	}
	return parseMessage(body)
}

// parseHeader decodes the relevant fields of an RpcResponseHeaderProto.
func parseHeader(b []byte) (status uint64, remote *rpc.RemoteError, err error) {
	remote = &rpc.RemoteError{}
	r := pb.Read(b)
	for r.Next() {
		switch r.Num {
		case 1:
			if r.Int32() != saslCall {
				err = fmt.Errorf("an answer to call %d arrived during the login", r.Int32())
			}
		case 2:
			status = r.Uint()
		case 4:
			remote.Class = r.String()
		case 5:
			remote.Message = r.String()
		}
	}
	if r.Err != nil {
		err = r.Err
	}
	if status != 0 {
		err = nil // an exception ends the connection, regardless of its call number
	}
	return status, remote, err
}

// frames reads messages that are preceded by a length of four bytes. If a deadline interrupts a
// read, the next read continues with the same message.
type frames struct {
	r     io.Reader
	max   uint32
	buf   []byte
	begin int // start of the data that has not yet been returned
}

// next returns the next message, which is valid until the following call. It returns io.EOF if the
// connection ends between two messages.
func (f *frames) next() ([]byte, error) {
	f.buf, f.begin = f.buf[:copy(f.buf, f.buf[f.begin:])], 0
	for {
		if len(f.buf) >= 4 {
			n := binary.BigEndian.Uint32(f.buf)
			if n > f.max {
				return nil, fmt.Errorf("a message has %d bytes; the limit is %d: is this the right port?", n, f.max)
			}
			if end := 4 + int(n); len(f.buf) >= end {
				f.begin = end
				return f.buf[4:end:end], nil
			}
		}
		if len(f.buf) == cap(f.buf) { // the buffer grows with the data, not with the claimed length
			f.buf = slices.Grow(f.buf, max(4096, len(f.buf)))
		}
		n, err := f.r.Read(f.buf[len(f.buf):cap(f.buf)])
		f.buf = f.buf[:len(f.buf)+n]
		if n == 0 && err != nil {
			if err == io.EOF && len(f.buf) > 0 {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
}

// rest returns the data that was read after the last message.
func (f *frames) rest() []byte { return f.buf[f.begin:] }
