//go:build integration

package hdfs

import (
	"context"
	"crypto/md5"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/hdfs"
	"github.com/howdah/howdah/dfs/schemes"
	"github.com/howdah/howdah/integration/apachehadoop"
)

// shared is the cluster that all tests except TestFailover share. It has three DataNodes and three
// replicas. Each test restores it.
var shared struct {
	once sync.Once
	c    *apachehadoop.Cluster
	err  error
	dir  string
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.c != nil {
		shared.c.Stop()
	}
	if shared.dir != "" {
		os.RemoveAll(shared.dir)
	}
	os.Exit(code)
}

// quick holds settings with which a NameNode leaves safe mode as soon as the blocks are available,
// and quickly detects missing DataNodes.
var quick = []apachehadoop.Setting{
	{Name: "dfs.namenode.safemode.extension", Value: "0"},
	{Name: "dfs.namenode.heartbeat.recheck-interval", Value: "5000"},
	{Name: "dfs.namenode.redundancy.interval.seconds", Value: "1"},
}

func cluster(t *testing.T) *apachehadoop.Cluster {
	t.Helper()
	if err := apachehadoop.Available(); err != nil {
		t.Skip(err)
	}
	shared.once.Do(func() {
		if shared.dir, shared.err = os.MkdirTemp("", "howdah-hdfs-*"); shared.err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), 8*time.Minute)
		defer cancel()
		shared.c, shared.err = apachehadoop.Start(ctx, filepath.Join(shared.dir, "cluster"),
			apachehadoop.Options{DataNodes: 3, Replication: 3,
				NameNode: quick, Site: []apachehadoop.Setting{{Name: "dfs.heartbeat.interval", Value: "1"},
					{Name: "dfs.namenode.fs-limits.min-block-size", Value: "1024"}}})
	})
	require.NoError(t, shared.err)
	return shared.c
}

// open returns the cluster's file system and a new empty directory. Settings have the form
// key=value.
func open(t *testing.T, c *apachehadoop.Cluster, settings ...string) (*hdfs.FS, string) {
	t.Helper()
	fs := connect(t, c, settings...)
	dir := fmt.Sprintf("/test/%s-%x", strings.ReplaceAll(t.Name(), "/", "-"), rand.Uint32())
	require.NoError(t, fs.Mkdir(t.Context(), dir))
	return fs, dir
}

// connect returns the cluster's file system.
func connect(t *testing.T, c *apachehadoop.Cluster, settings ...string) *hdfs.FS {
	t.Helper()
	cfg := clientConf(t, c, settings...)
	r, err := schemes.Resolver(cfg, func(text string) { t.Log(text) })
	require.NoError(t, err)
	t.Cleanup(func() { r.Close() })
	fs, _, err := r.Resolve(c.URI() + "/")
	require.NoError(t, err)
	return fs.(*hdfs.FS)
}

// clientConf reads the cluster's client configuration in Hadoop's format.
func clientConf(t *testing.T, c *apachehadoop.Cluster, settings ...string) *conf.Config {
	t.Helper()
	cfg := conf.New()
	for _, f := range []string{"core-site.xml", "hdfs-site.xml"} {
		require.NoError(t, cfg.LoadFile(filepath.Join(c.ConfDir(), f)))
	}
	for _, s := range settings {
		k, v, _ := strings.Cut(s, "=")
		cfg.Set(k, v, "test")
	}
	return cfg
}

// stream returns n bytes that depend only on the low 16 bits of seed.
func stream(seed uint64, n int64) io.Reader {
	var key [32]byte
	key[0], key[1] = byte(seed), byte(seed>>8)
	return io.LimitReader(rand.NewChaCha8(key), n)
}

func sum(t *testing.T, r io.Reader) string {
	t.Helper()
	h := md5.New()
	_, err := io.Copy(h, r)
	require.NoError(t, err)
	return fmt.Sprintf("%x", h.Sum(nil))
}

// write creates a file with the stream of the given seed. It calls the function during, unless that
// is nil, before each chunk of step bytes.
func write(t *testing.T, fs dfs.FileSystem, name string, seed uint64, n, step int64, during func(done int64)) {
	t.Helper()
	w, err := fs.Create(t.Context(), name, dfs.CreateOptions{BlockSize: 4 << 20})
	require.NoError(t, err)
	r := stream(seed, n)
	for done := int64(0); done < n; done += step {
		if during != nil {
			during(done)
		}
		_, err := io.CopyN(w, r, min(step, n-done))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
}

// requireFile compares a file with the stream of the given seed.
func requireFile(t *testing.T, fs dfs.FileSystem, name string, seed uint64, n int64) {
	t.Helper()
	f, err := fs.Open(t.Context(), name)
	require.NoError(t, err)
	defer f.Close()
	require.Equal(t, n, f.Size())
	require.Equal(t, sum(t, stream(seed, n)), sum(t, f))
}
