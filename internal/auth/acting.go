package auth

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/account"
	"github.com/howdah/howdah/job/failure"
)

// Acting decides for which users a principal may act. The zero value has no proxy users.
type Acting struct{ proxies map[string]proxy }

// proxy lists the users and groups that a proxy user may act for, and the hosts from which it may
// do so. An empty list allows nothing, and "*" allows everything, as in Hadoop.
type proxy struct{ hosts, users, groups []string }

const proxyPrefix = "hadoop.proxyuser."

// NewActing returns an Acting with the proxy users that a configuration lists.
func NewActing(c *conf.Config) *Acting {
	a := &Acting{proxies: map[string]proxy{}}
	for _, p := range c.Properties(true) {
		rest, ok := strings.CutPrefix(p.Name, proxyPrefix)
		i := strings.LastIndexByte(rest, '.') // a user's name may contain dots
		if !ok || i < 0 {
			continue
		}
		user := rest[:i]
		a.proxies[user] = proxy{hosts: conf.HadoopProxyUserHosts.Of(user).Get(c),
			users: conf.HadoopProxyUserUsers.Of(user).Get(c), groups: conf.HadoopProxyUserGroups.Of(user).Get(c)}
	}
	return a
}

// For returns the user on whose behalf a call acts. name is the user's name in the request. For an
// administrator, For returns name, even if it is "". For a user, it returns the user if name is ""
// or the user's own name, and name if the user is a proxy user who may act for name from the
// caller's host. Otherwise, the error is of kind Permission.
func (a *Acting) For(ctx context.Context, name string) (string, error) {
	p := From(ctx)
	switch {
	case p.Admin:
		return name, nil
	case p.User != "" && (name == "" || name == p.User):
		return p.User, nil
	case p.User != "" && a != nil && a.proxies[p.User].allows(ctx, name):
		return name, nil
	}
	e := failure.New(failure.Permission, "act for user", name, errors.New(p.String()+" may not act for other users"))
	if p.User != "" {
		return "", e.Fix("set mapreduce.job.user.name or HADOOP_USER_NAME to " + p.User +
			", or ask an administrator to set " + proxyPrefix + p.User + ".hosts and .users")
	}
	return "", e
}

func (x proxy) allows(ctx context.Context, name string) bool {
	if !slices.Contains(x.users, "*") && !slices.Contains(x.users, name) && !slices.Contains(x.groups, "*") &&
		!account.Member(name, x.groups) {
		return false
	}
	return slices.Contains(x.hosts, "*") || fromHost(ctx, x.hosts)
}

// fromHost reports whether a call comes from one of the hosts, which can be names, IP addresses, or
// ranges of IP addresses such as 10.0.0.0/8.
func fromHost(ctx context.Context, hosts []string) bool {
	caller, ok := netip.AddrFromSlice(IP(ctx))
	if !ok {
		return false
	}
	caller = caller.Unmap()
	for _, host := range hosts {
		if r, err := netip.ParsePrefix(host); err == nil {
			if r.Contains(caller) {
				return true
			}
			continue
		}
		if ip, err := netip.ParseAddr(host); err == nil {
			if ip.Unmap() == caller {
				return true
			}
			continue
		}
		found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		if err == nil && slices.ContainsFunc(found, func(ip netip.Addr) bool { return ip.Unmap() == caller }) {
			return true
		}
	}
	return false
}
