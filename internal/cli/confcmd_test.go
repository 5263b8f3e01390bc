package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestConf(t *testing.T) {
	dir := t.TempDir()
	site := filepath.Join(dir, "mapred-site.xml")
	require.NoError(t, os.WriteFile(site, []byte("<configuration><property><name>mapreduce.job.reduces</name>"+
		"<value>7</value></property><property><name>my.password</name><value>xyzzy</value></property>"+
		"</configuration>"), 0o600))
	code, out, said := call(t, "conf", "--config", dir, "mapreduce.job.reduces", "mapred.reduce.tasks", "io.sort.mb",
		"-D", "mapreduce.task.io.sort.mb=5")
	require.Zero(t, code, said)
	require.Equal(t, "KEY                        VALUE  SOURCE\n"+
		"mapreduce.job.reduces      7      "+site+":1\n"+
		"mapreduce.job.reduces      7      "+site+":1\n"+
		"mapreduce.task.io.sort.mb  5      -D\n", out)
	code, out, _ = call(t, "conf", "--config", dir, "--json", "--changed")
	require.Zero(t, code)
	var list []settingObject
	require.NoError(t, json.Unmarshal([]byte(out), &list))
	require.Equal(t, []settingObject{{"mapreduce.job.reduces", "7", site + ":1"},
		{"my.password", "<redacted>", site + ":1"}}, list)
	code, out, _ = call(t, "conf", "--config", dir, "--xml")
	require.Zero(t, code)
	require.Contains(t, out, "<name>mapreduce.job.reduces</name><value>7</value><source>"+site+":1</source>")
	require.Contains(t, out, "<name>mapreduce.job.maps</name>", "defaults, too")
	require.NotContains(t, out, "xyzzy")
	for _, args := range [][]string{{"conf", "no.such.key"}, {"conf", "--xml", "--json"}} {
		code, _, _ = call(t, args...)
		require.Equal(t, 2, code, args)
	}
}

func TestSubmitRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "job.xml")
	for content, want := range map[string]struct {
		code int
		said string
	}{
		"<configuration/>": {2, "neither stream.map.streamprocessor nor mapreduce.job.map.class is set"},
		"<configuration><property><name>stream.map.streamprocessor</name><value>cat</value></property></configuration>": {3,
			"-jt host:port"},
		"<conf": {3, "job.xml"},
	} {
		require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
		code, _, said := call(t, "job", "-submit", file)
		require.Equal(t, want.code, code, "%s: %s", content, said)
		require.Contains(t, said, want.said, content)
	}
}
