package notify

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// Policy decides which hosts the JobTracker may call. Without a policy, a job's URL could reach
// services that trust the JobTracker's host, such as the metadata service of a cloud. The zero
// value permits all hosts except those with local addresses.
type Policy struct {
	loopback bool     // permits loopback addresses if nothing is listed
	names    []string // host names and patterns such as *.example.org, in lower case
	networks []netip.Prefix
}

// Anywhere permits all hosts. It is for programs that make the call with the rights of their own
// user.
var Anywhere = Policy{names: []string{"*"}}

// ReadPolicy reads the policy from the JobTracker's configuration. loopback permits loopback addresses
// if the configuration lists no hosts. For an invalid value the error is of kind Config.
func ReadPolicy(c *conf.Config, loopback bool) (Policy, error) {
	p := Policy{loopback: loopback}
	for _, text := range conf.JobTrackerNotificationHosts.Get(c) {
		text = strings.ToLower(text)
		if network, err := netip.ParsePrefix(text); err == nil {
			p.networks = append(p.networks, network.Masked())
			continue
		}
		if addr, err := netip.ParseAddr(strings.Trim(text, "[]")); err == nil {
			p.networks = append(p.networks, netip.PrefixFrom(addr.Unmap(), addr.Unmap().BitLen()))
			continue
		}
		if strings.ContainsAny(text, "/:@ ") || strings.Contains(strings.TrimPrefix(text, "*"), "*") {
			return p, c.Refuse(conf.JobTrackerNotificationHosts.Name, fmt.Errorf("%q is not a host, a pattern, or a network",
				text))
		}
		p.names = append(p.names, text)
	}
	return p, nil
}

// Check returns an error of kind Permission if the policy forbids a host in the plan. It does not
// resolve names, so it cannot detect a name that resolves to a forbidden address.
func (p *Policy) Check(plan *Plan) error {
	if plan.url == "" {
		return nil
	}
	target, err := plan.target(job.ID{Cluster: "x", Seq: 1}, job.Succeeded)
	if err != nil {
		return err
	}
	u, err := url.Parse(target)
	if err != nil {
		return err
	}
	hosts := []string{u.Hostname()}
	if plan.proxy != nil {
		hosts = append(hosts, plan.proxy.Hostname())
	}
	for _, host := range hosts {
		addr, err := netip.ParseAddr(host)
		switch {
		case err == nil:
			err = p.permits(host, addr)
		case p.listed() && !p.named(host) && (len(p.networks) == 0 || plan.proxy != nil):
			err = errNotListed
		default:
			err = nil // the address is checked on connection
		}
		if err != nil {
			return refuse(host, err)
		}
	}
	return nil
}

var errNotListed = errors.New("the JobTracker may not call this host")

func refuse(host string, err error) error {
	return failure.New(failure.Permission, "notify", host, err).
		Fix("use another host in " + conf.JobEndNotificationURL.Name + ", or add this one to " +
			conf.JobTrackerNotificationHosts.Name + " of the JobTracker")
}

// permits returns an error if the policy forbids a connection to an address. host is the name that
// was resolved to the address.
func (p *Policy) permits(host string, addr netip.Addr) error {
	addr = embedded(addr.WithZone("").Unmap())
	switch {
	case p.named(host) || slices.ContainsFunc(p.networks, func(n netip.Prefix) bool { return n.Contains(addr) }):
		return nil
	case p.listed():
		return errNotListed
	case addr.IsLoopback() && p.loopback:
		return nil
	case addr.IsLoopback() || addr.IsUnspecified() || addr.IsLinkLocalUnicast() || addr.IsMulticast() ||
		slices.Contains(metadata, addr):
		return fmt.Errorf("%s is a local address", addr)
	}
	return nil
}

// metadata contains the addresses of cloud metadata services that are not link-local.
var metadata = []netip.Addr{netip.MustParseAddr("fd00:ec2::254"), netip.MustParseAddr("100.100.100.200")}

// translated is the network of IPv6 addresses that a NAT64 gateway translates to IPv4 addresses
// (RFC 6052).
var translated = netip.MustParsePrefix("64:ff9b::/96")

// embedded returns the IPv4 address to which a NAT64 gateway translates addr. It returns any other
// addr unchanged.
func embedded(addr netip.Addr) netip.Addr {
	if !translated.Contains(addr) {
		return addr
	}
	b := addr.As16()
	return netip.AddrFrom4([4]byte(b[12:]))
}

func (p *Policy) listed() bool { return len(p.names)+len(p.networks) > 0 }

// named reports whether the policy lists a host by name or pattern.
func (p *Policy) named(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	return slices.ContainsFunc(p.names, func(pattern string) bool {
		suffix, wild := strings.CutPrefix(pattern, "*")
		return host == pattern || wild && strings.HasSuffix(host, suffix)
	})
}

// checkDial checks the address of a connection, so that a name cannot resolve to another address
// after the check. address is host:port.
func (p *Policy) checkDial(host, address string) error {
	text, _, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	addr, err := netip.ParseAddr(text)
	if err != nil {
		return err
	}
	if err := p.permits(host, addr); err != nil {
		return refuse(host, err)
	}
	return nil
}
