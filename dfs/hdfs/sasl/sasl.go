// Package sasl contains the mechanisms with which an HDFS client authenticates and, if the cluster
// requires it, protects its messages. Digest implements DIGEST-MD5 (RFC 2831), which tokens use.
// Package dfs/hdfs/kerberos implements GSSAPI. A Mechanism performs a handshake but has no
// connection. The caller sends and receives the messages.
package sasl

import (
	"fmt"
	"strings"
)

// Mechanism is one handshake. It can be used only once and is not safe for concurrent use.
type Mechanism interface {
	// Name returns the mechanism's registered name: "DIGEST-MD5", "GSSAPI".
	Name() string
	// Step returns the answer to a message from the server. If the client sends the first message,
	// the first challenge is empty.
	Step(challenge []byte) (response []byte, err error)
	// Done reports whether the handshake is complete. If so, the server has also authenticated.
	Done() bool
	// Layer returns the negotiated protection, or nil for Authentication. It is valid once Done
	// returns true.
	Layer() Layer
}

// Layer protects messages after the handshake. One goroutine may call Wrap while another calls
// Unwrap.
type Layer interface {
	// Wrap appends the protected form of b to dst.
	Wrap(dst, b []byte) ([]byte, error)
	// Unwrap returns the data in a wrapped message and may reuse b. It returns an error for a
	// message that was altered or is out of order, and for all later messages.
	Unwrap(b []byte) ([]byte, error)
	// MaxSend returns the maximum number of bytes to wrap at a time. The peer rejects longer
	// messages.
	MaxSend() int
}

// Protection is the strength of a connection's protection. It corresponds to Hadoop's
// hadoop.rpc.protection and dfs.data.transfer.protection, and to SASL's quality of protection.
type Protection uint8

// The protections, weakest first. The values are those of the layers in RFC 4752.
const (
	Authentication Protection = 1 // only authenticates the peers
	Integrity      Protection = 2 // also detects changes
	Privacy        Protection = 4 // also encrypts messages
)

var protections = []struct {
	p            Protection
	hadoop, sasl string
}{{Authentication, "authentication", "auth"}, {Integrity, "integrity", "auth-int"}, {Privacy, "privacy", "auth-conf"}}

// String returns Hadoop's name for the protection.
func (p Protection) String() string {
	for _, x := range protections {
		if x.p == p {
			return x.hadoop
		}
	}
	return fmt.Sprintf("protection(%d)", uint8(p))
}

// qop returns SASL's name for the protection.
func (p Protection) qop() string {
	for _, x := range protections {
		if x.p == p {
			return x.sasl
		}
	}
	return ""
}

// ParseProtections parses a list as in Hadoop's keys, such as "privacy,authentication". The
// preferred protection comes first.
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
		return nil, fmt.Errorf("%q is not authentication, integrity or privacy", name)
	}
	return out, nil
}

// Choose returns the first protection in want that the server also offers.
func Choose(want []Protection, offered Protection) (Protection, error) {
	for _, p := range want {
		if offered&p != 0 {
			return p, nil
		}
	}
	return 0, fmt.Errorf("the server offers protection %s, but this client requires %s", names(offered), names(want...))
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
