package webguard

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"sync"
)

// peer is the client's end of a connection.
type peer struct {
	// sameUser reports whether the client's socket is on this host and belongs to root or to the user
	// of this process. It asks the kernel once.
	sameUser func() bool
}

type peerKey struct{}

// withPeer is the ConnContext of a server.
func withPeer(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, peerKey{}, peer{sync.OnceValue(func() bool {
		far, near := addrPort(c.RemoteAddr()), addrPort(c.LocalAddr())
		return far.Addr().IsLoopback() && near.Addr().IsLoopback() && ownSocket(far, near)
	})})
}

// peerOf returns the client's end of the connection that carries a request.
func peerOf(r *http.Request) peer {
	if p, ok := r.Context().Value(peerKey{}).(peer); ok {
		return p
	}
	return peer{func() bool { return false }}
}

func addrPort(a net.Addr) netip.AddrPort {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	p := tcp.AddrPort()
	return netip.AddrPortFrom(p.Addr().Unmap(), p.Port())
}
