package hdfs

import (
	"context"
	"net"
	"strings"
	"time"

	"github.com/howdah/howdah/dfs/hdfs/security"
	"github.com/howdah/howdah/dfs/hdfs/token"
)

// Delegate adds a delegation token for this file system to the credentials, unless they already
// contain one. With the token, other processes can act on behalf of the caller without a login.
// renewer is the principal that may renew the token; "" means none. If the caller itself uses a
// token, Delegate adds that token. fetched reports whether Delegate got a new token, which the
// caller must cancel later. On a cluster without security, Delegate has no effect.
func (f *FS) Delegate(ctx context.Context, renewer string, to *token.Credentials) (fetched bool, err error) {
	if f.id == nil || !f.id.Secured() {
		return false, nil
	}
	services := f.tokenServices()
	if _, ok := to.Find(token.KindHDFS, services...); ok {
		return false, nil
	}
	if t, ok := f.id.Tokens().Find(token.KindHDFS, services...); ok {
		to.Add(t)
		return false, nil
	}
	t, ok, err := security.GetToken(ctx, f.nn, renewer, services[0])
	if err != nil {
		return false, wrap("get delegation token of", f.URI(), err)
	}
	if ok {
		to.Add(t)
	}
	return ok, nil
}

// Token returns the token for this file system from the given credentials, and reports whether they
// contain one.
func (f *FS) Token(in *token.Credentials) (token.Token, bool) {
	return in.Find(token.KindHDFS, f.tokenServices()...)
}

// RenewToken extends the lifetime of a token and returns the new expiration time. The caller must
// be the token's renewer, authenticated by Kerberos.
func (f *FS) RenewToken(ctx context.Context, t token.Token) (time.Time, error) {
	end, err := security.RenewToken(ctx, f.nn, t)
	return end, wrap("renew", t.String(), err)
}

// CancelToken invalidates a token. The caller must be the token's owner or renewer, authenticated
// by Kerberos. CancelToken returns no error if the token is already invalid.
func (f *FS) CancelToken(ctx context.Context, t token.Token) error {
	err := security.CancelToken(ctx, f.nn, t)
	if is(err, "InvalidToken") {
		return nil
	}
	return wrap("cancel", t.String(), err)
}

// tokenServices returns the service names under which Hadoop stores this name service's tokens. The
// preferred name comes first. A token of an HA pair is stored under the pair's name. A token of a
// single NameNode is stored under the NameNode's IP address and port, or under its host and port
// (hadoop.security.token.service.use_ip=false).
func (f *FS) tokenServices() []string {
	if s := f.o.NameNode.Service; s != "" {
		return []string{security.HAService + s}
	}
	addr := strings.ToLower(f.o.NameNode.Addrs[0])
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return []string{addr}
	}
	var out []string
	ips, _ := net.LookupIP(host)
	for _, ip := range ips {
		if v4 := ip.To4(); v4 != nil {
			out = append(out, net.JoinHostPort(v4.String(), port))
		}
	}
	return append(out, addr)
}
