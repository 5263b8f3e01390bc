// Package security secures connections to an HDFS. An Identity implements the hooks of dfs/hdfs/rpc
// and dfs/hdfs/transfer with the mechanisms of dfs/hdfs/sasl and dfs/hdfs/kerberos. It chooses
// between Kerberos, a token, and a plain name. GetToken, RenewToken, and CancelToken manage
// delegation tokens.
package security

import (
	"fmt"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/hdfs/kerberos"
	"github.com/howdah/howdah/dfs/hdfs/sasl"
)

const aesCTR = "AES/CTR/NoPadding"

// settings contains the security part of the configuration.
type settings struct {
	kerberos        bool
	rpc, data       []sasl.Protection // preferred protections first
	aes             bool              // offer AES for data transfer (dfs.encrypt.data.transfer.cipher.suites)
	fallback        bool              // accept servers without security
	nameNode        string            // principal, can contain _HOST
	nameNodePattern string            // pattern of principals that the server may have; "" means only nameNode
	rules           kerberos.Rules
}

// anyProtection lists the protections that a client without configuration accepts, cheapest first.
var anyProtection = []sasl.Protection{sasl.Authentication, sasl.Integrity, sasl.Privacy}

func readSettings(c *conf.Config) (s settings, err error) {
	switch v := conf.HadoopSecurityAuthentication.Get(c); v {
	case "", "simple":
	case "kerberos":
		s.kerberos = true
	default:
		return s, c.Refuse(conf.HadoopSecurityAuthentication.Name, fmt.Errorf("%q is neither simple nor kerberos", v))
	}
	if s.rpc, err = protections(c, conf.HadoopRPCProtection.Name); err != nil {
		return s, err
	}
	if s.data, err = protections(c, conf.DFSDataTransferProtection.Name); err != nil {
		return s, err
	}
	switch v := strings.TrimSpace(conf.DFSEncryptDataTransferCipherSuites.Get(c)); v {
	case "":
	case aesCTR:
		s.aes = true
	default:
		return s, c.Refuse(conf.DFSEncryptDataTransferCipherSuites.Name, fmt.Errorf("%q is not supported", v)).Fix("write " +
			aesCTR + " or leave it out")
	}
	if s.fallback, err = conf.IPCClientFallbackToSimpleAuthAllowed.Get(c); err != nil {
		return s, err
	}
	s.nameNode, s.nameNodePattern = conf.DFSNameNodeKerberosPrincipal.Get(c),
		conf.DFSNameNodeKerberosPrincipalPattern.Get(c)
	if s.rules, err = kerberos.ParseRules(conf.HadoopSecurityAuthToLocal.Get(c)); err != nil {
		return s, c.Refuse(conf.HadoopSecurityAuthToLocal.Name, err)
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
