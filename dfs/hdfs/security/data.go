package security

import (
	"bufio"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/hdfs/sasl"
	"github.com/howdah/howdah/dfs/hdfs/transfer"
	"github.com/howdah/howdah/internal/pb"
	"github.com/howdah/howdah/job/failure"
)

// dataMagic precedes the first message of a handshake on data transfer, where an operation's header
// would otherwise be.
const dataMagic = 0xDEADBEEF

// The parts of every DataNode's digest-uri in DIGEST-MD5.
const (
	dataService = "hdfs"
	dataServer  = "0"
)

// Data secures connections to the DataNodes of one name service. It implements transfer.Security
// and is safe for concurrent use.
type Data struct {
	id *Identity

	mu      sync.Mutex
	asked   bool
	key     *transfer.EncryptionKey // nil if the cluster does not encrypt
	expires time.Time
}

// Data returns a Data that connects to the DataNodes of one name service on behalf of i.
func (i *Identity) Data() *Data { return &Data{id: i} }

// Secure implements transfer.Security. Like Hadoop's client, it encrypts if the NameNode requires
// it. Otherwise, on a secured cluster, it logs in with the block's token, if there is one, unless a
// privileged port proves the DataNode's identity.
func (d *Data) Secure(ctx context.Context, nc net.Conn, p transfer.Peer) (net.Conn, error) {
	key, err := d.encryptionKey(ctx, p)
	if err != nil {
		return nil, err
	}
	h := dataHandshake{nc: nc, r: bufio.NewReader(nc)}
	addr := net.JoinHostPort(p.DataNode.Host, strconv.Itoa(p.DataNode.Port))
	switch {
	case key != nil:
		// The user is the key's name, and the password is the key.
		user := fmt.Sprintf("%d %s %s", key.ID, key.BlockPool, base64.StdEncoding.EncodeToString(key.Nonce))
		h.m = sasl.NewDigest(sasl.DigestOptions{User: user, Password: base64.StdEncoding.EncodeToString(key.Key),
			Service: dataService, Host: dataServer,
			Want: []sasl.Protection{sasl.Privacy}})
		h.offerAES = d.id.s.aes
	case !d.id.s.kerberos, p.DataNode.Port > 0 && p.DataNode.Port < 1024, len(p.Token.Identifier) == 0:
		return nc, nil
	default:
		h.m = digest(p.Token.Identifier, p.Token.Password, dataService, dataServer, d.id.s.data)
		h.offerAES = d.id.s.aes
	}
	secured, err := h.run()
	if errors.Is(err, errUnknownKey) {
		d.forget()
	}
	if err != nil {
		return nil, explainData(addr, err)
	}
	return secured, nil
}

// encryptionKey returns the key for encrypted transfer and caches it until a minute before it
// expires. It returns nil if the cluster does not encrypt.
func (d *Data) encryptionKey(ctx context.Context, p transfer.Peer) (*transfer.EncryptionKey, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.asked && (d.key == nil || time.Now().Before(d.expires)) || p.Key == nil {
		return d.key, nil
	}
	key, err := p.Key(ctx)
	if err != nil {
		return nil, err
	}
	d.key, d.asked = key, true
	if key != nil {
		d.expires = time.UnixMilli(int64(key.ExpiryMillis)).Add(-time.Minute)
	}
	return key, nil
}

// forget makes the next connection fetch a new key from the NameNode.
func (d *Data) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = false
}

// explainData converts err, the error of a login at a DataNode, to a *failure.Error with a remedy.
// If err already is a *failure.Error, explainData returns it unchanged.
func explainData(addr string, err error) error {
	const op = "log in to DataNode"
	var e *failure.Error
	switch {
	case errors.As(err, &e):
		return err
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return failure.New(failure.Unreachable, op, addr, errors.New("the DataNode closed the connection")).
			Fix("compare " + conf.DFSDataTransferProtection.Name + " with the DataNode's")
	}
	kind := failure.KindOf(err)
	if kind == failure.Unknown {
		kind = failure.Permission
	}
	return failure.New(kind, op, addr, err).Fix("compare " + conf.DFSDataTransferProtection.Name + " with the DataNode's")
}

// dataHandshake is one login at a DataNode.
type dataHandshake struct {
	nc       net.Conn
	r        *bufio.Reader
	m        sasl.Mechanism
	offerAES bool
}

func (h *dataHandshake) run() (net.Conn, error) {
	first := binary.BigEndian.AppendUint32(nil, dataMagic)
	if _, err := h.nc.Write(pb.Delimited(first, (&dataMessage{payload: []byte{}}).encode())); err != nil {
		return nil, err
	}
	challenge, err := h.receive()
	if err != nil {
		return nil, err
	}
	answer, err := h.m.Step(challenge.payload)
	if err != nil {
		return nil, err
	}
	reply := dataMessage{payload: answer}
	if h.offerAES {
		reply.ciphers = []cipherOption{{suite: suiteAES}}
	}
	if _, err := h.nc.Write(pb.Delimited(nil, reply.encode())); err != nil {
		return nil, err
	}
	last, err := h.receive()
	if err != nil {
		return nil, err
	}
	if _, err := h.m.Step(last.payload); err != nil {
		return nil, err
	}
	l := h.m.Layer()
	if l == nil {
		return &buffered{Conn: h.nc, r: h.r}, nil
	}
	for _, c := range last.ciphers {
		if h.offerAES && c.suite == suiteAES {
			return h.aes(l, c)
		}
	}
	return newDataConn(h.nc, h.r, l), nil
}

// aes replaces the mechanism's own protection with AES in counter mode. The server sent the keys
// under the mechanism's protection. "in" and "out" are from the server's point of view.
func (h *dataHandshake) aes(l sasl.Layer, c cipherOption) (net.Conn, error) {
	in, err := l.Unwrap(c.inKey)
	if err != nil {
		return nil, err
	}
	in = append([]byte(nil), in...)
	out, err := l.Unwrap(c.outKey)
	if err != nil {
		return nil, err
	}
	send, err := counter(in, c.inIV)
	if err != nil {
		return nil, err
	}
	receive, err := counter(out, c.outIV)
	if err != nil {
		return nil, err
	}
	return &aesConn{Conn: h.nc, r: h.r, send: send, receive: receive}, nil
}

func counter(key, iv []byte) (cipher.Stream, error) {
	b, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	if len(iv) != b.BlockSize() {
		return nil, errMessage
	}
	return cipher.NewCTR(b, iv), nil
}

// aesConn encrypts a connection. One goroutine may read while another writes.
type aesConn struct {
	net.Conn
	r             *bufio.Reader
	send, receive cipher.Stream
	out           []byte
}

func (c *aesConn) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.receive.XORKeyStream(p[:n], p[:n])
	return n, err
}

// maxCrypt is the maximum number of bytes that Write encrypts and sends at a time.
const maxCrypt = 128 << 10

func (c *aesConn) Write(p []byte) (int, error) {
	done := 0
	for done < len(p) {
		part := p[done:min(len(p), done+maxCrypt)]
		if cap(c.out) < len(part) {
			c.out = make([]byte, len(part))
		}
		c.out = c.out[:len(part)]
		c.send.XORKeyStream(c.out, part)
		n, err := c.Conn.Write(c.out)
		done += n
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

// buffered is a connection whose reads first return the data in the buffer of the handshake's
// reader.
type buffered struct {
	net.Conn
	r *bufio.Reader
}

func (b *buffered) Read(p []byte) (int, error) { return b.r.Read(p) }
