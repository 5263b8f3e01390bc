package auth

import "context"

// Principal is whoever a daemon talks to, as a handshake, a token, or the kernel proved it. At most
// one of its fields is set. The zero value is nobody.
type Principal struct {
	// Admin is set for whoever knows the cluster's secret. Administrators may act for every user and
	// every node.
	Admin bool
	// User is the name of a user who proved to be that user.
	User string
	// Node is the host of a TaskTracker or an agent that runs with a node's token.
	Node string
}

// Nobody reports whether p has proved nothing.
func (p Principal) Nobody() bool { return p == Principal{} }

type principalKey struct{}

// With returns a context of a call by p.
func With(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, p)
}

// From returns the principal that makes the call, or nobody.
func From(ctx context.Context) Principal {
	p, _ := ctx.Value(principalKey{}).(Principal)
	return p
}
