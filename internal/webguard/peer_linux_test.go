package webguard

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/howdah/howdah/internal/auth"
)

// serve serves routes on a loopback address, and returns the address.
func serve(t *testing.T, g *Guard, addr string) string {
	t.Helper()
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Skip("no such address here: ", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- g.Serve(ctx, l, routes()) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-done)
	})
	return l.Addr().String()
}

// fetch returns the status of GET http://HOST/admin through a connection to addr that dial opens.
func fetch(t *testing.T, addr, host string, header http.Header, dial func(addr string) (net.Conn, error)) int {
	t.Helper()
	transport := &http.Transport{DisableKeepAlives: true,
		DialContext: func(context.Context, string, string) (net.Conn, error) { return dial(addr) }}
	r, err := http.NewRequest(http.MethodGet, "http://"+host+"/admin", nil)
	require.NoError(t, err)
	for key, values := range header {
		r.Header[key] = values
	}
	answer, err := transport.RoundTrip(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	if answer.StatusCode != http.StatusOK {
		require.NotEqual(t, "admin", string(text))
	}
	return answer.StatusCode
}

func asMyself(addr string) (net.Conn, error) { return net.Dial("tcp", addr) }

// asUser returns a function that opens a connection whose socket belongs to a user.
func asUser(uid int) func(addr string) (net.Conn, error) {
	return func(addr string) (net.Conn, error) {
		type result struct {
			conn net.Conn
			err  error
		}
		done := make(chan result)
		go func() {
			runtime.LockOSThread() // the thread ends with this goroutine
			var r result
			if _, r.err = unix.SetfsuidRetUid(uid); r.err == nil {
				r.conn, r.err = net.Dial("tcp", addr)
			}
			done <- r
		}()
		r := <-done
		return r.conn, r.err
	}
}

func TestTheKernelKnowsThisUser(t *testing.T) {
	for _, addr := range []string{"127.0.0.1:0", "127.8.8.8:0", "[::1]:0", "0.0.0.0:0", "[::]:0"} {
		addr := serve(t, New(auth.NewSecret()), addr)
		if host, port, _ := net.SplitHostPort(addr); net.ParseIP(host).IsUnspecified() {
			addr = net.JoinHostPort("127.0.0.1", port)
		}
		require.Equal(t, http.StatusOK, fetch(t, addr, addr, nil, asMyself), addr)
	}
}

func TestTheKernelKnowsOtherUsers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, who can open other users' sockets")
	}
	for _, addr := range []string{"127.0.0.1:0", "[::1]:0"} {
		s := auth.NewSecret()
		addr := serve(t, New(s), addr)
		for _, uid := range []int{4711, 1, 65534} {
			require.Equal(t, http.StatusUnauthorized, fetch(t, addr, addr, nil, asUser(uid)), "%s %d", addr, uid)
		}
		token, _ := s.Issue(auth.Claims{Admin: true, Expires: hour()})
		bearer := http.Header{"Authorization": {"Bearer " + token}}
		require.Equal(t, http.StatusOK, fetch(t, addr, addr, bearer, asUser(4711)))
	}
}

// TestConnectionsFromElsewhere checks that only loopback connections are looked up: an address of
// this host that is not a loopback address could be that of a container.
func TestConnectionsFromElsewhere(t *testing.T) {
	addrs, err := net.InterfaceAddrs()
	require.NoError(t, err)
	for _, a := range addrs {
		ip := a.(*net.IPNet).IP
		if ip.IsLoopback() || ip.IsLinkLocalUnicast() {
			continue
		}
		addr := serve(t, New(auth.NewSecret()), net.JoinHostPort(ip.String(), "0"))
		require.Equal(t, http.StatusUnauthorized, fetch(t, addr, addr, nil, asMyself))
		return
	}
	t.Skip("this host has only loopback addresses")
}

// TestForeignNames checks that a site whose name resolves to a loopback address learns nothing (DNS
// rebinding).
func TestForeignNames(t *testing.T) {
	s := auth.NewSecret()
	addr := serve(t, New(s, "Page.Example:50030", "node"), "127.0.0.1:0")
	me, err := os.Hostname()
	require.NoError(t, err)
	for host, want := range map[string]int{"localhost": 200, "LOCALHOST.:1": 200, "127.0.0.1:7": 200, "[::1]:7": 200,
		"192.0.2.7": 200, me: 200, "page.example": 200, "node:1": 200,
		"evil.example": 403, "localhost.evil.example": 403, "node.evil.example:50030": 403, "127.0.0.1.evil.example": 403} {
		require.Equal(t, want, fetch(t, addr, host, nil, asMyself), host)
	}
	token, _ := s.Issue(auth.Claims{Admin: true, Expires: hour()})
	require.Equal(t, http.StatusOK, fetch(t, addr, "evil.example", http.Header{"Authorization": {"Bearer " + token}},
		asMyself), "browsers do not send tokens by themselves")
}

// TestClosedSockets checks that a client that has closed its end is nobody, because the kernel no
// longer knows whose end it was.
func TestClosedSockets(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	conn, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	far, near := addrPort(conn.LocalAddr()), addrPort(conn.RemoteAddr())
	require.True(t, ownSocket(far, near))
	require.False(t, ownSocket(near, netip.AddrPortFrom(far.Addr(), far.Port()+1)), "another connection")
	require.NoError(t, conn.Close())
	require.False(t, ownSocket(far, near))
}

func TestProcAddr(t *testing.T) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("the expected texts are those of little-endian machines")
	}
	require.Equal(t, "0100007F:C36E", procAddr(netip.MustParseAddrPort("127.0.0.1:50030"), false))
	require.Equal(t, "0000000000000000FFFF00000100007F:0001", procAddr(netip.MustParseAddrPort("127.0.0.1:1"), true))
	require.Equal(t, "00000000000000000000000001000000:0001", procAddr(netip.MustParseAddrPort("[::1]:1"), true))
}
