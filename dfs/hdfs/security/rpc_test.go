package security

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/hdfs/rpc"
	"github.com/howdah/howdah/dfs/hdfs/sasl/sasltest"
	"github.com/howdah/howdah/dfs/hdfs/token"
	"github.com/howdah/howdah/internal/pb"
	"github.com/howdah/howdah/job/failure"
)

// nameNode is the server's side of a login.
type nameNode struct {
	t     *testing.T
	nc    net.Conn
	offer []auth
	proof *sasltest.Digest
	loses bool // closes the connection during the login
}

var aToken = token.Token{Identifier: []byte("identifier"), Password: []byte("password"), Kind: token.KindHDFS,
	Service: "127.0.0.1:8020"}

func theToken(qop string) *sasltest.Digest {
	e := base64.StdEncoding
	return &sasltest.Digest{User: e.EncodeToString(aToken.Identifier), Password: e.EncodeToString(aToken.Password),
		URI: "/default", QOP: qop}
}

func (n *nameNode) receive() (saslMessage, error) {
	var head [4]byte
	if _, err := io.ReadFull(n.nc, head[:]); err != nil {
		return saslMessage{}, err
	}
	b := make([]byte, binary.BigEndian.Uint32(head[:]))
	if _, err := io.ReadFull(n.nc, b); err != nil {
		return saslMessage{}, err
	}
	_, rest, ok1 := pb.CutDelimited(b)
	body, rest, ok2 := pb.CutDelimited(rest)
	if !ok1 || !ok2 || len(rest) != 0 {
		return saslMessage{}, errors.New("not a message")
	}
	return parseMessage(body)
}

func (n *nameNode) send(m pb.Message) {
	head := pb.Message(nil).Int(1, saslCall).Uint(2, 0)
	_, _ = n.nc.Write(rpc.Frame(head, m))
}

func (n *nameNode) refuse(class, text string) {
	head := pb.Message(nil).Int(1, saslCall).Uint(2, 2).String(4, class).String(5, text)
	_, _ = n.nc.Write(rpc.Frame(head))
}

// serve handles a login and then echoes all data.
func (n *nameNode) serve() {
	defer n.nc.Close()
	if m, err := n.receive(); err != nil || m.state != stateNegotiate {
		return
	}
	offer := pb.Message(nil).Uint(2, stateNegotiate)
	for _, a := range n.offer {
		offer = offer.Bytes(4, pb.Message(nil).String(1, a.method).String(2, a.mechanism).String(3, a.protocol).
			String(4, a.server).Bytes(5, a.challenge))
	}
	n.send(offer)
	m, err := n.receive()
	if err != nil || n.loses || n.proof == nil {
		return
	}
	last, err := n.proof.Check(m.token)
	if err != nil || m.state != stateInitiate || len(m.auths) != 1 {
		n.refuse("org.apache.hadoop.security.token.SecretManager$InvalidToken", "token (…) can't be found in cache")
		return
	}
	n.send((&saslMessage{state: stateSuccess, token: last}).encode())
	n.echo()
}

func (n *nameNode) echo() {
	if n.proof.QOP == "auth" {
		_, _ = io.Copy(n.nc, n.nc)
		return
	}
	for {
		m, err := n.receive()
		if err != nil || m.state != stateWrap {
			return
		}
		b, err := n.proof.Unwrap(m.token)
		if err != nil {
			return
		}
		n.send((&saslMessage{state: stateWrap, token: n.proof.Wrap(b)}).encode())
	}
}

// login runs a login at a server.
func login(t *testing.T, n *nameNode, c *conf.Config, o Options) (net.Conn, string, error) {
	t.Helper()
	ours, theirs := net.Pipe()
	n.t, n.nc = t, theirs
	done := make(chan struct{})
	go func() {
		defer close(done)
		n.serve()
	}()
	t.Cleanup(func() { ours.Close(); <-done })
	id, err := New(c, o)
	require.NoError(t, err)
	return id.Negotiate(context.Background(), ours, rpc.Server{Addr: "127.0.0.1:8020", Service: "127.0.0.1:8020",
		Protocol: "p"})
}

func withToken() Options {
	c := &token.Credentials{}
	c.Add(aToken)
	return Options{User: "alice", Tokens: c, TokensOnly: true}
}

func tokenOffer(d *sasltest.Digest) []auth {
	return []auth{{method: "TOKEN", mechanism: "DIGEST-MD5", server: "default", challenge: d.Challenge()},
		{method: "KERBEROS", mechanism: "GSSAPI", protocol: "nn", server: "h"}}
}

func TestTokenLogin(t *testing.T) {
	for _, qop := range []string{"auth", "auth-int", "auth-conf"} {
		proof := theToken(qop)
		nc, user, err := login(t, &nameNode{offer: tokenOffer(proof), proof: proof}, conf.New(), withToken())
		require.NoError(t, err, qop)
		require.Empty(t, user, "the token tells it")
		for _, size := range []int{1, 100, 70000, 200000} {
			text := bytes.Repeat([]byte("x"), size)
			go func() { _, _ = nc.Write(text) }()
			got := make([]byte, size)
			_, err := io.ReadFull(nc, got)
			require.NoError(t, err)
			require.Equal(t, text, got)
		}
	}
}

func TestLoginsThatFail(t *testing.T) {
	secured := conf.New()
	secured.Set(conf.HadoopSecurityAuthentication.Name, "kerberos", "test")
	secured.Set(conf.DFSNameNodeKerberosPrincipal.Name, "nn/_HOST@R", "test")
	fallback := secured.Clone()
	fallback.Set(conf.IPCClientFallbackToSimpleAuthAllowed.Name, "true", "test")
	wants := conf.New()
	wants.Set(conf.HadoopRPCProtection.Name, "privacy", "test")
	other := theToken("auth")
	other.Password = "another"
	simple := []auth{{method: "SIMPLE"}}
	for name, x := range map[string]struct {
		n    *nameNode
		c    *conf.Config
		kind failure.Kind
		says string
	}{
		"a wrong password": {&nameNode{offer: tokenOffer(other), proof: other}, conf.New(), failure.Permission,
			"get a new one"},
		"no security there": {&nameNode{offer: simple}, secured, failure.Config,
			conf.IPCClientFallbackToSimpleAuthAllowed.Name},
		"protection that it has": {&nameNode{offer: tokenOffer(theToken("auth")), proof: theToken("auth")}, wants,
			failure.Config, conf.HadoopRPCProtection.Name},
		"nothing that we speak": {&nameNode{offer: []auth{{method: "PLAIN", mechanism: "PLAIN"}}}, secured,
			failure.Config, "PLAIN"},
		"no offer": {&nameNode{}, conf.New(), failure.Permission, "no token"},
	} {
		_, _, err := login(t, x.n, x.c, withToken())
		require.Error(t, err, name)
		require.Equal(t, x.kind, failure.KindOf(err), "%s: %v", name, err)
		require.ErrorContains(t, err, x.says, name)
	}
	_, user, err := login(t, &nameNode{offer: simple}, fallback, withToken())
	require.NoError(t, err)
	require.Equal(t, "alice", user)
	_, _, err = login(t, &nameNode{offer: tokenOffer(theToken("auth")), loses: true}, conf.New(), withToken())
	var lost *rpc.LostError
	require.ErrorAs(t, err, &lost, "it may be tried again")
}

// TestTokensOnly checks that a job's processes do not use the daemon's ticket.
func TestTokensOnly(t *testing.T) {
	c := conf.New()
	c.Set(conf.HadoopSecurityAuthentication.Name, "kerberos", "test")
	c.Set(conf.DFSNameNodeKerberosPrincipal.Name, "nn/_HOST@R", "test")
	_, _, err := login(t, &nameNode{offer: tokenOffer(theToken("auth"))}, c,
		Options{User: "alice", Tokens: &token.Credentials{}, TokensOnly: true})
	require.True(t, failure.Is(err, failure.Permission), "%v", err)
	require.ErrorContains(t, err, "mapreduce.job.hdfs-servers")
}

func FuzzMessage(f *testing.F) {
	f.Add([]byte((&saslMessage{state: stateInitiate, token: []byte("t"),
		auths: []auth{{method: "TOKEN", mechanism: "DIGEST-MD5"}}}).encode()))
	f.Fuzz(func(_ *testing.T, b []byte) {
		_, _ = parseMessage(b)
		_, _ = decodeMessage(b)
		_, _ = parseDataMessage(b)
		_, _ = parseKey(b)
		_, _ = encryptsTransfer(b)
	})
}
