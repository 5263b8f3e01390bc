//go:build integration

package hadoopdiff

import (
	"context"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/apachehadoop"
	"github.com/howdah/howdah/integration/minicluster"
)

// onYARN lists the cases that also run on Hadoop's YARN, where a job takes half a minute.
var onYARN = []string{"streaming/wordcount", "wordcount/reducers-7", "sort/reducers-2", "sequence/out/block/bzip2",
	"streaming/counters", "grep"}

// TestYARN runs cases on YARN and on a minicluster. Both sides read from and write to the same
// HDFS.
func TestYARN(t *testing.T) {
	if !*whole {
		t.Skip("runs in make hadoopdiff")
	}
	b := bench(t)
	ctx, cancel := context.WithTimeout(context.Background(), 40*time.Minute)
	defer cancel()
	c, err := apachehadoop.Start(ctx, filepath.Join(b.Dir, "cluster"), apachehadoop.Options{YARN: true})
	require.NoError(t, err)
	defer c.Stop()
	logs := filepath.Join(b.Dir, "log4j")
	require.NoError(t, os.MkdirAll(logs, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(logs, "log4j.properties"), []byte(log4j), 0o644))
	lib, err := apachehadoop.Jars(ctx)
	require.NoError(t, err)
	// The tasks of a job cannot load the class of the fast file system.
	hadoop := &JVM{lib: lib, classes: filepath.Join(b.Dir, "classes"), conf: logs + ":" + c.ConfDir(),
		dir: filepath.Join(b.Dir, "jobs")}
	defer hadoop.Stop()
	client, err := c.JVM(ctx, "client")
	require.NoError(t, err)
	defer client.Close()
	m := minicluster.Start(t, minicluster.Options{TaskTrackers: 2, Set: []string{"fs.defaultFS=" + c.URI()}})
	shell := func(args ...string) {
		t.Helper()
		r, err := client.Shell(args...)
		require.NoError(t, err)
		require.Zero(t, r.Code, "%v: %s", args, r.Err)
	}
	for _, one := range cases() {
		if !slices.Contains(onYARN, one.Name) {
			continue
		}
		t.Run(one.Name, func(t *testing.T) {
			local, at := filepath.Join(b.Dir, one.Name), path.Join("/", one.Name)
			require.NoError(t, os.MkdirAll(filepath.Join(local, "in"), 0o755))
			require.NoError(t, one.In(filepath.Join(local, "in"), rand.New(rand.NewPCG(1, 0))))
			shell("-mkdir", "-p", at)
			shell("-put", filepath.Join(local, "in"), at)

			side := func(name string) places { return places{dir: at, in: at + "/in", out: at + "/" + name} }
			class, args := one.theirs(side("hadoop"))
			theirs, err := hadoop.Run(class, args...)
			require.NoError(t, err)
			mine := m.Howdah(one.ours(side("howdah"))...)
			require.Zero(t, mine.Code, "%s", mine.Err)
			for _, name := range []string{"hadoop", "howdah"} {
				shell("-get", at+"/"+name, local)
			}
			j := <-b.jvms
			defer func() { b.jvms <- j }()
			diffs, err := b.compare(&one, j, local, "howdah", theirs, Result{Code: mine.Code, Out: mine.Out, Err: mine.Err})
			require.NoError(t, err)
			for _, d := range diffs {
				t.Error(d)
			}
		})
	}
}
