// Package security makes connections to a secured HDFS: it fills the hooks of dfs/hdfs/rpc and dfs/hdfs/transfer with the
// mechanisms of dfs/hdfs/sasl and dfs/hdfs/kerberos, decides which of Kerberos, token or plain name proves who the caller is,
// and gets, renews and cancels delegation tokens.
package security

import (
	"errors"
	"fmt"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/hdfs/sasl"
)

// The keys of a client.
const (
	keyAuthentication  = "hadoop.security.authentication"
	keyRPCProtection   = "hadoop.rpc.protection"
	keyDataProtection  = "dfs.data.transfer.protection"
	keyCipherSuites    = "dfs.encrypt.data.transfer.cipher.suites"
	keyFallback        = "ipc.client.fallback-to-simple-auth-allowed"
	keyNameNode        = "dfs.namenode.kerberos.principal"
	keyNameNodePattern = "dfs.namenode.kerberos.principal.pattern"
	keyAuthToLocal     = "hadoop.security.auth_to_local"
	keyTokenFile       = "mapreduce.job.credentials.binary"

	// KeyPrincipal and KeyKeytab let a process log in with a key of its own; without them it uses the ticket cache.
	KeyPrincipal = "howdah.security.kerberos.principal"
	KeyKeytab    = "howdah.security.kerberos.keytab"
)

const aesCTR = "AES/CTR/NoPadding"

// settings are what the configuration says of security.
type settings struct {
	kerberos        bool
	rpc, data       []sasl.Protection // most wanted first
	aes             bool              // of data transfer, where the whole connection is private
	fallback        bool              // a server without security is accepted
	nameNode        string            // principal, perhaps with _HOST
	nameNodePattern string            // of principals that the server may name; "" = nameNode alone
	rules           rules
}

// anyProtection is what a client accepts that was told nothing: the cheapest protection that the server lets it have.
var anyProtection = []sasl.Protection{sasl.Authentication, sasl.Integrity, sasl.Privacy}

func readSettings(c *conf.Config) (s settings, err error) {
	switch v := c.Get(keyAuthentication); v {
	case "", "simple":
	case "kerberos":
		s.kerberos = true
	default:
		return s, c.Refuse(keyAuthentication, fmt.Errorf("%q is neither simple nor kerberos", v))
	}
	if s.rpc, err = protections(c, keyRPCProtection); err != nil {
		return s, err
	}
	if s.data, err = protections(c, keyDataProtection); err != nil {
		return s, err
	}
	switch v := strings.TrimSpace(c.Get(keyCipherSuites)); v {
	case "":
	case aesCTR:
		s.aes = true
	default:
		return s, c.Refuse(keyCipherSuites, fmt.Errorf("%q is not supported", v)).Fix("write " + aesCTR + " or leave it out")
	}
	if s.fallback, err = c.Bool(keyFallback, false); err != nil {
		return s, err
	}
	s.nameNode, s.nameNodePattern = c.Get(keyNameNode), c.Get(keyNameNodePattern)
	if s.kerberos && s.nameNode == "" && s.nameNodePattern == "" {
		return s, c.Refuse(keyNameNode, errors.New("a secured cluster needs it")).Fix("write the NameNode's principal, such as nn/_HOST@REALM")
	}
	if s.rules, err = parseRules(c.Get(keyAuthToLocal)); err != nil {
		return s, c.Refuse(keyAuthToLocal, err)
	}
	return s, nil
}

func protections(c *conf.Config, key string) ([]sasl.Protection, error) {
	v := c.Get(key)
	if v == "" {
		return anyProtection, nil
	}
	list, err := sasl.ParseProtections(v)
	if err != nil {
		return nil, c.Refuse(key, err)
	}
	return list, nil
}
