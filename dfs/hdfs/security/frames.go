package security

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/howdah/howdah/dfs/hdfs/pb"
	"github.com/howdah/howdah/dfs/hdfs/rpc"
)

// saslCall is the number of a call that every SASL message bears.
const saslCall = -33

// maxHandshake bounds a message of a log-in.
const maxHandshake = 1 << 20

// sendMessage writes one SASL message.
func sendMessage(w io.Writer, m *saslMessage) error {
	_, err := w.Write(rpc.Frame(rpc.Header([16]byte{}, saslCall, -1), m.encode()))
	return err
}

// readMessage reads one; an exception that the server sent instead is a *rpc.RemoteError.
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

// parseHeader reads what counts of an RpcResponseHeaderProto.
func parseHeader(b []byte) (status uint64, remote *rpc.RemoteError, err error) {
	remote = &rpc.RemoteError{}
	r := pb.Read(b)
	for r.Next() {
		switch r.Num {
		case 1:
			if r.Int32() != saslCall {
				err = fmt.Errorf("the answer to call %d in the middle of a log-in", r.Int32())
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
		err = nil // whatever its number is, it ends the connection
	}
	return status, remote, err
}

// frames reads messages that have their length in front, four bytes. A read that a deadline cut short goes on where it was.
type frames struct {
	r     io.Reader
	max   uint32
	buf   []byte
	begin int // of what was not given yet
}

// next gives the next message; it is valid until the following call. io.EOF means an end between two messages.
func (f *frames) next() ([]byte, error) {
	f.buf, f.begin = f.buf[:copy(f.buf, f.buf[f.begin:])], 0
	for {
		if len(f.buf) >= 4 {
			n := binary.BigEndian.Uint32(f.buf)
			if n > f.max {
				return nil, fmt.Errorf("a message of %d bytes, at most %d are accepted: is this the right port?", n, f.max)
			}
			if end := 4 + int(n); len(f.buf) >= end {
				f.begin = end
				return f.buf[4:end:end], nil
			}
		}
		if len(f.buf) == cap(f.buf) { // it grows with what is there, not with what the length claims
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

// rest gives what was read beyond the last message.
func (f *frames) rest() []byte { return f.buf[f.begin:] }
