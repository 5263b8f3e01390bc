package security

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/hdfs/rpc"
	"github.com/howdah/howdah/dfs/hdfs/sasl"
	"github.com/howdah/howdah/dfs/hdfs/token"
	"github.com/howdah/howdah/job/failure"
)

const opLogin = "log in to NameNode"

// Negotiate implements rpc.Security. It uses a token for this server if the caller has one.
// Otherwise, it uses Kerberos or, if the settings allow it, SIMPLE.
func (i *Identity) Negotiate(ctx context.Context, nc net.Conn, s rpc.Server) (net.Conn, string, error) {
	n := negotiation{id: i, nc: nc, server: s, in: frames{r: nc, max: maxHandshake}}
	secured, user, err := n.run(ctx)
	if err != nil {
		return nil, "", n.explain(ctx, err)
	}
	return secured, user, nil
}

// negotiation is one login to a server.
type negotiation struct {
	id     *Identity
	nc     net.Conn
	server rpc.Server
	in     frames
	with   string // credential in use; for error messages
}

func (n *negotiation) run(ctx context.Context) (net.Conn, string, error) {
	if err := sendMessage(n.nc, &saslMessage{state: stateNegotiate}); err != nil {
		return nil, "", n.lost(err)
	}
	offer, err := n.receive(stateNegotiate)
	if err != nil {
		return nil, "", err
	}
	m, choice, err := n.choose(ctx, offer.auths)
	if err != nil {
		return nil, "", err
	}
	if m == nil { // SIMPLE: the server trusts the name and sends no further message
		if err := sendMessage(n.nc, &saslMessage{state: stateInitiate, auths: []auth{choice}}); err != nil {
			return nil, "", n.lost(err)
		}
		return n.nc, n.id.user, nil
	}
	if err := n.converse(m, choice); err != nil {
		return nil, "", err
	}
	if l := m.Layer(); l != nil {
		return newRPCConn(n.nc, l, n.in.rest()), "", nil
	}
	if len(n.in.rest()) > 0 {
		return nil, "", errMessage
	}
	return n.nc, "", nil
}

// choose chooses one of the authentication methods that the server offers. It returns the mechanism
// for the method, which is nil for SIMPLE, and the server's offer.
func (n *negotiation) choose(ctx context.Context, offered []auth) (sasl.Mechanism, auth, error) {
	var names []string
	for _, a := range offered {
		names = append(names, a.method)
		if t, ok := n.token(); ok && a.method == "TOKEN" && a.mechanism == "DIGEST-MD5" {
			n.with = t.String()
			return digest(t.Identifier, t.Password, a.protocol, a.server, n.id.s.rpc), a, nil
		}
	}
	for _, a := range offered {
		switch {
		case a.method == "KERBEROS" && a.mechanism == "GSSAPI" && n.id.s.kerberos:
			m, err := n.kerberos(ctx, a)
			return m, a, err
		case a.method == "SIMPLE" && (!n.id.s.kerberos || n.id.s.fallback):
			return nil, a, nil
		}
	}
	if len(offered) > 0 && offered[0].method == "SIMPLE" {
		return nil, auth{}, failure.New(failure.Config, opLogin, n.server.Addr,
			errors.New("the server has no security, but this client requires it ("+
				conf.HadoopSecurityAuthentication.Name+"=kerberos)")).
			Fix("correct the address, or set " + conf.IPCClientFallbackToSimpleAuthAllowed.Name + "=true")
	}
	if n.id.s.kerberos {
		return nil, auth{}, failure.New(failure.Config, opLogin, n.server.Addr,
			fmt.Errorf("the server offers only %s, which this client does not support", strings.Join(names, ", ")))
	}
	return nil, auth{}, failure.New(failure.Permission, opLogin, n.server.Addr,
		fmt.Errorf("the server offers %s, but no token for %s exists", strings.Join(names, ", "), n.server.Service)).
		Fix("set " + conf.HadoopSecurityAuthentication.Name + "=kerberos and kinit, or name a file of tokens in " +
			token.FileEnv)
}

// token returns the caller's token for the server, and reports whether there is one. The service of
// a token for a single NameNode contains the NameNode's IP address or host
// (hadoop.security.token.service.use_ip).
func (n *negotiation) token() (token.Token, bool) {
	services := []string{n.server.Service}
	if !strings.HasPrefix(n.server.Service, HAService) {
		services = append(services, n.nc.RemoteAddr().String(), n.server.Addr)
	}
	return n.id.creds.Find(token.KindHDFS, services...)
}

// kerberos returns the mechanism for a login with a ticket. Before it gets the ticket, it checks
// that the server's principal matches the configuration.
func (n *negotiation) kerberos(ctx context.Context, a auth) (sasl.Mechanism, error) {
	login, err := n.id.login()
	if err != nil {
		return nil, err
	}
	n.with = login.String()
	principal, err := n.id.serverPrincipal(a, n.server.Addr)
	if err != nil {
		return nil, err
	}
	t, err := login.Ticket(ctx, principal)
	if err != nil {
		return nil, err
	}
	return t.Mechanism(n.id.s.rpc), nil
}

// converse exchanges the mechanism's messages until both sides are done.
func (n *negotiation) converse(m sasl.Mechanism, a auth) error {
	response, err := m.Step(a.challenge)
	if err != nil {
		return err
	}
	next := saslMessage{state: stateInitiate, token: response, auths: []auth{a}}
	for range 8 { // no mechanism needs more than four messages
		if err := sendMessage(n.nc, &next); err != nil {
			return n.lost(err)
		}
		got, err := n.receive(stateChallenge, stateSuccess)
		if err != nil {
			return err
		}
		if got.state == stateSuccess {
			if got.token != nil {
				if response, err = m.Step(got.token); err != nil {
					return err
				}
			}
			if !m.Done() || got.token != nil && len(response) > 0 {
				return errors.New(m.Name() + ": the server ended the conversation too early")
			}
			return nil
		}
		if response, err = m.Step(got.token); err != nil {
			return err
		}
		if response == nil {
			response = []byte{}
		}
		next = saslMessage{state: stateResponse, token: response}
	}
	return errors.New(m.Name() + ": the conversation does not end")
}

// receive reads the next message, which must be in one of the given states.
func (n *negotiation) receive(states ...uint64) (saslMessage, error) {
	m, err := readMessage(&n.in)
	if err != nil {
		var remote *rpc.RemoteError
		if errors.As(err, &remote) || errors.Is(err, errMessage) {
			return m, err
		}
		return m, n.lost(err)
	}
	for _, s := range states {
		if m.state == s {
			return m, nil
		}
	}
	return m, fmt.Errorf("the server sent a SASL message in state %d", m.state)
}

// lost returns the error for a connection that broke. The caller may retry after this error.
func (n *negotiation) lost(err error) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return &rpc.LostError{Addr: n.server.Addr, Err: fmt.Errorf("while logging in: %w", err)}
}

// explain adds a remedy to a handshake error, unless the error might be temporary.
func (n *negotiation) explain(ctx context.Context, err error) error {
	var ours *failure.Error
	var lost *rpc.LostError
	var remote *rpc.RemoteError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &ours), errors.As(err, &lost):
		return err
	case errors.As(err, &remote):
		return n.refused(remote)
	}
	return failure.New(failure.Config, opLogin, n.server.Addr, fmt.Errorf("with %s: %w", n.with, err)).
		Fix("compare " + conf.HadoopRPCProtection.Name + " and the keys and principals of both sides")
}

// refusals maps parts of a server's error messages to kinds and remedies. Hadoop passes on the
// error messages of Java's Kerberos implementation.
var refusals = []struct {
	text   string
	kind   failure.Kind
	remedy string
}{
	{"Clock skew too great", failure.Config,
		"set the clocks of this machine and of the NameNode (at most 5 minutes apart)"},
	{"Ticket expired", failure.Permission, "kinit"},
	{"token (", failure.Permission, "the token has expired or was canceled: get a new one"},
	{"is expired", failure.Permission, "the token has expired: get a new one"},
	{"has expired", failure.Permission, "the token has expired because nobody renewed it; the JobTracker " +
		"renews the tokens of jobs: see its log"},
	{"can't be found in cache", failure.Permission, "the token has expired or was canceled: get a new one"},
	{"Checksum failed", failure.Config, "the NameNode's keytab and the KDC have different keys: renew the keytab"},
	{"Request is a replay", failure.Unreachable, "try again"},
	{"No common protection layer", failure.Config, "set " + conf.HadoopRPCProtection.Name + " to the NameNode's value"},
	{"is not authorized", failure.Permission, "ask the administrator of the cluster (hadoop-policy.xml)"},
	{"SIMPLE authentication is not enabled", failure.Permission, "set " + conf.HadoopSecurityAuthentication.Name +
		"=kerberos and kinit"},
}

func (n *negotiation) refused(remote *rpc.RemoteError) error {
	if strings.HasSuffix(remote.Class, "StandbyException") || strings.HasSuffix(remote.Class, "RetriableException") {
		return remote
	}
	text, _, _ := strings.Cut(remote.Message, "\n")
	e := failure.New(failure.Permission, opLogin, n.server.Addr, fmt.Errorf("with %s: %s", n.with, text))
	for _, r := range refusals {
		if strings.Contains(remote.Message, r.text) || strings.Contains(remote.Class, r.text) {
			e.Kind = r.kind
			return e.Fix(r.remedy)
		}
	}
	return e.Fix("see the NameNode's log")
}
