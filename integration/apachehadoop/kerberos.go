package apachehadoop

import (
	"context"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/howdah/howdah/job/failure"
)

// Kerberos makes HDFS a secured one.
type Kerberos struct {
	KDC *KDC
	// RPC is hadoop.rpc.protection and Data dfs.data.transfer.protection: authentication, integrity or privacy; "" = authentication.
	RPC, Data string
	// Encrypt sets dfs.encrypt.data.transfer with AES.
	Encrypt bool
	// Settings are further properties of hdfs-site.xml.
	Settings map[string]string

	keytab string
}

// The principals of the daemons.
const (
	NameNodePrincipal = "nn/localhost@" + Realm
	dataNodePrincipal = "dn/localhost@" + Realm
	httpPrincipal     = "HTTP/localhost@" + Realm
)

// prepare makes the keys of the daemons.
func (k *Kerberos) prepare(ctx context.Context, name string) error {
	if k == nil {
		return nil
	}
	var err error
	k.keytab, err = k.KDC.Keytab(ctx, name, []string{NameNodePrincipal, dataNodePrincipal, httpPrincipal})
	return err
}

// javaOptions lets Java find the realm.
func (k *Kerberos) javaOptions() []string {
	if k == nil {
		return nil
	}
	return []string{"--add-exports", "java.security.jgss/sun.security.krb5=ALL-UNNAMED", "-Djava.security.krb5.conf=" + k.KDC.Config()}
}

// site gives what a site file needs on top of an open cluster's.
func (k *Kerberos) site(file string) []Setting {
	if k == nil {
		return nil
	}
	switch file {
	case "core-site.xml":
		return []Setting{{"hadoop.security.authentication", "kerberos"}, {"hadoop.security.authorization", "true"}, {"hadoop.rpc.protection", protection(k.RPC)}}
	case "hdfs-site.xml":
		props := []Setting{{"dfs.block.access.token.enable", "true"}, {"dfs.namenode.kerberos.principal", NameNodePrincipal}, {"dfs.namenode.keytab.file", k.keytab},
			{"dfs.datanode.kerberos.principal", dataNodePrincipal}, {"dfs.datanode.keytab.file", k.keytab}, {"dfs.web.authentication.kerberos.principal", httpPrincipal},
			{"dfs.web.authentication.kerberos.keytab", k.keytab}, {"dfs.data.transfer.protection", protection(k.Data)}, {"ignore.secure.ports.for.testing", "true"},
			{"dfs.datanode.hostname", "localhost"}}
		if k.Encrypt {
			props = append(props, Setting{"dfs.encrypt.data.transfer", "true"}, Setting{"dfs.encrypt.data.transfer.cipher.suites", "AES/CTR/NoPadding"})
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

// host gives the name under which a daemon is addressed: a principal names a host, not an address.
func (k *Kerberos) host(addr string) string {
	if k == nil {
		return addr
	}
	return strings.Replace(addr, "127.0.0.1", "localhost", 1)
}

// RunAs runs a main class with the ticket cache of a user (see KDC.Login).
func (c *Cluster) RunAs(ctx context.Context, cache, class string, args ...string) ([]byte, error) {
	if c.o.Kerberos == nil {
		return nil, failure.New(failure.Usage, "run "+class, cache, nil).Fix("start the cluster with Options.Kerberos")
	}
	cmd := c.java(ctx, c.ConfDir(), 1000, class, args...)
	cmd.Env = append(slices.Clone(os.Environ()), "KRB5CCNAME="+cache)
	return output(cmd, class, args)
}

// Keytab names the file with the keys of the daemons; the superuser is NameNodePrincipal.
func (c *Cluster) Keytab() string { return c.o.Kerberos.keytab }
