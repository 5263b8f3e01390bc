package apachehadoop

import (
	"context"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/howdah/howdah/job/failure"
)

// Kerberos selects how a cluster secures HDFS.
type Kerberos struct {
	KDC *KDC
	// RPC is the value of hadoop.rpc.protection, and Data is that of dfs.data.transfer.protection.
	// A value is authentication (the default), integrity, privacy, or several of these, separated
	// by commas.
	RPC, Data string
	// Encrypt enables dfs.encrypt.data.transfer with AES.
	Encrypt bool
	// Settings are additional properties for hdfs-site.xml.
	Settings map[string]string

	keytab string
}

// Principals of the cluster's daemons.
const (
	NameNodePrincipal = "nn/localhost@" + Realm
	dataNodePrincipal = "dn/localhost@" + Realm
	httpPrincipal     = "HTTP/localhost@" + Realm
)

// prepare creates the principals of the daemons and a keytab with their keys.
func (k *Kerberos) prepare(ctx context.Context, name string) error {
	if k == nil {
		return nil
	}
	var err error
	k.keytab, err = k.KDC.Keytab(ctx, name, []string{NameNodePrincipal, dataNodePrincipal, httpPrincipal})
	return err
}

// javaOptions returns the options that tell Java where to find the realm's configuration.
func (k *Kerberos) javaOptions() []string {
	if k == nil {
		return nil
	}
	return []string{"--add-exports", "java.security.jgss/sun.security.krb5=ALL-UNNAMED",
		"-Djava.security.krb5.conf=" + k.KDC.Config()}
}

// site returns the settings that a secure cluster's site file needs in addition to those of an open
// cluster.
func (k *Kerberos) site(file string) []Setting {
	if k == nil {
		return nil
	}
	switch file {
	case "core-site.xml":
		return []Setting{{"hadoop.security.authentication", "kerberos"}, {"hadoop.security.authorization", "true"},
			{"hadoop.rpc.protection", protection(k.RPC)}}
	case "hdfs-site.xml":
		props := []Setting{{"dfs.block.access.token.enable", "true"}, {"dfs.namenode.kerberos.principal", NameNodePrincipal},
			{"dfs.namenode.keytab.file", k.keytab},
			{"dfs.datanode.kerberos.principal", dataNodePrincipal}, {"dfs.datanode.keytab.file", k.keytab},
			{"dfs.web.authentication.kerberos.principal", httpPrincipal},
			{"dfs.web.authentication.kerberos.keytab", k.keytab}, {"dfs.data.transfer.protection", protection(k.Data)},
			{"ignore.secure.ports.for.testing", "true"},
			{"dfs.datanode.hostname", "localhost"}}
		if k.Encrypt {
			props = append(props, Setting{"dfs.encrypt.data.transfer", "true"},
				Setting{"dfs.encrypt.data.transfer.cipher.suites", "AES/CTR/NoPadding"})
		}
		for _, name := range slices.Sorted(maps.Keys(k.Settings)) {
			props = append(props, Setting{name, k.Settings[name]})
		}
		return props
	}
	return nil
}

func protection(s string) string {
	if s == "" {
		return "authentication"
	}
	return s
}

// host returns addr with localhost instead of the loopback address, because a principal requires a
// host name.
func (k *Kerberos) host(addr string) string {
	if k == nil {
		return addr
	}
	return strings.Replace(addr, "127.0.0.1", "localhost", 1)
}

// RunAs is like Run, but as the user whose ticket is in the cache file (see KDC.Login).
func (c *Cluster) RunAs(ctx context.Context, cache, class string, args ...string) ([]byte, error) {
	if c.o.Kerberos == nil {
		return nil, failure.New(failure.Usage, "run "+class, cache, nil).Fix("start the cluster with Options.Kerberos")
	}
	cmd := c.java(ctx, c.ConfDir(), 1000, class, args...)
	cmd.Env = append(slices.Clone(os.Environ()), "KRB5CCNAME="+cache)
	return output(cmd, class, args)
}

// Keytab returns the path of the daemons' keytab. The cluster must use Kerberos. NameNodePrincipal is
// the superuser.
func (c *Cluster) Keytab() string { return c.o.Kerberos.keytab }
