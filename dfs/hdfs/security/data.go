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

	"github.com/howdah/howdah/dfs/hdfs/pb"
	"github.com/howdah/howdah/dfs/hdfs/sasl"
	"github.com/howdah/howdah/dfs/hdfs/transfer"
	"github.com/howdah/howdah/job/failure"
)

// dataMagic announces a handshake on data transfer, where an operation would begin.
const dataMagic = 0xDEADBEEF

// A DataNode knows itself by this name in DIGEST-MD5, whichever it is.
const (
	dataService = "hdfs"
	dataServer  = "0"
)

// Data makes connections to the DataNodes of one name service safe. It implements transfer.Security and may be used by many
// goroutines.
type Data struct {
	id *Identity

	mu      sync.Mutex
	asked   bool
	key     *transfer.EncryptionKey // nil = the cluster does not encrypt
	expires time.Time
}

// Data gives the hook for one name service.
func (i *Identity) Data() *Data { return &Data{id: i} }

// Secure implements transfer.Security. As Hadoop's client it encrypts where the NameNode says so, logs in with the block's token on
// a secured cluster, and does neither with a DataNode on a privileged port, which has proved by it who it is.
func (d *Data) Secure(ctx context.Context, nc net.Conn, p transfer.Peer) (net.Conn, error) {
	key, err := d.encryptionKey(ctx, p)
	if err != nil {
		return nil, err
	}
	h := dataHandshake{nc: nc, r: bufio.NewReader(nc)}
	addr := net.JoinHostPort(p.DataNode.Host, strconv.Itoa(p.DataNode.Port))
	switch {
	case key != nil:
		// The name of the key is the user, the key the password.
		user := fmt.Sprintf("%d %s %s", key.ID, key.BlockPool, base64.StdEncoding.EncodeToString(key.Nonce))
		h.m = sasl.NewDigest(sasl.DigestOptions{User: user, Password: base64.StdEncoding.EncodeToString(key.Key), Service: dataService, Host: dataServer,
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

// encryptionKey gives the key of encrypted transfer, from memory as long as it is good; nil if the cluster does not encrypt.
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

// forget makes the next connection fetch a new key.
func (d *Data) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = false
}

// explainData leaves alone what another replica may cure, and tells what to do about the rest.
func explainData(addr string, err error) error {
	const op = "log in at DataNode"
	var e *failure.Error
	switch {
	case errors.As(err, &e):
		return err
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return failure.New(failure.Unreachable, op, addr, errors.New("it hung up")).
			Fix("compare " + keyDataProtection + " with the DataNode's")
	}
	kind := failure.KindOf(err)
	if kind == failure.Unknown {
		kind = failure.Permission
	}
	return failure.New(kind, op, addr, err).Fix("compare " + keyDataProtection + " with the DataNode's")
}

// dataHandshake is one log-in at a DataNode.
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

// aes replaces the mechanism's own protection by AES in counter mode, with keys that the server sent under that protection. The
// names in and out are the server's.
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

// aesConn encrypts a connection. One goroutine may read and another one write.
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

// maxCrypt bounds the copy that Write makes of what it encrypts.
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

// buffered reads on where the handshake's reader stopped.
type buffered struct {
	net.Conn
	r *bufio.Reader
}

func (b *buffered) Read(p []byte) (int, error) { return b.r.Read(p) }
