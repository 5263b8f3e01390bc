package security

import (
	"bufio"
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/binary"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/hdfs/sasl/sasltest"
	"github.com/howdah/howdah/dfs/hdfs/transfer"
	"github.com/howdah/howdah/internal/pb"
	"github.com/howdah/howdah/job/failure"
)

// dataNode is the server's side of a login on data transfer.
type dataNode struct {
	nc     net.Conn
	proof  *sasltest.Digest
	status uint64 // of the first answer
	useAES bool
}

func (n *dataNode) message(r *bufio.Reader) (dataMessage, error) {
	b, err := readDelimited(r, maxHandshake)
	if err != nil {
		return dataMessage{}, err
	}
	return parseDataMessage(b)
}

func (n *dataNode) serve() {
	defer n.nc.Close()
	r := bufio.NewReader(n.nc)
	var magic [4]byte
	if _, err := io.ReadFull(r, magic[:]); err != nil || binary.BigEndian.Uint32(magic[:]) != dataMagic {
		return
	}
	if _, err := n.message(r); err != nil {
		return
	}
	_, _ = n.nc.Write(pb.Delimited(nil, (&dataMessage{status: n.status, payload: n.proof.Challenge()}).encode()))
	answer, err := n.message(r)
	if err != nil {
		return
	}
	last, err := n.proof.Check(answer.payload)
	if err != nil {
		_, _ = n.nc.Write(pb.Delimited(nil, pb.Message(nil).Uint(1, 2).String(3, err.Error())))
		return
	}
	reply := dataMessage{payload: last}
	inKey, outKey, iv := bytes.Repeat([]byte{1}, 16), bytes.Repeat([]byte{2}, 16), bytes.Repeat([]byte{3}, 16)
	if n.useAES {
		if len(answer.ciphers) != 1 || answer.ciphers[0].suite != suiteAES {
			return
		}
		reply.ciphers = []cipherOption{{suite: suiteAES, inKey: n.proof.Wrap(inKey), inIV: iv, outKey: n.proof.Wrap(outKey),
			outIV: iv}}
	}
	_, _ = n.nc.Write(pb.Delimited(nil, reply.encode()))
	switch {
	case n.useAES:
		n.echoAES(r, inKey, outKey, iv)
	case n.proof.QOP == "auth":
		_, _ = io.Copy(n.nc, r)
	default:
		n.echo(r)
	}
}

func (n *dataNode) echo(r *bufio.Reader) {
	for {
		var head [4]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return
		}
		b := make([]byte, binary.BigEndian.Uint32(head[:]))
		if _, err := io.ReadFull(r, b); err != nil {
			return
		}
		text, err := n.proof.Unwrap(b)
		if err != nil {
			return
		}
		out := n.proof.Wrap(text)
		_, _ = n.nc.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(out))), out...))
	}
}

func (n *dataNode) echoAES(r *bufio.Reader, inKey, outKey, iv []byte) {
	in, _ := aes.NewCipher(inKey)
	out, _ := aes.NewCipher(outKey)
	receive, send := cipher.NewCTR(in, iv), cipher.NewCTR(out, iv)
	buf := make([]byte, 4096)
	for {
		k, err := r.Read(buf)
		if err != nil {
			return
		}
		receive.XORKeyStream(buf[:k], buf[:k])
		send.XORKeyStream(buf[:k], buf[:k])
		if _, err := n.nc.Write(buf[:k]); err != nil {
			return
		}
	}
}

var blockToken = transfer.Token{Identifier: []byte("block"), Password: []byte("secret")}

func blockProof(qop string) *sasltest.Digest {
	e := base64.StdEncoding
	return &sasltest.Digest{User: e.EncodeToString(blockToken.Identifier), Password: e.EncodeToString(blockToken.Password),
		URI: "hdfs/0", QOP: qop}
}

func kerberosConf() *conf.Config {
	c := conf.New()
	c.Set(conf.HadoopSecurityAuthentication.Name, "kerberos", "test")
	c.Set(conf.DFSNameNodeKerberosPrincipal.Name, "nn/_HOST@R", "test")
	return c
}

// secure runs a login at a DataNode.
func secure(t *testing.T, n *dataNode, c *conf.Config, p transfer.Peer) (net.Conn, *Data, error) {
	t.Helper()
	id, err := New(c, withToken())
	require.NoError(t, err)
	d := id.Data()
	nc, err := secureWith(t, d, n, p)
	return nc, d, err
}

func secureWith(t *testing.T, d *Data, n *dataNode, p transfer.Peer) (net.Conn, error) {
	t.Helper()
	ours, theirs := net.Pipe()
	n.nc = theirs
	done := make(chan struct{})
	go func() {
		defer close(done)
		n.serve()
	}()
	t.Cleanup(func() { ours.Close(); <-done })
	p.DataNode.Host, p.DataNode.Port = "dn", 9866
	return d.Secure(context.Background(), ours, p)
}

func echo(t *testing.T, nc net.Conn) {
	t.Helper()
	for _, size := range []int{1, 5000, 200000} {
		text := bytes.Repeat([]byte("abc"), size)
		go func() { _, _ = nc.Write(text) }()
		got := make([]byte, len(text))
		_, err := io.ReadFull(nc, got)
		require.NoError(t, err)
		require.Equal(t, text, got)
	}
}

func TestBlockTokenLogin(t *testing.T) {
	for _, qop := range []string{"auth", "auth-int", "auth-conf"} {
		nc, _, err := secure(t, &dataNode{proof: blockProof(qop)}, kerberosConf(), transfer.Peer{Token: blockToken})
		require.NoError(t, err, qop)
		echo(t, nc)
	}
	c := kerberosConf()
	c.Set(conf.DFSEncryptDataTransferCipherSuites.Name, aesCTR, "test")
	nc, _, err := secure(t, &dataNode{proof: blockProof("auth-conf"), useAES: true}, c, transfer.Peer{Token: blockToken})
	require.NoError(t, err)
	echo(t, nc)
}

func TestNoLoginWhereNoneIsWanted(t *testing.T) {
	ours, theirs := net.Pipe()
	defer ours.Close()
	defer theirs.Close()
	open, err := New(conf.New(), withToken())
	require.NoError(t, err)
	secured, err := New(kerberosConf(), withToken())
	require.NoError(t, err)
	for _, x := range []struct {
		id *Identity
		p  transfer.Peer
	}{
		{open, transfer.Peer{Token: blockToken, DataNode: transfer.DataNode{Port: 9866}}},
		{secured, transfer.Peer{Token: blockToken, DataNode: transfer.DataNode{Port: 1004}}},
		{secured, transfer.Peer{DataNode: transfer.DataNode{Port: 9866}}},
	} {
		nc, err := x.id.Data().Secure(context.Background(), ours, x.p)
		require.NoError(t, err)
		require.Same(t, ours, nc)
	}
}

func TestEncryptionKeyIsKeptAndForgotten(t *testing.T) {
	key := &transfer.EncryptionKey{ID: 7, BlockPool: "BP-1", Nonce: []byte("nonce"), Key: []byte("key"),
		ExpiryMillis: uint64(time.Now().Add(time.Hour).UnixMilli())}
	asked := 0
	p := transfer.Peer{Key: func(context.Context) (*transfer.EncryptionKey, error) { asked++; return key, nil }}
	proof := func() *sasltest.Digest {
		return &sasltest.Digest{User: "7 BP-1 " + base64.StdEncoding.EncodeToString(key.Nonce),
			Password: base64.StdEncoding.EncodeToString(key.Key), URI: "hdfs/0", QOP: "auth-conf"}
	}
	nc, d, err := secure(t, &dataNode{proof: proof()}, conf.New(), p)
	require.NoError(t, err)
	echo(t, nc)
	_, err = secureWith(t, d, &dataNode{proof: proof()}, p)
	require.NoError(t, err)
	require.Equal(t, 1, asked)
	_, err = secureWith(t, d, &dataNode{proof: proof(), status: statusUnknownKey}, p)
	require.ErrorContains(t, err, "encryption key")
	_, err = secureWith(t, d, &dataNode{proof: proof()}, p)
	require.NoError(t, err)
	require.Equal(t, 2, asked)
}

func TestDataNodeThatRefuses(t *testing.T) {
	wrong := blockProof("auth")
	wrong.Password = "another"
	_, _, err := secure(t, &dataNode{proof: wrong}, kerberosConf(), transfer.Peer{Token: blockToken})
	require.True(t, failure.Is(err, failure.Permission), "%v", err)
	require.ErrorContains(t, err, "wrong password")
	c := kerberosConf()
	c.Set(conf.DFSDataTransferProtection.Name, "privacy", "test")
	_, _, err = secure(t, &dataNode{proof: blockProof("auth")}, c, transfer.Peer{Token: blockToken})
	require.ErrorContains(t, err, conf.DFSDataTransferProtection.Name)
}
