package hdfs

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

func read(t *testing.T, file string) *conf.Config {
	c := conf.New()
	require.NoError(t, c.LoadFile(file))
	return c
}

func TestNameNode(t *testing.T) {
	d := Daemon{Dir: t.TempDir(), NameNode: "h:1", Replication: 2, Settings: []conf.Property{
		{Name: "dfs.heartbeat.interval", Value: "7"}, {Name: "dfs.namenode.name.dir", Value: "/elsewhere"}}}
	c := Config{Jars: "/jars", Java: "/j", HeapMB: 77, Options: []string{"-Xshare:auto"}}
	format, command, err := c.NameNode(d, "h:2")
	require.NoError(t, err)
	require.Equal(t, append(append([]string{}, command...), "-format", "-nonInteractive"), format)
	line := strings.Join(command, " ")
	require.Contains(t, line, " -Xmx77m ")
	require.Contains(t, line, " -Xshare:auto -cp "+d.Dir+"/conf:/jars/* "+nameNodeClass)
	for _, name := range []string{"core-site.xml", "hdfs-site.xml"} {
		site := read(t, filepath.Join(d.Dir, "conf", name))
		for key, value := range map[string]string{"fs.defaultFS": "hdfs://h:1", "dfs.namenode.http-address": "h:2",
			"dfs.replication":       "2",
			"dfs.namenode.name.dir": "file://" + d.Dir + "/data", "dfs.heartbeat.interval": "7",
			"dfs.namenode.reconstruction.pending.timeout-sec": "60", "dfs.namenode.replication.max-streams-hard-limit": "64",
			"dfs.hosts.exclude": d.ExcludeFile()} {
			require.Equal(t, value, site.Get(key), key)
		}
	}
	require.FileExists(t, d.ExcludeFile())

	// A restart keeps the exclude file and does not format the file system again.
	require.NoError(t, os.WriteFile(d.ExcludeFile(), []byte("h:3\n"), 0o644))
	require.NoError(t, os.MkdirAll(filepath.Join(d.Dir, "data", "current"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(d.Dir, "data", "current", "VERSION"), nil, 0o644))
	format, _, err = c.NameNode(d, "h:2")
	require.NoError(t, err)
	require.Nil(t, format)
	b, err := os.ReadFile(d.ExcludeFile())
	require.NoError(t, err)
	require.Equal(t, "h:3\n", string(b))
}

func TestDataNode(t *testing.T) {
	d := Daemon{Dir: t.TempDir(), NameNode: "h:1", Replication: 1}
	command, err := Config{Jars: "/jars", Java: "java"}.DataNode(d, "node-1", "h:3", "h:4", "h:5")
	require.NoError(t, err)
	require.Equal(t, dataNodeClass, command[len(command)-1])
	site := read(t, filepath.Join(d.Dir, "conf", "hdfs-site.xml"))
	for key, value := range map[string]string{"dfs.datanode.hostname": "node-1", "dfs.datanode.address": "h:3",
		"dfs.datanode.ipc.address":  "h:4",
		"dfs.datanode.http.address": "h:5", "dfs.namenode.datanode.registration.ip-hostname-check": "false"} {
		require.Equal(t, value, site.Get(key), key)
	}
}

func TestCheck(t *testing.T) {
	jars := t.TempDir()
	c := Config{Java: "true"}
	require.True(t, failure.Is(c.Check(), failure.Config))
	c.Jars = jars
	require.ErrorContains(t, c.Check(), jars)
	require.NoError(t, os.WriteFile(filepath.Join(jars, "hadoop-hdfs-3.4.2.jar"), nil, 0o644))
	require.NoError(t, c.Check())
	c.Java = "/nowhere/java"
	require.ErrorContains(t, c.Check(), "/nowhere/java")
}

func TestFromConf(t *testing.T) {
	t.Setenv("JAVA_HOME", "/home")
	c := conf.New()
	h, err := FromConf(c)
	require.NoError(t, err)
	require.Equal(t, "/home/bin/java", h.Java)
	require.Equal(t, int64(512), h.HeapMB)
	c.Set("howdah.mrcluster.hdfs.java", "/j", "test")
	c.Set("howdah.mrcluster.hdfs.java.options", " -a  -b", "test")
	h, err = FromConf(c)
	require.NoError(t, err)
	require.Equal(t, "/j", h.Java)
	require.Equal(t, []string{"-a", "-b"}, h.Options)
	c.Set("howdah.mrcluster.hdfs.heap.mb", "1", "test")
	_, err = FromConf(c)
	require.True(t, failure.Is(err, failure.Config))
}

func TestReady(t *testing.T) {
	answer := ""
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/jmx" && strings.HasPrefix(r.URL.Query().Get("qry"), "Hadoop:service=") {
			fmt.Fprint(w, answer)
		}
	}))
	defer s.Close()
	web := s.Listener.Addr().String()
	for _, c := range []struct {
		answer             string
		nameNode, dataNode bool
	}{
		{"", false, false}, {`{"beans":[]}`, false, false}, {`{"beans":[{"BPServiceActorInfo":"[]"}]}`, true, false},
		{`{"beans":[{"BPServiceActorInfo":"[{\"ActorState\":\"RUNNING\"}]"}]}`, true, true},
	} {
		answer = c.answer
		require.Equal(t, c.nameNode, NameNodeReady(t.Context(), web, web) == nil, c.answer)
		require.Equal(t, c.dataNode, DataNodeReady(t.Context(), web) == nil, c.answer)
	}
	answer = `{"beans":[{}]}`
	require.Error(t, NameNodeReady(t.Context(), "127.0.0.1:1", web), "the RPC server comes last")
}
