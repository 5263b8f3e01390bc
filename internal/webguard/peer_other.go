//go:build !linux

package webguard

import "net/netip"

// ownSocket returns false, because this system does not tell who owns the other end of a connection.
// Browsers need a link, and programs a token.
func ownSocket(netip.AddrPort, netip.AddrPort) bool { return false }
