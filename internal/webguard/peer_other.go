//go:build !linux

package webguard

import "net/netip"

// socketOwner returns -1, because this system does not reveal the owner of the other end of a
// connection. Browsers therefore need a link, and programs need a token.
func socketOwner(netip.AddrPort, netip.AddrPort) int { return -1 }
