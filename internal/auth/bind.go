package auth

import (
	"errors"
	"net"

	"github.com/howdah/howdah/conf"
)

// CheckBind returns an error of kind Config if a daemon would listen beyond loopback without a
// secret file, because the secret that howdah creates for a user stays on one host. addr is the
// address to bind, host:port, and key is the configuration key that sets it. CheckBind accepts an
// empty address, which the daemon does not bind.
func CheckBind(c *conf.Config, key, addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if addr == "" || err != nil || host == "localhost" || net.ParseIP(host).IsLoopback() {
		return nil // a malformed address fails later
	}
	return CheckShared(c, key, "other hosts can reach "+addr)
}

// CheckNode is like CheckBind for a daemon that needs no secret if it has a node's token or a keytab.
func CheckNode(c *conf.Config, key, addr string) error {
	if conf.SecurityTokenFile.Get(c) != "" || nodeKeytab(c) {
		return nil
	}
	return CheckBind(c, key, addr)
}

// CheckShared returns an error of kind Config unless the configuration names a secret file. The
// error contains key and reason.
func CheckShared(c *conf.Config, key, reason string) error {
	if conf.SecuritySecretFile.Get(c) != "" {
		return nil
	}
	return c.Refuse(key, errors.New(reason+", and "+KeySecretFile+" is not set")).
		Fix("set " + KeySecretFile + " to a file that all daemons and users of the cluster share")
}
