//go:build integration

package hadoopdiff

import (
	"archive/zip"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/apachehadoop"
	"github.com/howdah/howdah/integration/minicluster"
)

// defaults returns the default files in Hadoop's jars, which list every key.
func defaults(t *testing.T, lib string) map[string][]byte {
	out := map[string][]byte{}
	jars, err := filepath.Glob(filepath.Join(lib, "hadoop-*.jar"))
	require.NoError(t, err)
	for _, jar := range jars {
		z, err := zip.OpenReader(jar)
		require.NoError(t, err)
		for _, f := range z.File {
			if !strings.HasSuffix(f.Name, "-default.xml") {
				continue
			}
			r, err := f.Open()
			require.NoError(t, err)
			b, err := io.ReadAll(r)
			require.NoError(t, err)
			out[strings.Replace(f.Name, "-default", "-site", 1)] = b
		}
		require.NoError(t, z.Close())
	}
	return out
}

// We accept a configuration directory with all of Hadoop's 2000 keys. Each key is implemented,
// known, or carried.
func TestEveryKeyOfHadoop(t *testing.T) {
	if err := apachehadoop.Available(); err != nil {
		t.Skip(err)
	}
	lib, err := apachehadoop.Jars(context.Background())
	require.NoError(t, err)
	dir := t.TempDir()
	conf := filepath.Join(dir, "conf")
	require.NoError(t, os.Mkdir(conf, 0o755))
	files := defaults(t, lib)
	for _, name := range []string{"core-site.xml", "hdfs-site.xml", "mapred-site.xml", "yarn-site.xml"} {
		require.NotEmpty(t, files[name], name)
		require.NoError(t, os.WriteFile(filepath.Join(conf, name), files[name], 0o644))
	}
	require.NoError(t, write(filepath.Join(dir, "in", "a"), "one two one\n"))
	r := minicluster.Alone(t, "--config", conf, "run", "wordcount", filepath.Join(dir, "in"), filepath.Join(dir, "out"))
	require.Zero(t, r.Code, r.Err)
	b, err := os.ReadFile(filepath.Join(dir, "out", "part-r-00000"))
	require.NoError(t, err)
	require.Equal(t, "one\t2\ntwo\t1\n", string(b))
	for _, name := range []string{"core-site.xml", "hdfs-site.xml", "mapred-site.xml"} {
		require.LessOrEqual(t, strings.Count(r.Err, name), 1, "told once: %s", r.Err)
	}
	require.NotContains(t, r.Err, "unknown")
}
