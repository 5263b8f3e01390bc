package certs

import (
	"crypto/x509"
	"net/url"
	"slices"
	"strings"

	"github.com/howdah/howdah/internal/auth"
)

// Role identifies a kind of certificate holder. A certificate contains the holder's roles as URIs,
// such as howdah://tasktracker/node7.
type Role string

// The roles of daemons of which each cluster has only one.
const (
	JobTracker Role = "jobtracker"
	Manager    Role = "manager"
)

// TaskTracker returns the role of the TaskTracker on a host.
func TaskTracker(host string) Role { return Role("tasktracker/" + strings.ToLower(host)) }

// Tracker is like [TaskTracker], but its argument is the TaskTracker's name (tracker_HOST:PORT)
// instead of its host.
func Tracker(name string) Role {
	host := strings.TrimPrefix(name, "tracker_")
	if i := strings.LastIndexByte(host, ':'); i >= 0 {
		host = host[:i]
	}
	return TaskTracker(host)
}

// Agent returns the role of a node's agent.
func Agent(node string) Role { return Role("agent/" + strings.ToLower(node)) }

// User returns the role of a user.
func User(name string) Role { return Role("user/" + name) }

// loggedIn is the role that a client with a Kerberos login requests, because only the daemon knows the
// user's name. The client gets that user's role.
var loggedIn = User("")

// Service returns the Kerberos service of a daemon with this role.
func (r Role) Service() auth.Service {
	if r == Manager {
		return auth.Manager
	}
	return auth.JobTracker
}

// name returns the part of a role that names a host or a user.
func (r Role) name() string {
	_, name, _ := strings.Cut(string(r), "/")
	return name
}

const scheme = "howdah"

func (r Role) uri() *url.URL {
	kind, name, _ := strings.Cut(string(r), "/")
	u := &url.URL{Scheme: scheme, Host: kind}
	if name != "" {
		u.Path = "/" + name
	}
	return u
}

// rolesIn returns the roles in the URIs of a certificate or a request for one.
func rolesIn(uris []*url.URL) (roles []Role) {
	for _, u := range uris {
		name := strings.TrimPrefix(u.Path, "/")
		switch {
		case u.Scheme != scheme:
		case u.Host == "tasktracker":
			roles = append(roles, TaskTracker(name))
		case u.Host == "agent":
			roles = append(roles, Agent(name))
		case u.Host == "user":
			roles = append(roles, User(name))
		case name == "":
			roles = append(roles, Role(u.Host))
		}
	}
	return roles
}

// grants reports whether p may get a certificate with role r.
func grants(p auth.Principal, r Role) bool {
	switch {
	case p.Admin:
		return true
	case p.User != "":
		return r == User(p.User)
	case p.Node != "":
		return r == TaskTracker(p.Node) || r == Agent(p.Node)
	}
	return false
}

// agrees reports whether a certificate can belong to p.
func agrees(p auth.Principal, cert *x509.Certificate) bool {
	return p.Admin || slices.ContainsFunc(rolesIn(cert.URIs), func(r Role) bool { return grants(p, r) })
}
