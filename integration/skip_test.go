//go:build integration

package integration

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
)

// A job tolerates as many failed tasks as its settings allow. Its reduces do not wait for lost
// maps, and the output of the other tasks is published.
func TestFailedTasksWithinTheJobsTolerance(t *testing.T) {
	bin, dir := features(t), t.TempDir()
	put(t, dir+"/in/a", "panic\n")
	for _, name := range []string{"b", "c", "d"} {
		put(t, dir+"/in/"+name, "lines\nreduce\n")
	}
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 2, Set: hasty})
	args := []string{"picky", "-D", "mapreduce.job.reduces=2", "-D", "mapreduce.map.maxattempts=2",
		"-D", "mapreduce.reduce.maxattempts=2"}
	r := ok(t, c.Command(bin, append(args, "-D", "mapreduce.map.failures.maxpercent=25",
		"-D", "mapreduce.reduce.failures.maxpercent=50", dir+"/in", dir+"/out")...))
	require.Contains(t, r.Err, "Failed map tasks=2")
	require.Contains(t, r.Err, "Failed reduce tasks=2")
	require.Equal(t, map[string]int{"lines": 3}, counts(t, dir+"/out"))
	r = c.Command(bin, append(args, "-D", "mapreduce.map.failures.maxpercent=24", dir+"/in", dir+"/out2")...)
	require.Equal(t, 1, r.Code)
	require.NoFileExists(t, dir+"/out2/_SUCCESS")
	alone := minicluster.RunAlone(t, bin, append(args, "-D", "mapreduce.map.failures.maxpercent=25",
		"-D", "mapreduce.reduce.failures.maxpercent=50", dir+"/in", dir+"/alone")...)
	require.Zero(t, alone.Code, alone.Err)
	require.Equal(t, parts(t, dir+"/out"), parts(t, dir+"/alone"))
	nothingLeft(t, c, dir+"/out", dir+"/out2", dir+"/alone")
}

// The runtime finds and skips the records on which tasks crash or panic, and keeps a copy of them.
// The output contains all other records.
func TestBadRecordsAreSkipped(t *testing.T) {
	bin, dir := features(t), t.TempDir()
	put(t, dir+"/in/a", "one\ntwo\ncrash here\nthree\nreduce this\n")
	put(t, dir+"/in/b", "one\npanic first\nfour\npanic again\nreduce this\nfive\n")
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 2, Set: hasty})
	r := ok(t, c.Command(bin, "picky", "-D", "mapreduce.map.skip.maxrecords=1", "-D", "mapreduce.reduce.skip.maxgroups=1",
		"-D", "mapreduce.map.maxattempts=8", "-D", "mapreduce.job.maxtaskfailures.per.tracker=0", dir+"/in", dir+"/out"))
	require.Equal(t, map[string]int{"one": 2, "two": 1, "three": 1, "four": 1, "five": 1}, counts(t, dir+"/out"))
	for _, line := range []string{"Map skipped records=3", "Reduce skipped groups=1", "Reduce skipped records=2",
		"MapProcessedRecords=8"} {
		require.Contains(t, r.Err, line)
	}
	kept, err := filepath.Glob(dir + "/out/_logs/skip/attempt_*")
	require.NoError(t, err)
	require.Len(t, kept, 3)
	var all string
	for _, f := range kept {
		b, err := os.ReadFile(f) // too short for compression
		require.NoError(t, err)
		all += string(b)
	}
	for _, line := range []string{"crash here", "panic first", "panic again", "reduce this"} {
		require.Contains(t, all, line)
	}
	nothingLeft(t, c, dir+"/out")
}
