package webguard

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"sync"
)

// peer is the client's end of a connection.
type peer struct {
	loopback bool
	// owner returns the ID of the user to whom the client's socket belongs, or -1 if the kernel
	// does not reveal it. It asks the kernel only once. The function is nil if the client is on
	// another host.
	owner func() int
}

type peerKey struct{}

// ofThisHost reports whether an address belongs to this host. A client on this host can choose any
// of the host's addresses, and does not always use the one that it calls.
func ofThisHost(a netip.Addr) bool {
	addrs, err := net.InterfaceAddrs()
	return err != nil || slices.ContainsFunc(addrs, func(own net.Addr) bool {
		ip, ok := own.(*net.IPNet)
		return ok && ip.IP.Equal(a.AsSlice())
	})
}

// withPeer returns a copy of ctx that contains the client's end of c. It is the ConnContext
// function of an http.Server.
func withPeer(ctx context.Context, c net.Conn) context.Context {
	far, near := addrPort(c.RemoteAddr()), addrPort(c.LocalAddr())
	p := peer{loopback: far.Addr().IsLoopback() && near.Addr().IsLoopback()}
	if p.loopback || ofThisHost(far.Addr()) {
		p.owner = sync.OnceValue(func() int { return socketOwner(far, near) })
	}
	return context.WithValue(ctx, peerKey{}, p)
}

// peerOf returns the client's end of the connection that carries a request.
func peerOf(r *http.Request) peer {
	p, _ := r.Context().Value(peerKey{}).(peer)
	return p
}

// overflowUID represents all users who have no ID in this process's user namespace.
const overflowUID = 65534

// trusted reports whether the client is on this host and runs as root or as this process's user. It
// requires loopback addresses, because any other address of this host could be that of a container.
func (p peer) trusted() bool {
	if !p.loopback {
		return false
	}
	uid := p.owner()
	return uid == 0 || uid == os.Geteuid() && uid != overflowUID
}

func addrPort(a net.Addr) netip.AddrPort {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	p := tcp.AddrPort()
	return netip.AddrPortFrom(p.Addr().Unmap(), p.Port())
}
