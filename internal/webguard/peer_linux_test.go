package webguard

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

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

// request sends GET http://HOST/PATH through a connection to addr that dial opens.
func request(t *testing.T, addr, host, path string, header http.Header, dial func(addr string) (net.Conn, error)) (
	answer *http.Response, text string,
) {
	t.Helper()
	transport := &http.Transport{DisableKeepAlives: true,
		DialContext: func(context.Context, string, string) (net.Conn, error) { return dial(addr) }}
	r, err := http.NewRequest(http.MethodGet, "http://"+host+path, nil)
	require.NoError(t, err)
	for key, values := range header {
		r.Header[key] = values
	}
	answer, err = transport.RoundTrip(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer, string(b)
}

// fetch returns the status of GET http://HOST/admin through a connection to addr that dial opens.
func fetch(t *testing.T, addr, host string, header http.Header, dial func(addr string) (net.Conn, error)) int {
	t.Helper()
	answer, text := request(t, addr, host, "/admin", header, dial)
	if answer.StatusCode != http.StatusOK {
		require.NotEqual(t, "admin", text)
	}
	return answer.StatusCode
}

func asMyself(addr string) (net.Conn, error) { return net.Dial("tcp", addr) }

// asUser returns a function that opens a connection whose socket belongs to a user.
func asUser(uid int) func(addr string) (net.Conn, error) { return asUserFrom(uid, nil) }

// asUserFrom connects from an address of this host; nil lets the kernel choose one.
func asUserFrom(uid int, from net.Addr) func(addr string) (net.Conn, error) {
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
				r.conn, r.err = (&net.Dialer{LocalAddr: from}).Dial("tcp", addr)
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

// TestForeignNames checks that a daemon answers only requests that name it. A site whose name resolves
// to a loopback address learns nothing (DNS rebinding), and a pass for another daemon is useless here.
func TestForeignNames(t *testing.T) {
	s := auth.NewSecret()
	addr := serve(t, New(s, "Page.Example:1", "node", "[2001:DB8::1]:7"), "127.0.0.1:0")
	_, port, err := net.SplitHostPort(addr)
	require.NoError(t, err)
	me, err := os.Hostname()
	require.NoError(t, err)
	for host, want := range map[string]int{addr: 200, "localhost:" + port: 200, "LOCALHOST.:" + port: 200,
		me + ":" + port: 200, "node:" + port: 200, "Node": 200, "node:80": 200, "page.example:1": 200, "[2001:db8::1]:7": 200,
		"localhost": 403, "localhost:1": 403, "127.0.0.1": 403, "127.0.0.1:1": 403, "127.0.0.2:" + port: 403,
		"[::1]:" + port: 403, "192.0.2.7:" + port: 403, "node:1": 403, "page.example": 403, "page.example:" + port: 403,
		"evil.example": 403, "localhost.evil.example:" + port: 403, "node.evil.example:" + port: 403,
		"127.0.0.1.evil.example:" + port: 403} {
		place := auth.Place(host)
		claims := auth.Claims{Admin: true, Expires: hour()}
		token, _ := s.Issue(claims)
		pass := s.Pass(claims, auth.UseRequest, place, time.Now().Add(time.Minute))
		require.Equal(t, want, fetch(t, addr, host, nil, asMyself), host)
		for _, proof := range []string{token, pass} {
			require.Equal(t, want, fetch(t, addr, host, http.Header{"Authorization": {"Bearer " + proof}}, asMyself), host)
		}
		for _, path := range []string{"/open", "/healthz", "/login?token=" + s.Pass(claims, auth.UseLink, place,
			time.Now().Add(LinkLife))} {
			answer, _ := request(t, addr, host, path, nil, asMyself)
			require.Equal(t, want, answer.StatusCode, "%s %s", host, path)
		}
	}
}

// TestSessionsOfOtherUsers checks that a cookie works only for the user of this host who has logged in,
// because browsers send it to other users' servers on this host, too.
func TestSessionsOfOtherUsers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, who can open other users' sockets")
	}
	ips := []string{"127.0.0.1", "::1"}
	addrs, err := net.InterfaceAddrs()
	require.NoError(t, err)
	for _, a := range addrs {
		if ip := a.(*net.IPNet).IP; !ip.IsLoopback() && !ip.IsLinkLocalUnicast() && !translated(t, ip) {
			ips = append(ips, ip.String())
		}
	}
	for _, ip := range ips {
		s := auth.NewSecret()
		addr := serve(t, New(s), net.JoinHostPort(ip, "0"))
		link := "/login?token=" + s.Pass(auth.Claims{Admin: true, Expires: hour()}, auth.UseLink, auth.Place(addr),
			time.Now().Add(LinkLife))
		login, text := request(t, addr, addr, link, nil, asUser(4711))
		require.Equal(t, http.StatusOK, login.StatusCode, text)
		require.Len(t, login.Cookies(), 1)
		cookie := http.Header{"Cookie": {login.Cookies()[0].String()}}
		require.Equal(t, http.StatusOK, fetch(t, addr, addr, cookie, asUser(4711)), addr)
		require.Equal(t, http.StatusUnauthorized, fetch(t, addr, addr, cookie, asUser(4712)), addr)
		if net.ParseIP(ip).To4() != nil {
			from := asUserFrom(4712, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
			require.Equal(t, http.StatusUnauthorized, fetch(t, addr, addr, cookie, from), addr)
		}
		other := serve(t, New(s), net.JoinHostPort(ip, "0"))
		_, here, _ := net.SplitHostPort(addr)
		_, there, _ := net.SplitHostPort(other)
		cookie = http.Header{"Cookie": {strings.Replace(login.Cookies()[0].String(), "-"+here+"=", "-"+there+"=", 1)}}
		require.Equal(t, http.StatusUnauthorized, fetch(t, other, other, cookie, asUser(4711)), "another daemon")
	}
}

// translated reports whether a NAT of this host, such as Docker's, changes the client's address on
// connections to one of the host's addresses.
func translated(t *testing.T, ip net.IP) bool {
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: ip})
	require.NoError(t, err)
	defer l.Close()
	client, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	defer client.Close()
	server, err := l.Accept()
	require.NoError(t, err)
	defer server.Close()
	return client.LocalAddr().String() != server.RemoteAddr().String()
}

// TestUnknownUsersOfThisHost checks that clients whose user the kernel does not tell share no session.
func TestUnknownUsersOfThisHost(t *testing.T) {
	g := New(auth.NewSecret())
	r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:50030/", nil)
	as := func(uid int) *http.Request {
		p := peer{owner: func() int { return uid }}
		return r.WithContext(context.WithValue(r.Context(), peerKey{}, p))
	}
	for uid, admin := range map[int]bool{4711: true, -1: false} {
		pass := g.secret.Pass(auth.Claims{Admin: true, Expires: hour()}, auth.UseSession, sessionPlace(as(uid)),
			time.Now().Add(SessionLife))
		r.Header.Set("Cookie", g.cookie(r)+"="+pass)
		require.Equal(t, admin, g.session(as(uid)).Admin, uid)
	}
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
	require.Equal(t, os.Geteuid(), socketOwner(far, near))
	require.Equal(t, -1, socketOwner(near, netip.AddrPortFrom(far.Addr(), far.Port()+1)), "another connection")
	require.NoError(t, conn.Close())
	require.Equal(t, -1, socketOwner(far, near))
}

func TestProcAddr(t *testing.T) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("the expected texts are those of little-endian machines")
	}
	require.Equal(t, "0100007F:C36E", procAddr(netip.MustParseAddrPort("127.0.0.1:50030"), false))
	require.Equal(t, "0000000000000000FFFF00000100007F:0001", procAddr(netip.MustParseAddrPort("127.0.0.1:1"), true))
	require.Equal(t, "00000000000000000000000001000000:0001", procAddr(netip.MustParseAddrPort("[::1]:1"), true))
}
