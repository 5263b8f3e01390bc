package auth

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"time"

	"github.com/howdah/howdah/conf"
)

// KeyAddresses is the configuration key for [Addresses].
const KeyAddresses = "howdah.security.rpc.addresses"

// Addresses are the addresses at which clients reach a server through a proxy or address
// translation. An unspecified IP address stands for every IP address. A nil Addresses is empty.
type Addresses map[netip.AddrPort]bool

// resolveTimeout limits the time to look up a name in [KeyAddresses].
const resolveTimeout = 10 * time.Second

// LoadAddresses reads [KeyAddresses] and looks up the names in it. Errors are of kind Config.
func LoadAddresses(c *conf.Config) (Addresses, error) {
	all := Addresses{}
	for _, entry := range conf.SecurityRPCAddresses.Get(c) {
		if err := all.add(entry); err != nil {
			return nil, c.Refuse(KeyAddresses, fmt.Errorf("%s: %w", entry, err)).
				Fix("list addresses of the form host:port or :port")
		}
	}
	return all, nil
}

func (a Addresses) add(entry string) error {
	host, text, err := net.SplitHostPort(entry)
	if err != nil {
		return errors.New("this is not an address")
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || port == 0 {
		return errors.New("the port is not a number from 1 to 65535")
	}
	ips := []netip.Addr{netip.IPv6Unspecified()}
	if host != "" {
		ctx, cancel := context.WithTimeout(context.Background(), resolveTimeout)
		defer cancel()
		ips, err = net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	}
	for _, ip := range ips {
		a[plain(ip, uint16(port))] = true
	}
	return err
}

// has reports whether called, the address that a client has called, is one of the addresses.
func (a Addresses) has(called netip.AddrPort) bool {
	return a[called] || a[netip.AddrPortFrom(netip.IPv6Unspecified(), called.Port())]
}

// plain returns an address in the canonical form that greetings and Addresses use.
func plain(ip netip.Addr, port uint16) netip.AddrPort {
	ip = ip.Unmap().WithZone("")
	if ip.IsUnspecified() {
		ip = netip.IPv6Unspecified()
	}
	return netip.AddrPortFrom(ip, port)
}

// addressOf returns the address of one end of a connection in canonical form. If the connection
// does not use TCP, the result is the unspecified address.
func addressOf(end net.Addr) netip.AddrPort {
	if tcp, ok := end.(*net.TCPAddr); ok {
		return plain(tcp.AddrPort().Addr(), tcp.AddrPort().Port())
	}
	return plain(netip.IPv6Unspecified(), 0)
}

// addressSize is the size of an address in a greeting, in bytes. An address consists of an IPv6
// address, or an IPv4 address mapped to IPv6, and a port.
const addressSize = 16 + 2

func appendAddress(b []byte, a netip.AddrPort) []byte {
	ip := a.Addr().As16()
	return binary.BigEndian.AppendUint16(append(b, ip[:]...), a.Port())
}

func parseAddress(b [addressSize]byte) netip.AddrPort {
	return plain(netip.AddrFrom16([16]byte(b[:16])), binary.BigEndian.Uint16(b[16:]))
}

// OtherAddress is the error of a handshake in which the client called an address other than the
// server's. Without TLS, the client cannot otherwise detect that a program forwards its connection
// to a different server.
type OtherAddress struct {
	Called netip.AddrPort
}

func (e OtherAddress) Error() string {
	return "the daemon that answers does not have the address " + e.Called.String() +
		", so a program or address translation passes the connection on"
}

// Is reports whether target is an OtherAddress.
func (e OtherAddress) Is(target error) bool { _, ok := target.(OtherAddress); return ok }

// Remedy returns advice for the user.
func (e OtherAddress) Remedy() string {
	return "check which program listens at " + e.Called.String() + "; if the connection should take this way, add the " +
		"address to " + KeyAddresses + " of the daemon"
}
