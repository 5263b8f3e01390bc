//go:build !linux

package freeport

// ephemeral returns the first of the dynamic ports of RFC 6335, section 6.
func ephemeral() int { return 49152 }
