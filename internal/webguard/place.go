package webguard

import (
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/howdah/howdah/internal/auth"
)

// names contains the names of a daemon, in addition to its IP addresses.
type names struct {
	places map[string]bool // places with their ports
	bare   []string        // names that also stand for the daemon's own port
}

// newNames returns the names of this host and the given others, each with or without a port.
func newNames(others []string) names {
	if host, err := os.Hostname(); err == nil {
		short, _, _ := strings.Cut(host, ".")
		others = append(slices.Clip(others), host, short)
	}
	n := names{places: map[string]bool{}}
	for _, x := range others {
		if host, port, err := net.SplitHostPort(x); err == nil && port == "0" {
			x = host // any free port
		} else if err == nil {
			n.places[auth.Place(x)] = true
			continue
		}
		if x != "" {
			n.places[auth.Place(x)] = true
			n.bare = append(n.bare, x)
		}
	}
	return n
}

// Name returns the host name in addr, the address of another port of the same daemon, as an
// argument for [New]. It returns "" for IP addresses and localhost.
func Name(addr string) string {
	host, _, _ := net.SplitHostPort(addr)
	if _, err := netip.ParseAddr(host); err == nil || host == "localhost" {
		return ""
	}
	return host
}

// place returns the place of a request, and reports whether it is one of this daemon's. The place
// is in the Host header, which the sender can choose. It must therefore name this daemon and the
// port that received the request. Otherwise, someone who has a pass for another daemon, or a site
// whose name resolves to this host, could use this daemon's pages.
func (n names) place(r *http.Request) (place string, ok bool) {
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	near := addrPort(local)
	place = auth.Place(r.Host)
	here := func(name string) bool {
		return place == auth.Place(net.JoinHostPort(name, strconv.Itoa(int(near.Port()))))
	}
	localhost := near.Addr() == netip.AddrFrom4([4]byte{127, 0, 0, 1}) || near.Addr() == netip.IPv6Loopback()
	return place, n.places[place] || here(near.Addr().String()) || localhost && here("localhost") ||
		slices.ContainsFunc(n.bare, here)
}
