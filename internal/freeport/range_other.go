//go:build !linux

package freeport

// ephemeral gives the first of the ports that IANA leaves to the kernel (RFC 6335, section 6).
func ephemeral() int { return 49152 }
