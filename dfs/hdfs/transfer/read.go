package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/howdah/howdah/internal/pb"
)

// readBuffer is the size of the receive buffer, in bytes.
const readBuffer = 128 << 10

// BlockReader reads a range of one replica and returns only bytes that match their checksums. It is
// not safe for concurrent use.
type BlockReader struct {
	client *Client
	c      *conn
	stop   func() bool
	sum    Checksum
	seq    int64
	next   int64 // offset in the block of the next packet
	from   int64 // offset in the block of the next byte to return
	to     int64 // end of the range
	buf    []byte
	rest   []byte // verified but not yet returned
	err    error
}

// Read starts to read the bytes [off, off+n) of a block from d, one of its nodes. After an error
// other than the end of ctx, a read from another node might succeed.
func (c *Client) Read(ctx context.Context, l Located, d DataNode, off, n int64) (*BlockReader, error) {
	r, err := c.open(ctx, l, d, off, n, false)
	var again *staleError
	if errors.As(err, &again) { // the DataNode closed a cached connection, which is not the replica's fault
		r, err = c.open(ctx, l, d, off, n, true)
	}
	return r, err
}

// staleError is the error of a cached connection that no longer works.
type staleError struct{ error }

func (e *staleError) Unwrap() error { return e.error }

func (c *Client) open(ctx context.Context, l Located, d DataNode, off, n int64, fresh bool) (*BlockReader, error) {
	k, err := c.connect(ctx, d, l.Token, fresh)
	if err != nil {
		return nil, err
	}
	r := &BlockReader{client: c, c: k, stop: k.follow(ctx), from: off, to: off + n}
	base := pb.Message(nil).Bytes(1, l.Block.Encode()).Bytes(2, l.Token.Encode())
	op := pb.Message(nil).Bytes(1, pb.Message(nil).Bytes(1, base).String(2, c.o.Name)).Int(2, off).Int(3, n).Bool(4, true)
	var a answer
	if err = k.request(opReadBlock, op); err == nil {
		a, err = k.answer()
	}
	if err != nil {
		err = k.why(err)
		r.Close()
		if k.reused && ctx.Err() == nil {
			err = &staleError{err}
		}
		return nil, err
	}
	if err := r.begin(a); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// Answers reports whether d, one of the block's nodes, answers a request to read the block, even
// with an error.
func (c *Client) Answers(ctx context.Context, l Located, d DataNode) bool {
	r, err := c.open(ctx, l, d, 0, 0, true)
	if err == nil {
		r.Close()
		return true
	}
	var refused *StatusError
	return errors.As(err, &refused)
}

func (r *BlockReader) begin(a answer) error {
	if a.status != statusSuccess {
		return &StatusError{a.status, a.message}
	}
	if a.chunkOffset < 0 || a.chunkOffset > r.from {
		return fmt.Errorf("asked for byte %d, but the DataNode begins at %d", r.from, a.chunkOffset)
	}
	r.sum, r.next = a.checksum, a.chunkOffset
	return r.sum.check()
}

// Next returns the next verified bytes, or io.EOF after the last. The bytes are valid until the
// next call.
func (r *BlockReader) Next() ([]byte, error) {
	for len(r.rest) == 0 && r.err == nil {
		r.err = r.packet()
	}
	if len(r.rest) > 0 {
		b := r.rest
		r.rest = nil
		return b, nil
	}
	return nil, r.err
}

// Read implements io.Reader.
func (r *BlockReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 && r.err == nil {
		r.err = r.packet()
	}
	if len(r.rest) == 0 {
		return 0, r.err
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// packet receives and verifies one packet.
func (r *BlockReader) packet() error {
	if r.from == r.to {
		return io.EOF
	}
	data, err := r.receive()
	if err != nil {
		return r.c.why(err)
	}
	at := r.next
	r.next += int64(len(data))
	begin, end := min(max(r.from, at), r.next), min(r.to, r.next)
	if begin >= end {
		return nil
	}
	r.rest, r.from = data[begin-at:end-at], end
	if r.from == r.to {
		r.finish()
	}
	return nil
}

// receive returns the verified data of the next packet.
func (r *BlockReader) receive() ([]byte, error) {
	h, sums, data, err := r.raw()
	if err != nil {
		return nil, err
	}
	if h.offset != r.next || h.seq != r.seq {
		return nil, fmt.Errorf("packet %d at byte %d, want packet %d at byte %d", h.seq, h.offset, r.seq, r.next)
	}
	if h.last || len(data) == 0 {
		return nil, fmt.Errorf("the replica ends at byte %d: %w", r.next, io.ErrUnexpectedEOF)
	}
	r.seq++
	return data, r.sum.verify(data, sums, h.offset)
}

// raw receives a packet into the reader's buffer, without verifying it.
func (r *BlockReader) raw() (h header, sums, data []byte, err error) {
	if err := r.c.armRead(); err != nil {
		return h, nil, nil, err
	}
	b, err := r.c.r.Peek(prefix)
	if err != nil {
		return h, nil, nil, err
	}
	head, rest, err := lengths(b)
	if err != nil {
		return h, nil, nil, err
	}
	if b, err = r.c.r.Peek(prefix + head); err != nil {
		return h, nil, nil, err
	}
	if h, err = decodeHeader(b[prefix:]); err != nil {
		return h, nil, nil, err
	}
	r.c.r.Discard(prefix + head)
	size := r.sum.size(h.size)
	if rest != size+h.size {
		return h, nil, nil, fmt.Errorf("a packet of %d bytes, want %d of data and %d of checksums", rest, h.size, size)
	}
	if cap(r.buf) < rest {
		r.buf = make([]byte, rest)
	}
	all := r.buf[:rest]
	if _, err := io.ReadFull(r.c.r, all); err != nil {
		return h, nil, nil, err
	}
	return h, all[:size], all[size:], nil
}

// finish reads the empty last packet, reports success to the DataNode, and caches the connection.
func (r *BlockReader) finish() {
	buf := r.buf
	r.buf = nil // the buffer still contains the last bytes returned
	h, _, _, err := r.raw()
	r.buf = buf
	if err != nil || !h.last || h.size != 0 {
		return
	}
	status := pb.Message(nil).Uint(1, statusChecksumOK)
	if _, err := r.c.nc.Write(pb.Delimited(nil, status)); err != nil || !r.stop() {
		return
	}
	r.client.keep(r.c)
	r.c = nil
}

// Close ends the read. It closes the connection unless all bytes have been read and the connection
// is cached.
func (r *BlockReader) Close() error {
	if r.c != nil {
		r.stop()
		r.c.nc.Close()
		r.c = nil
	}
	if r.err == nil {
		r.err = errors.New("the reader is closed")
	}
	r.rest = nil
	return nil
}
