//go:build integration

package integration

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
)

// Records on which tasks crash or panic are found, skipped and kept; all others are in the output.
func TestBadRecordsAreSkipped(t *testing.T) {
	bin, dir := features(t), t.TempDir()
	put(t, dir+"/in/a", "one\ntwo\ncrash here\nthree\nreduce this\n")
	put(t, dir+"/in/b", "one\npanic first\nfour\npanic again\nreduce this\nfive\n")
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 2, Set: hasty})
	r := ok(t, c.Command(bin, "picky", "-D", "mapreduce.map.skip.maxrecords=1", "-D", "mapreduce.reduce.skip.maxgroups=1",
		"-D", "mapreduce.map.maxattempts=8", "-D", "mapreduce.job.maxtaskfailures.per.tracker=0", dir+"/in", dir+"/out"))
	require.Equal(t, map[string]int{"one": 2, "two": 1, "three": 1, "four": 1, "five": 1}, counts(t, dir+"/out"))
	for _, line := range []string{"Map skipped records=3", "Reduce skipped groups=1", "Reduce skipped records=2", "MapProcessedRecords=8"} {
		require.Contains(t, r.Err, line)
	}
	kept, err := filepath.Glob(dir + "/out/_logs/skip/attempt_*")
	require.NoError(t, err)
	require.Len(t, kept, 3)
	var all string
	for _, f := range kept {
		b, err := os.ReadFile(f) // too short to be compressed
		require.NoError(t, err)
		all += string(b)
	}
	for _, line := range []string{"crash here", "panic first", "panic again", "reduce this"} {
		require.Contains(t, all, line)
	}
	nothingLeft(t, c, dir+"/out")
}
