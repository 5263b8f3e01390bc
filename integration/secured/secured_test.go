//go:build integration

// Package secured runs the client, jobs, and daemons against a real HDFS with Kerberos.
package secured

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/hdfs/kerberos"
	"github.com/howdah/howdah/dfs/schemes"
	"github.com/howdah/howdah/integration/apachehadoop"
)

// The tests share the realm, the cluster, and the users.
var (
	skip    error // why the tests cannot run; nil = they can
	dir     string
	kdc     *apachehadoop.KDC
	cluster *apachehadoop.Cluster
	keys    map[string]string // keytabs by user
	caches  map[string]string // ticket caches by user
)

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	for _, err := range []error{apachehadoop.Available(), apachehadoop.KDCAvailable()} {
		if err != nil {
			skip = err
			return m.Run()
		}
	}
	var err error
	if dir, err = os.MkdirTemp("", "howdah-secured-"); err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	if err := start(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer kdc.Stop()
	defer cluster.Stop()
	return m.Run()
}

func start(ctx context.Context) (err error) {
	if kdc, err = apachehadoop.StartKDC(ctx, filepath.Join(dir, "kdc")); err != nil {
		return err
	}
	os.Setenv(kerberos.ConfigEnv, kdc.Config())
	all := "authentication,integrity,privacy"
	cluster, err = apachehadoop.Start(ctx, filepath.Join(dir, "cluster"),
		apachehadoop.Options{Kerberos: &apachehadoop.Kerberos{KDC: kdc, RPC: all, Data: all,
			Settings: map[string]string{
				// Tokens expire 20 seconds after each renewal.
				"dfs.namenode.delegation.token.renew-interval": "20000",
			}}})
	if err != nil {
		kdc.Stop()
		return err
	}
	keys, caches = map[string]string{"nn": cluster.Keytab()}, map[string]string{}
	for user, principal := range map[string]string{"alice": "alice", "bob": "bob", "mapred": "mapred/localhost"} {
		if keys[user], err = kdc.Keytab(ctx, user, []string{principal}); err != nil {
			return err
		}
	}
	for user, principal := range map[string]string{"alice": "alice", "bob": "bob", "nn": apachehadoop.NameNodePrincipal} {
		if caches[user], err = kdc.Login(ctx, user, keys[user], principal); err != nil {
			return err
		}
	}
	return prepare(ctx)
}

// prepare creates the users' home directories and /tmp.
func prepare(ctx context.Context) error {
	os.Setenv(kerberos.CacheEnv, "FILE:"+caches["nn"])
	fs, err := open(settings())
	if err != nil {
		return err
	}
	for _, user := range []string{"alice", "bob", "mapred"} {
		home := "/user/" + user
		if err := fs.Mkdir(ctx, home); err != nil {
			return err
		}
		if err := fs.SetMeta(ctx, home, dfs.Meta{Owner: &user}); err != nil {
			return err
		}
	}
	mode := uint32(0o1777)
	if err := fs.Mkdir(ctx, "/tmp"); err != nil {
		return err
	}
	return fs.SetMeta(ctx, "/tmp", dfs.Meta{Mode: &mode})
}

// settings returns a client's settings.
func settings() *conf.Config {
	c := conf.New()
	for k, v := range map[string]string{"fs.defaultFS": cluster.URI(), "hadoop.security.authentication": "kerberos",
		"dfs.namenode.kerberos.principal": "nn/_HOST@" + apachehadoop.Realm, "dfs.replication": "1"} {
		c.Set(k, v, "test")
	}
	return c
}

func open(c *conf.Config) (dfs.FileSystem, error) {
	r, err := schemes.Resolver(c, nil)
	if err != nil {
		return nil, err
	}
	fs, _, err := r.Resolve("/")
	return fs, err
}

func needs(t *testing.T) context.Context {
	t.Helper()
	if skip != nil {
		t.Skip(skip)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// as switches the process to a user's ticket.
func as(t *testing.T, user string) {
	t.Helper()
	t.Setenv(kerberos.CacheEnv, "FILE:"+caches[user])
}

// roundTrip writes a file of several packets and reads it back.
func roundTrip(t *testing.T, ctx context.Context, fs dfs.FileSystem, name string) {
	t.Helper()
	data := make([]byte, 3<<20+17)
	random := rand.NewChaCha8([32]byte{7})
	_, _ = random.Read(data)
	w, err := fs.Create(ctx, name, dfs.CreateOptions{Overwrite: true})
	require.NoError(t, err)
	_, err = w.Write(data)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	f, err := fs.Open(ctx, name)
	require.NoError(t, err)
	defer f.Close()
	got, err := io.ReadAll(f)
	require.NoError(t, err)
	require.Equal(t, data, got)
}

func TestEveryProtection(t *testing.T) {
	ctx := needs(t)
	as(t, "alice")
	for _, p := range []string{"", "authentication", "integrity", "privacy"} {
		t.Run("protection "+p, func(t *testing.T) {
			c := settings()
			c.Set("hadoop.rpc.protection", p, "test")
			c.Set("dfs.data.transfer.protection", p, "test")
			fs, err := open(c)
			require.NoError(t, err)
			roundTrip(t, ctx, fs, "/user/alice/file")
			info, err := fs.Stat(ctx, "/user/alice/file")
			require.NoError(t, err)
			require.Equal(t, "alice", info.Owner)
		})
	}
	t.Run("AES", func(t *testing.T) {
		c := settings()
		c.Set("dfs.data.transfer.protection", "privacy", "test")
		c.Set("dfs.encrypt.data.transfer.cipher.suites", "AES/CTR/NoPadding", "test")
		fs, err := open(c)
		require.NoError(t, err)
		roundTrip(t, ctx, fs, "/user/alice/file")
	})
}

func TestKeytab(t *testing.T) {
	ctx := needs(t)
	t.Setenv(kerberos.CacheEnv, "FILE:/nowhere")
	c := settings()
	c.Set(conf.SecurityKerberosPrincipal.Name, "bob", "test")
	c.Set(conf.SecurityKerberosKeytab.Name, keys["bob"], "test")
	fs, err := open(c)
	require.NoError(t, err)
	roundTrip(t, ctx, fs, "/user/bob/file")
}
