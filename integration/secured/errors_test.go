//go:build integration

package secured

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/hdfs/kerberos"
	"github.com/howdah/howdah/dfs/hdfs/security"
	"github.com/howdah/howdah/integration/apachehadoop"
	"github.com/howdah/howdah/job/failure"
)

// Each error has the correct kind and describes the cause or a remedy.
func TestErrors(t *testing.T) {
	ctx := needs(t)
	as(t, "alice")
	key, err := kdc.Keytab(ctx, "dave", []string{"dave"}, "-maxrenewlife", "0")
	require.NoError(t, err)
	short, err := kdc.Login(ctx, "short", key, "dave", "-l", "1s")
	require.NoError(t, err)
	time.Sleep(1500 * time.Millisecond) // waits until the ticket has expired
	noKDC := filepath.Join(t.TempDir(), "krb5.conf")
	text, err := os.ReadFile(kdc.Config())
	require.NoError(t, err)
	lines := strings.Split(string(text), "\n")
	for i, l := range lines {
		if strings.Contains(l, "kdc = ") {
			lines[i] = "  kdc = 127.0.0.1:1"
		}
	}
	require.NoError(t, os.WriteFile(noKDC, []byte(strings.Join(lines, "\n")), 0o600))

	for name, x := range map[string]struct {
		env  map[string]string
		set  map[string]string
		kind failure.Kind
		says []string
	}{
		"no ticket": {env: map[string]string{kerberos.CacheEnv: "FILE:/nowhere"}, kind: failure.Permission,
			says: []string{"/nowhere", "kinit"}},
		"ticket ended": {env: map[string]string{kerberos.CacheEnv: short}, kind: failure.Permission,
			says: []string{"the ticket expired at", "kinit"}},
		"kind of cache": {env: map[string]string{kerberos.CacheEnv: "KEYRING:persistent:0"}, kind: failure.Config,
			says: []string{"KEYRING", "FILE:"}},
		"no krb5.conf": {env: map[string]string{kerberos.ConfigEnv: "/nowhere"}, kind: failure.Config,
			says: []string{"KRB5_CONFIG"}},
		"no KDC": {env: map[string]string{kerberos.ConfigEnv: noKDC}, kind: failure.Unreachable,
			says: []string{"start the KDC"}},
		"no security": {set: map[string]string{"hadoop.security.authentication": "simple"}, kind: failure.Config,
			says: []string{"SIMPLE authentication is not enabled", "hadoop.security.authentication=kerberos"}},
		"who is it": {set: map[string]string{"dfs.namenode.kerberos.principal": "hdfs/_HOST@" + apachehadoop.Realm},
			kind: failure.Config, says: []string{"identifies itself as nn/localhost", "dfs.namenode.kerberos.principal"}},
		"no principal": {set: map[string]string{"dfs.namenode.kerberos.principal": ""}, kind: failure.Config,
			says: []string{"dfs.namenode.kerberos.principal"}},
		"no protection": {set: map[string]string{"hadoop.rpc.protection": "secret"}, kind: failure.Config,
			says: []string{"is not authentication, integrity or privacy"}},
		"unknown user": {set: map[string]string{conf.SecurityKerberosPrincipal.Name: "carol",
			conf.SecurityKerberosKeytab.Name: keys["alice"]},
			kind: failure.Config, says: []string{"no key for carol@TEST.LOCAL", "alice@TEST.LOCAL"}},
		"no keytab": {set: map[string]string{conf.SecurityKerberosPrincipal.Name: "alice",
			conf.SecurityKerberosKeytab.Name: "/nowhere"},
			kind: failure.NotFound, says: []string{"keytab /nowhere"}},
		"no credentials": {set: map[string]string{"mapreduce.job.credentials.binary": "/nowhere"}, kind: failure.NotFound,
			says: []string{"credentials /nowhere"}},
	} {
		t.Run(name, func(t *testing.T) {
			for k, v := range x.env {
				t.Setenv(k, v)
			}
			c := settings()
			set(c, x.set)
			fs, err := open(c)
			if err == nil {
				_, err = fs.Stat(ctx, "/user/alice")
			}
			require.Error(t, err)
			require.Equal(t, x.kind, failure.KindOf(err), "%v", err)
			for _, s := range x.says {
				require.ErrorContains(t, err, s)
			}
		})
	}
}

func set(c *conf.Config, to map[string]string) {
	for k, v := range to {
		c.Set(k, v, "test")
	}
}

// A user cannot read or write another user's files.
func TestPermissions(t *testing.T) {
	ctx := needs(t)
	as(t, "alice")
	alice := openAs(t, security.Options{})
	put(t, ctx, alice, "/user/alice/private/file", "secret")
	mode := uint32(0o700)
	require.NoError(t, alice.SetMeta(ctx, "/user/alice/private", metaMode(mode)))
	as(t, "bob")
	bob := openAs(t, security.Options{})
	_, err := bob.Open(ctx, "/user/alice/private/file")
	require.True(t, failure.Is(err, failure.Permission), "%v", err)
	_, err = bob.List(ctx, "/user/alice/private")
	require.True(t, failure.Is(err, failure.Permission), "%v", err)
	require.True(t, failure.Is(bob.Mkdir(ctx, "/user/alice/bob"), failure.Permission))
	require.True(t, failure.Is(bob.Delete(ctx, "/user/alice/private", true), failure.Permission))
}
