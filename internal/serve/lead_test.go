package serve

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
)

func TestCopier(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	require.NoError(t, os.MkdirAll(filepath.Join(from, "sub"), 0o755))
	for _, name := range []string{"a", "sub/b"} {
		require.NoError(t, os.WriteFile(filepath.Join(from, name), []byte(name), 0o644))
	}
	cp := copier(conf.New(), filepath.Join(dir, "agent"))
	x := mrcluster.Copy{From: "file:" + from, To: "file:" + to}
	for range 2 {
		require.NoError(t, cp(t.Context(), "", x), "to order it again does no harm")
		for _, name := range []string{"a", "sub/b"} {
			b, err := os.ReadFile(filepath.Join(to, name))
			require.NoError(t, err)
			require.Equal(t, name, string(b))
		}
	}
	require.NoError(t, cp(t.Context(), "", mrcluster.Copy{From: "file:" + from + "/a", To: "file:" + dir + "/one"}))
	require.FileExists(t, filepath.Join(dir, "one"))
	x.From = "file:" + dir + "/nowhere"
	require.True(t, failure.Is(cp(t.Context(), "", x), failure.NotFound))
}

func TestMasterConf(t *testing.T) {
	m, err := masterConf(conf.New(), nil)
	require.NoError(t, err)
	require.Equal(t, time.Second, m.Every)
	require.Equal(t, time.Minute, m.OutputsWait)
	for _, key := range []string{"howdah.mrcluster.sample.ms", "howdah.mrcluster.outputs.wait.ms"} {
		c := conf.New()
		c.Set(key, "0", "test")
		_, err := masterConf(c, nil)
		require.ErrorContains(t, err, key)
	}
}
