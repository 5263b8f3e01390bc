// Package sasl holds the mechanisms by which a client of HDFS proves who it is and, where the cluster wants it, protects what
// follows: DIGEST-MD5 (RFC 2831) with tokens here, GSSAPI in dfs/hdfs/kerberos. A mechanism is a conversation without a
// connection; whoever has the connection carries the messages.
package sasl

import (
	"fmt"
	"strings"
)

// Mechanism is one conversation. It is used once and by one goroutine.
type Mechanism interface {
	// Name is the mechanism's registered name: "DIGEST-MD5", "GSSAPI".
	Name() string
	// Step answers a message of the server. A mechanism in which the client speaks first gets an empty one to begin with.
	Step(challenge []byte) (response []byte, err error)
	// Done says that the server has proved who it is, too, and that nothing more is to be said.
	Done() bool
	// Layer gives the protection that was agreed on, nil for none (Authentication). It is valid once Done.
	Layer() Layer
}

// Layer protects messages after the conversation. Wrap and Unwrap may be called by two goroutines at a time, one each.
type Layer interface {
	// Wrap appends the protected form of b to dst.
	Wrap(dst, b []byte) ([]byte, error)
	// Unwrap gives what was wrapped; it may reuse b. A message that was changed, repeated or left out is an error, and so is
	// every one after it.
	Unwrap(b []byte) ([]byte, error)
	// MaxSend is the most bytes that the peer lets one message hold.
	MaxSend() int
}

// Protection is how much a connection is protected: Hadoop's hadoop.rpc.protection and dfs.data.transfer.protection, SASL's
// quality of protection.
type Protection uint8

// The protections, weakest first. The values are those of the layers in RFC 4752.
const (
	Authentication Protection = 1 // who it is, nothing more
	Integrity      Protection = 2 // nobody changes a message
	Privacy        Protection = 4 // nobody reads it either
)

var protections = []struct {
	p            Protection
	hadoop, sasl string
}{{Authentication, "authentication", "auth"}, {Integrity, "integrity", "auth-int"}, {Privacy, "privacy", "auth-conf"}}

// String gives Hadoop's name.
func (p Protection) String() string {
	for _, x := range protections {
		if x.p == p {
			return x.hadoop
		}
	}
	return fmt.Sprintf("protection(%d)", uint8(p))
}

// qop gives SASL's name.
func (p Protection) qop() string {
	for _, x := range protections {
		if x.p == p {
			return x.sasl
		}
	}
	return ""
}

// ParseProtections reads a list as Hadoop's keys hold it, most wanted first: "privacy,authentication".
func ParseProtections(list string) ([]Protection, error) {
	var out []Protection
next:
	for name := range strings.SplitSeq(list, ",") {
		name = strings.ToLower(strings.TrimSpace(name))
		for _, x := range protections {
			if x.hadoop == name {
				out = append(out, x.p)
				continue next
			}
		}
		return nil, fmt.Errorf("%q is none of authentication, integrity, privacy", name)
	}
	return out, nil
}

// Choose gives the first protection of want that the server offers as well.
func Choose(want []Protection, offered Protection) (Protection, error) {
	for _, p := range want {
		if offered&p != 0 {
			return p, nil
		}
	}
	return 0, fmt.Errorf("the server offers protection %s, and this client wants %s", names(offered), names(want...))
}

func names(set ...Protection) string {
	var all []string
	for _, x := range protections {
		for _, p := range set {
			if p&x.p != 0 {
				all = append(all, x.hadoop)
			}
		}
	}
	if len(all) == 0 {
		return "none"
	}
	return strings.Join(all, " or ")
}
