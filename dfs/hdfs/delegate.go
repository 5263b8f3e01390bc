package hdfs

import (
	"context"
	"net"
	"strings"
	"time"

	"github.com/howdah/howdah/dfs/hdfs/security"
	"github.com/howdah/howdah/dfs/hdfs/token"
)

// Delegate adds a delegation token to the credentials. With it, other processes can act on behalf
// of the caller on this file system without a login. renewer names the principal that may renew the
// token; "" means none. If the caller itself uses a token, Delegate passes that token on. fetched
// reports whether the token is new, in which case the caller must cancel it later. A cluster
// without security needs no token.
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

// Token returns this file system's token from the given credentials.
func (f *FS) Token(in *token.Credentials) (token.Token, bool) {
	return in.Find(token.KindHDFS, f.tokenServices()...)
}

// RenewToken extends a token and returns the new expiration time. The caller must be its renewer,
// authenticated by Kerberos.
func (f *FS) RenewToken(ctx context.Context, t token.Token) (time.Time, error) {
	end, err := security.RenewToken(ctx, f.nn, t)
	return end, wrap("renew", t.String(), err)
}

// CancelToken makes a token invalid. The caller must be its owner or renewer, authenticated by
// Kerberos. An expired token is not an error.
func (f *FS) CancelToken(ctx context.Context, t token.Token) error {
	err := security.CancelToken(ctx, f.nn, t)
	if is(err, "InvalidToken") {
		return nil
	}
	return wrap("cancel", t.String(), err)
}

// tokenServices returns the names under which Hadoop stores tokens of this name service, preferred
// name first. An HA pair has its own name. A single NameNode has its address and port, or its host
// and port (hadoop.security.token.service.use_ip=false).
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
