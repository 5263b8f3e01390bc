package auth

import (
	"context"
	"net"
	"time"
)

// Principal is the identity of a daemon's client, as proved by a handshake, a token, or the kernel.
// At most one of its fields is set. The zero value is nobody.
type Principal struct {
	// Admin is set for a client that knows the cluster's secret or has an administrator's token.
	// Administrators may act for every user and every node.
	Admin bool
	// User is the name of a user who has proved that identity.
	User string
	// Node is the host of a TaskTracker or an agent that has a node's token or Kerberos login.
	Node string
}

// Nobody reports whether p has proved nothing.
func (p Principal) Nobody() bool { return p == Principal{} }

// single reports whether exactly one field is set.
func (p Principal) single() bool {
	return p == Principal{Admin: true} || p.User != "" && p == Principal{User: p.User} ||
		p.Node != "" && p == Principal{Node: p.Node}
}

// String describes p in messages.
func (p Principal) String() string {
	switch {
	case p.Admin:
		return "an administrator"
	case p.User != "":
		return "user " + p.User
	case p.Node != "":
		return "node " + p.Node
	}
	return "nobody"
}

type (
	principalKey struct{}
	addrKey      struct{}
	untilKey     struct{}
	hasLoginKey  struct{}
)

// With returns a context for a call by p.
func With(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, p)
}

// From returns the principal that makes the call, or nobody.
func From(ctx context.Context) Principal {
	p, _ := ctx.Value(principalKey{}).(Principal)
	return p
}

// Via returns a context for a call that comes from a network address.
func Via(ctx context.Context, addr net.Addr) context.Context {
	return context.WithValue(ctx, addrKey{}, addr)
}

// Until returns a context for a call by a client whose token expires at the given time, in seconds
// since the epoch.
func Until(ctx context.Context, expires int64) context.Context {
	return context.WithValue(ctx, untilKey{}, expires)
}

// Expiry returns the time at which the caller's token or Kerberos login expires. For a caller that
// knows the secret, it returns the zero time.
func Expiry(ctx context.Context) time.Time {
	if expires, _ := ctx.Value(untilKey{}).(int64); expires != 0 {
		return time.Unix(expires, 0)
	}
	return time.Time{}
}

// WithLogin is like [Until] for a client with a Kerberos login that expires at that time.
func WithLogin(ctx context.Context, end int64) context.Context {
	return Until(context.WithValue(ctx, hasLoginKey{}, true), end)
}

// Login reports whether the caller has a Kerberos login.
func Login(ctx context.Context) bool { return ctx.Value(hasLoginKey{}) != nil }

// IP returns the IP address from which a call comes, or nil.
func IP(ctx context.Context) net.IP {
	addr, _ := ctx.Value(addrKey{}).(*net.TCPAddr)
	if addr == nil {
		return nil
	}
	return addr.IP
}
