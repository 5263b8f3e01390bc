package kerberos

import (
	"errors"
	"net"
	"os"
	"strings"

	"github.com/jcmturner/gokrb5/v8/config"

	"github.com/howdah/howdah/job/failure"
)

// hostPattern is the placeholder for a host's name in a principal. It lets one configuration work
// for all hosts.
const hostPattern = "_HOST"

// expandHost replaces _HOST with host. If host is empty or a wildcard address, it uses this
// machine's name.
func expandHost(name, host string) (string, error) {
	primary, instance, ok := strings.Cut(name, "/")
	if !ok || instance != hostPattern {
		return name, nil
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		var err error
		if host, err = os.Hostname(); err != nil {
			return "", failure.New(failure.Config, "expand principal", name, err)
		}
	}
	return primary + "/" + strings.ToLower(host), nil
}

// splitPrincipal is like splitRealm but also expands _HOST in the name.
func splitPrincipal(principal string, realms *config.Config) (name, realm string, err error) {
	if name, realm, err = splitRealm(principal, realms); err == nil {
		name, err = expandHost(name, "")
	}
	return name, realm, err
}

// splitRealm splits "name[@REALM]". If there is no realm, it adds the default realm.
func splitRealm(principal string, realms *config.Config) (name, realm string, err error) {
	name, realm, _ = strings.Cut(principal, "@")
	if name == "" {
		return "", "", failure.New(failure.Config, "log in as", principal, errors.New("the principal has no name"))
	}
	if realm == "" {
		if realm = realms.LibDefaults.DefaultRealm; realm == "" {
			return "", "", failure.New(failure.Config, "log in as", principal,
				errors.New("the principal has no realm, and krb5.conf has no default_realm"))
		}
	}
	return name, realm, nil
}
