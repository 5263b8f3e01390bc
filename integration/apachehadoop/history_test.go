//go:build integration

package apachehadoop

import (
	"context"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/simulator/trace/importer"
)

// viewed is the output of Hadoop's history viewer for a job.
type viewed struct {
	HadoopJob string `json:"hadoopJob"`
	User      string `json:"user"`
	JobName   string `json:"jobName"`
	Submitted int64  `json:"submittedAt"`
	Launched  int64  `json:"launchedAt"`
	Finished  int64  `json:"finishedAt"`
	Status    string `json:"status"`
}

// Our importer and Hadoop's viewer read the same values from Hadoop's history files, in both
// encodings.
func TestHistoryFiles(t *testing.T) {
	t.Parallel()
	if err := Available(); err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 25*time.Minute)
	defer cancel()
	dir := t.TempDir()
	c, err := Start(ctx, filepath.Join(dir, "cluster"), Options{YARN: true})
	require.NoError(t, err)
	defer c.Stop()
	in := filepath.Join(dir, "in")
	require.NoError(t, os.Mkdir(in, 0o755))
	for _, name := range []string{"a", "b", "c"} {
		require.NoError(t, os.WriteFile(filepath.Join(in, name), []byte("some words and some more\n"), 0o644))
	}
	_, err = c.Run(ctx, Shell, "-put", in, "/in")
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, k := range []struct{ format, uber, head string }{{"binary", "false", "Avro-Binary\n"},
		{"json", "false", "Avro-Json\n"}, {"binary", "true", "Avro-Binary\n"}} {
		name := "words-" + k.format + "-" + k.uber
		_, err := c.Run(ctx, Examples, "wordcount", "-D", "mapreduce.jobhistory.jhist.format="+k.format,
			"-D", "mapreduce.job.reduces=2", "-D", "mapreduce.job.name="+name,
			"-D", "mapreduce.job.ubertask.enable="+k.uber, "-D", "mapreduce.job.ubertask.maxreduces=2", "/in", "/out-"+name)
		require.NoError(t, err)
		file := fetchHistory(t, ctx, c, filepath.Join(dir, name), seen)
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(string(b), k.head), "%.40q", b)

		tr, err := importer.Read([]string{file}, importer.Options{})
		require.NoError(t, err)
		require.Empty(t, tr.Damage)
		require.Len(t, tr.Jobs, 1)
		out, err := c.Run(ctx, "org.apache.hadoop.mapred.JobClient", "-history", "file://"+file, "-format", "json")
		require.NoError(t, err)
		var v viewed
		require.NoError(t, json.Unmarshal(out[strings.IndexByte(string(out), '{'):], &v), "%s", out)
		j := tr.Jobs[0]
		require.Equal(t, v, viewed{j.ID, j.User, j.Name, j.Submit, j.Launch, j.Finish, j.State.String()})
		require.Equal(t, job.Succeeded, j.State)
		require.Len(t, j.Maps, 3)
		require.Len(t, j.Reduces, 2)
		for _, m := range j.Maps {
			require.Positive(t, m.Time)
			require.GreaterOrEqual(t, m.Start, j.Submit)
			require.LessOrEqual(t, m.Start+m.Time, j.Finish)
			require.NotEmpty(t, m.Host)
		}
		for _, r := range j.Reduces {
			require.GreaterOrEqual(t, r.Start, j.Submit)
			require.Positive(t, r.Shuffle+r.Time)
		}
		t.Logf("%s: %d bytes, maps %v, reduces %v, settings %v", name, len(b), j.Maps, j.Reduces, j.Conf)
	}
}

// fetchHistory copies Hadoop's history files and their configurations to this machine. It returns
// the path of the new history file.
func fetchHistory(t *testing.T, ctx context.Context, c *Cluster, dir string, seen map[string]bool) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o755))
	_, err := c.Run(ctx, Shell, "-get", "/tmp/hadoop-yarn/staging/history/done_intermediate/*/*", dir)
	require.NoError(t, err)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	found := ""
	for _, e := range entries {
		if path.Ext(e.Name()) == ".jhist" && !seen[e.Name()] {
			require.Empty(t, found)
			seen[e.Name()] = true
			found = filepath.Join(dir, e.Name())
		}
	}
	require.NotEmpty(t, found)
	return found
}
