package minicluster

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

func TestOptionsAreChecked(t *testing.T) {
	for _, o := range []Options{{TaskTrackers: 0}, {TaskTrackers: 65},
		{TaskTrackers: 1, Set: []conf.Property{{Name: "mapred.job.tracker", Value: "x:1", Source: "-D"}}}} {
		require.True(t, failure.Is(o.check(), failure.Usage), "%+v", o)
	}
	o := Options{TaskTrackers: 64, Set: []conf.Property{{Name: "a", Value: "b"}}}
	require.NoError(t, o.check())
}

func TestConfFilesSayWhatWasSet(t *testing.T) {
	l := layout{t.TempDir()}
	require.NoError(t, l.make())
	p := ports{jobTrackerRPC: 1234, jobTrackerHTTP: 1235}
	require.NoError(t, writeConf(l, p, []conf.Property{{Name: "a.b", Value: `<x> & "y"`},
		{Name: "fs.defaultFS", Value: "file:///x"}, {Name: "mapred.reduce.tasks", Value: "7"}}))
	c := conf.New()
	require.NoError(t, c.LoadFile(filepath.Join(l.conf(), "core-site.xml")))
	require.NoError(t, c.LoadFile(filepath.Join(l.conf(), "mapred-site.xml")))
	for k, want := range map[string]string{"a.b": `<x> & "y"`, "fs.defaultFS": "file:///x", "mapreduce.job.reduces": "7",
		"mapreduce.jobtracker.address": "127.0.0.1:1234"} {
		require.Equal(t, want, c.Get(k), k)
	}
}

func TestOneUserOfADirectory(t *testing.T) {
	l, done, err := prepareDir(t.TempDir())
	require.NoError(t, err)
	defer done()
	f, err := acquire(l)
	require.NoError(t, err)
	synctest.Test(t, func(*testing.T) { // fake clock for the lock's retries
		_, err = acquire(l)
	})
	require.True(t, failure.Is(err, failure.Exists), "%v", err)
	f.Close()
	f, err = acquire(l)
	require.NoError(t, err)
	f.Close()
}

func TestTemporaryDirectoryGoesAway(t *testing.T) {
	l, done, err := prepareDir("")
	require.NoError(t, err)
	require.DirExists(t, l.dir)
	done()
	require.NoDirExists(t, l.dir)
}

func TestLastLines(t *testing.T) {
	file := filepath.Join(t.TempDir(), "log")
	require.NoError(t, os.WriteFile(file, []byte("1\n2\n3\n"), 0o600))
	require.Equal(t, "2\n3", lastLines(file, 2))
	require.Equal(t, "1\n2\n3", lastLines(file, 9))
}
