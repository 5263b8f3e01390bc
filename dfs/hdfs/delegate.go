package hdfs

import (
	"context"
	"net"
	"strings"
	"time"

	"github.com/howdah/howdah/dfs/hdfs/security"
	"github.com/howdah/howdah/dfs/hdfs/token"
)

// Delegate puts into to what processes need that act for the caller on this file system without his log-in: a delegation token that
// renewer may renew ("" = nobody). A token that the caller himself works with is passed on as it is. fetched says that a new token
// was made, which whoever asked should cancel at the end. An open cluster needs no token.
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

// Token finds the token for this file system among many.
func (f *FS) Token(in *token.Credentials) (token.Token, bool) {
	return in.Find(token.KindHDFS, f.tokenServices()...)
}

// RenewToken makes a token last longer and gives its new end. The caller must be its renewer, by Kerberos.
func (f *FS) RenewToken(ctx context.Context, t token.Token) (time.Time, error) {
	end, err := security.RenewToken(ctx, f.nn, t)
	return end, wrap("renew", t.String(), err)
}

// CancelToken makes a token worthless. The caller must be its owner or its renewer, by Kerberos. A token that has ended is no error.
func (f *FS) CancelToken(ctx context.Context, t token.Token) error {
	err := security.CancelToken(ctx, f.nn, t)
	if is(err, "InvalidToken") {
		return nil
	}
	return wrap("cancel", t.String(), err)
}

// tokenServices gives the names under which Hadoop keeps tokens of this name service, the one that we use first: that of an HA pair,
// else address and port, else host and port (hadoop.security.token.service.use_ip=false).
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
