package rpc

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/port"
	"github.com/howdah/howdah/job/failure"
)

// shaken makes both ends of a gRPC connection perform the handshake of a secret. It implements
// credentials.TransportCredentials.
type shaken struct {
	secret *auth.Secret
	addr   string                         // address of the server, for a client
	failed *atomic.Pointer[failure.Error] // why the client's last handshake failed; nil after a success
}

// credentialsFor returns the credentials of a secret. For nil, they accept every peer.
func credentialsFor(s *auth.Secret, addr string) credentials.TransportCredentials {
	if s == nil {
		return insecure.NewCredentials()
	}
	return shaken{s, addr, new(atomic.Pointer[failure.Error])}
}

// peer is what the handshake learned about the other end.
type peer struct {
	credentials.CommonAuthInfo
	principal auth.Principal

	mu    sync.Mutex
	share *semaphore.Weighted
}

func (*peer) AuthType() string { return "howdah" }

// reading returns the memory that the connection can reserve to read requests. For nil, no other
// connection shares the result.
func (p *peer) reading(share int64) *semaphore.Weighted {
	if p == nil {
		return semaphore.NewWeighted(share)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.share == nil {
		p.share = semaphore.NewWeighted(share)
	}
	return p.share
}

func (s shaken) ClientHandshake(ctx context.Context, _ string, conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	err := s.secret.Present(conn) // gRPC closes the connection when ctx ends
	s.failed.Store(s.explain(ctx, err))
	return conn, &peer{}, err
}

// explain returns the error that the user sees if a handshake fails because of the secret, the
// version, or a server that is stopped. It returns nil for other errors of the network.
func (s shaken) explain(ctx context.Context, err error) *failure.Error {
	switch {
	case err != nil && ctx.Err() != nil:
		return failure.New(failure.Unreachable, "connect to", s.addr,
			errors.New("the daemon accepts connections but does not answer")).
			Fix("check whether its process is stopped or its machine is overloaded")
	case errors.Is(err, auth.ErrOtherSecret):
		return failure.New(failure.Permission, "connect to", s.addr,
			fmt.Errorf("%w; this end's is in %s", err, s.secret.File())).
			Fix("run this as the daemon's user, or set " + auth.KeySecretFile + " to a copy of the daemon's secret")
	case errors.Is(err, auth.ErrNoHandshake):
		return failure.New(failure.Unreachable, "connect to", s.addr, err).
			Fix("check the address, and run the same version of howdah on both sides")
	}
	return nil
}

func (s shaken) ServerHandshake(conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	p, err := s.secret.Admit(conn)
	if err == nil {
		port.Busy(conn)
	}
	return conn, &peer{principal: p}, err
}

func (s shaken) Info() credentials.ProtocolInfo {
	return credentials.ProtocolInfo{SecurityProtocol: "howdah"}
}

func (s shaken) Clone() credentials.TransportCredentials { return s }
func (s shaken) OverrideServerName(string) error         { return nil }
