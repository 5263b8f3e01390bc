package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// callAs is call for a program that runs under one of Hadoop's names.
func callAs(t *testing.T, program string, args ...string) (code int, out, errOut string) {
	t.Helper()
	t.Setenv("HOWDAH_CONF_DIR", "")
	t.Setenv("HADOOP_CONF_DIR", "")
	var o, e bytes.Buffer
	code = runAs(context.Background(), program, args, strings.NewReader(""), &o, &e)
	return code, o.String(), e.String()
}

// input creates a directory with a text file.
func input(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "in"), []byte("b a\nb\n"), 0o644))
	return dir
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(b)
}

func TestJarsByName(t *testing.T) {
	dir := input(t)
	in := filepath.Join(dir, "in")
	code, _, errOut := call(t, "jar", "/opt/hadoop/hadoop-mapreduce-examples-3.4.2.jar", "wordcount", "-D",
		"mapreduce.job.name=x", in, dir+"/words")
	require.Zero(t, code, errOut)
	require.Equal(t, "a\t1\nb\t2\n", read(t, dir+"/words/part-r-00000"))

	code, _, errOut = call(t, "jar", "hadoop-streaming.jar", "-input", in, "-output", dir+"/lines", "-mapper", "cat",
		"-reducer", "NONE")
	require.Zero(t, code, errOut)
	require.Equal(t, "b a\t\nb\t\n", read(t, dir+"/lines/part-00000")+read(t, dir+"/lines/part-00001"),
		"two maps, as mapreduce.job.maps asks for")

	for _, jar := range []string{"my-job.jar", "my-tests.jar", "examples.zip"} {
		code, _, errOut = call(t, "jar", jar, "com.example.Main", in, dir+"/none")
		require.Equal(t, 2, code)
		require.Contains(t, errOut, "howdah does not run Java programs")
		require.Contains(t, errOut, "mapreduce.framework.name=yarn")
	}
	code, _, errOut = call(t, "jar", "hadoop-mapreduce-client-jobclient-3.4.2-tests.jar", "sleep", "-m", "1", "-r", "1",
		"-mt", "1", "-rt", "1")
	require.Zero(t, code, errOut)

	code, _, errOut = call(t, "jar", "hadoop-mapreduce-examples.jar", "wordcuont", in, dir+"/none")
	require.Equal(t, 2, code)
	require.Contains(t, errOut, "did you mean wordcount?")
}

func TestHadoopsNamesHaveHadoopsExitCodes(t *testing.T) {
	dir := input(t)
	in := filepath.Join(dir, "in")
	examples := "hadoop-mapreduce-examples-3.4.2.jar"
	for _, c := range []struct {
		code    int
		program string
		args    []string
	}{
		{0, "hadoop", []string{"version"}},
		{0, "hadoop", []string{"--loglevel", "INFO", "fs", "-ls", dir}},
		{1, "hadoop", []string{"fs", "-ls", dir + "/none"}},
		{1, "hdfs", []string{"dfs", "-cat", dir + "/none"}},
		{1, "hadoop", nil},
		{1, "hadoop", []string{"nonesuch"}},
		{0, "hadoop", []string{"jar", examples, "wordcount", in, dir + "/o1"}},
		{255, "hadoop", []string{"jar", examples, "wordcount", in, dir + "/o1"}},
		{255, "hadoop", []string{"jar", examples, "wordcount", dir + "/none", dir + "/o2"}},
		{0, "mapred", []string{"streaming", "-input", in, "-output", dir + "/o3", "-mapper", "cat"}},
		{5, "mapred", []string{"streaming", "-input", in, "-output", dir + "/o3", "-mapper", "cat"}},
		{5, "hadoop", []string{"jar", "hadoop-streaming.jar", "-input", in, "-output", dir + "/o3", "-mapper", "cat"}},
		{5, "mapred", []string{"streaming", "-input", dir + "/none", "-output", dir + "/o4", "-mapper", "cat"}},
		{5, "mapred", []string{"streaming", "-input", dir, "-output", dir + "/o4", "-mapper", "cat"}}, // a directory
		{1, "hadoop", []string{"jar", "hadoop-streaming.jar", "-input", in, "-output", dir + "/o4", "-mapper", "false"}},
		{1, "hadoop", []string{"jar", "hadoop-streaming.jar", "-nothing"}},
		{255, "hadoop", []string{"jar", examples, "wordcuont"}},
		{255, "hadoop", []string{"jar", examples}},
		{1, "mapred", []string{"streaming", "-input", in, "-mapper", "cat"}},
		{1, "mapred", []string{"streaming", "-input", in, "-output", dir + "/o5", "-mapper", "false"}},
		{0, "hdfs", []string{"getconf", "-confKey", "fs.defaultFS"}},
		{255, "hdfs", []string{"getconf", "-confKey", "no.such.key"}},
		{255, "hdfs", []string{"getconf"}},
	} {
		code, out, errOut := callAs(t, c.program, c.args...)
		require.Equal(t, c.code, code, "%s %q: %s%s", c.program, c.args, out, errOut)
	}
}

func TestGetconf(t *testing.T) {
	conf := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(conf, "hdfs-site.xml"), []byte(`<configuration>
		<property><name>fs.defaultFS</name><value>hdfs://one:9000</value></property>
		<property><name>dfs.nameservices</name><value>a</value></property>
		<property><name>dfs.ha.namenodes.a</name><value>x,y</value></property>
		<property><name>dfs.namenode.rpc-address.a.x</name><value>hx:8020</value></property>
		<property><name>dfs.namenode.rpc-address.a.y</name><value>hy:8020</value></property></configuration>`), 0o644))
	_, out, _ := callAs(t, "hdfs", "--config", conf, "getconf", "-namenodes")
	require.Equal(t, "hx hy\n", out)
	_, out, _ = callAs(t, "hdfs", "--config", conf, "getconf", "-nnRpcAddresses")
	require.Equal(t, "hx:8020\nhy:8020\n", out)
	_, out, _ = callAs(t, "hdfs", "--config", conf, "getconf", "-confKey", "fs.defaultFS")
	require.Equal(t, "hdfs://one:9000\n", out)
}

func TestSubCommandsAreListed(t *testing.T) {
	_, out, _ := callAs(t, "mapred", "--help")
	require.Contains(t, out, "job")
	require.Contains(t, out, "streaming")
}

func TestTypedBytesFiles(t *testing.T) {
	dir := t.TempDir()
	in := "\x07\x00\x00\x00\x01k\x03\x00\x00\x00\x2a"
	var out, errOut bytes.Buffer
	load := func() int {
		return run(context.Background(), []string{"streaming", "loadtb", dir + "/f"}, strings.NewReader(in), &out, &errOut)
	}
	require.Zero(t, load(), errOut.String())
	code, dumped, _ := call(t, "jar", "hadoop-streaming.jar", "dumptb", dir+"/f")
	require.Zero(t, code)
	require.Equal(t, in, dumped)
	require.Equal(t, 4, load())
	code, _, _ = call(t, "streaming", "dumptb")
	require.Equal(t, 1, code)
}

// Every sub-command in the table exists.
func TestEveryNameIsACommand(t *testing.T) {
	s := &session{}
	for program, commands := range hadoopCommands {
		require.Len(t, s.commandsOf(program), len(commands), program)
	}
}
