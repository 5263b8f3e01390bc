package conf

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/howdah/howdah/job/failure"
	"github.com/stretchr/testify/require"
)

func load(t *testing.T, c *Config, name, properties string) {
	t.Helper()
	require.NoError(t, c.LoadXML(strings.NewReader("<configuration>"+properties+"</configuration>"), name))
}

func property(name, value string) string {
	return "<property><name>" + name + "</name><value>" + value + "</value></property>"
}

func TestBothSpellingsMeanTheSame(t *testing.T) {
	c := New()
	c.Set("mapred.reduce.tasks", "7", "-D")
	for _, key := range []string{"mapred.reduce.tasks", "mapreduce.job.reduces"} {
		v, source, ok := c.Lookup(key)
		require.True(t, ok)
		require.Equal(t, "7", v)
		require.Equal(t, "-D", source)
	}
	require.Equal(t, []Property{{"mapreduce.job.reduces", "7", "-D"}}, c.Properties(true))
}

func TestDefaults(t *testing.T) {
	c := New()
	v, source, ok := c.Lookup("io.sort.mb")
	require.True(t, ok)
	require.Equal(t, "100", v)
	require.Equal(t, "mapred-default.xml", source)
	require.Equal(t, "\t", c.Get("mapred.textoutputformat.separator"))
	require.Empty(t, c.Properties(true))
	require.NotEmpty(t, c.Properties(false))
	_, _, ok = c.Lookup("nobody.knows.this")
	require.False(t, ok)
}

func TestIsDefault(t *testing.T) {
	c := New()
	require.True(t, c.IsDefault("dfs.replication"))
	require.False(t, c.IsDefault("some.key"), "nobody has a default for it")
	c.Set("dfs.replication", "", "-D")
	require.True(t, c.IsDefault("dfs.replication"), "nothing means the default")
	c.Set("dfs.replication", "3", "-D")
	require.False(t, c.IsDefault("dfs.replication"), "although it is the default's value")
}

func TestCloneIsIndependent(t *testing.T) {
	c := New()
	c.Set("a", "1", "test")
	d := c.Clone()
	d.Set("a", "2", "test")
	require.Equal(t, "1", c.Get("a"))
	require.Equal(t, "2", d.Get("a"))
}

func TestLaterSourcesWin(t *testing.T) {
	dir := t.TempDir()
	write := func(name, properties string) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte("<configuration>"+properties+"</configuration>"), 0o666))
		return file
	}
	core := write("core-site.xml", property("a", "core")+property("b", "core")+property("c", "core")+property("d", "core"))
	mapred := write("mapred-site.xml", property("b", "mapred")+property("c", "mapred")+property("d", "mapred"))
	extra := write("extra.xml", property("c", "extra")+property("d", "extra"))
	o, rest, err := ParseGeneric([]string{"--config", dir, "-conf", extra, "-D", "d=x=1,2", "in", "-D", "e=f"})
	require.NoError(t, err)
	require.Equal(t, []string{"in", "-D", "e=f"}, rest)
	c, err := o.Load()
	require.NoError(t, err)
	require.Equal(t, []Property{{"a", "core", core + ":1"}, {"b", "mapred", mapred + ":1"}, {"c", "extra", extra + ":1"},
		{"d", "x=1,2", "-D"}}, c.Properties(true))
	require.Equal(t, []string{"-D", core, extra, mapred}, c.Sources())
}

func TestConfigDirFromEnvironment(t *testing.T) {
	for _, env := range []string{"HADOOP_CONF_DIR", "HOWDAH_CONF_DIR"} { // the second overrides the first
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "core-site.xml"),
			[]byte("<configuration>"+property("who", env)+"</configuration>"), 0o666))
		t.Setenv(env, dir)
		c, err := GenericOptions{}.Load()
		require.NoError(t, err)
		require.Equal(t, env, c.Get("who"))
	}
	_, err := GenericOptions{ConfigDir: "/no/such/dir"}.Load()
	require.Equal(t, failure.Config, failure.KindOf(err))
	_, err = GenericOptions{Files: []string{"/no/such/file"}}.Load()
	require.Equal(t, failure.Config, failure.KindOf(err))
}

func TestFinalStays(t *testing.T) {
	c := New()
	load(t, c, "site", "<property><name>mapred.reduce.tasks</name><value>3</value><final>true</final></property>")
	load(t, c, "later", property("mapreduce.job.reduces", "5"))
	c.Set("mapred.reduce.tasks", "6", "-D")
	c.Set("mapred.reduce.tasks", "3", "-D") // the same value causes no warning
	require.Equal(t, "3", c.Get("mapreduce.job.reduces"))
	require.Len(t, c.Warnings(), 2)
	require.Contains(t, c.Warnings()[0], "later:1: an attempt to override final parameter mapreduce.job.reduces")
}

func TestWarnsOfKeysWithoutMeaning(t *testing.T) {
	c := New()
	c.Set("mapred.child.java.opts", "-Xmx1g", "mapred-site.xml")
	c.Set("mapreduce.job.name", "x", "-D")
	load(t, c, "my.xml", property("io.serializations", "x")+"\n"+property("io.file.buffer.size", "1m"))
	require.Equal(t, []string{
		"mapred-site.xml: known from Hadoop, without meaning here: mapred.child.java.opts",
		"my.xml: known from Hadoop, without meaning here: io.file.buffer.size, io.serializations",
	}, c.Warnings(), "one line for each file")
	c.Set("mapreduce.framework.name", "yarn", "-D")
	require.Empty(t, c.Warnings(), "Hadoop reads them")
}

func TestAnEmptyValueMeansTheDefault(t *testing.T) {
	c := New()
	c.Set("mapreduce.output.textoutputformat.separator", "", "-D")
	c.Set("my.own", "", "-D")
	require.Equal(t, "\t", c.Get("mapreduce.output.textoutputformat.separator"))
	_, source, ok := c.Lookup("my.own")
	require.True(t, ok)
	require.Equal(t, "-D", source)
}
