//go:build integration

package apachehadoop

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/simulator/trace"
	"github.com/howdah/howdah/simulator/trace/importer"
)

// loggedJob has the fields of a job that Rumen extracts from a history file.
type loggedJob struct {
	JobID       string
	Outcome     string
	SubmitTime  int64
	FinishTime  int64
	TotalMaps   int
	MapTasks    []loggedTask
	ReduceTasks []loggedTask
}

type loggedTask struct {
	TaskStatus string
	Attempts   []struct {
		Result                string
		StartTime, FinishTime int64
	}
}

// Hadoop's viewer and Rumen can read our history files. Our importer reads the same values from them
// as the viewer.
func TestHistoryForHadoop(t *testing.T) {
	if err := Available(); err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	dir := t.TempDir()
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 2, Set: []string{
		"mapreduce.jobhistory.done-dir=file:" + filepath.Join(dir, "done"),
		"mapreduce.jobtracker.jobhistory.completed.location=file:" + filepath.Join(dir, "classic")}})
	in := filepath.Join(dir, "in")
	require.NoError(t, os.Mkdir(in, 0o755))
	for _, name := range []string{"a", "b", "c"} {
		require.NoError(t, os.WriteFile(filepath.Join(in, name), []byte("some words and some more\n"), 0o644))
	}
	r := c.Howdah("run", "-q", "wordcount", "-D", "mapreduce.job.reduces=2",
		"-D", `mapreduce.job.name=words - "a=b" (c) [d] {e} \ f.g_h é`, in, filepath.Join(dir, "out"))
	require.Zero(t, r.Code, r.Err)
	minicluster.Eventually(t, 60*time.Second, "the history of the job", func() bool {
		return len(below(t, filepath.Join(dir, "done"), ".jhist")) == 1 &&
			len(below(t, filepath.Join(dir, "classic"), ""))-len(below(t, filepath.Join(dir, "classic"), "_conf.xml")) == 1
	})
	file := below(t, filepath.Join(dir, "done"), ".jhist")[0]
	r = c.Howdah("job", "-history", "-jhist", filepath.Join(dir, "later"), filepath.Join(dir, "out"))
	require.Zero(t, r.Code, r.Err)
	later := below(t, filepath.Join(dir, "later"), ".jhist")[0]

	h, err := local(ctx, dir)
	require.NoError(t, err)
	out, err := h.Run(ctx, "org.apache.hadoop.mapred.JobClient", "-fs", "file:///", "-history", file, "-format", "json")
	require.NoError(t, err)
	var v viewed
	require.NoError(t, json.Unmarshal(out[strings.IndexByte(string(out), '{'):], &v), "%s", out)
	require.Equal(t, job.Succeeded.String(), v.Status)

	ours := trace.Job{}
	for _, name := range append(below(t, filepath.Join(dir, "classic"), "words"), later, file) {
		tr, err := importer.Read([]string{name}, importer.Options{})
		require.NoError(t, err)
		require.Empty(t, tr.Damage, name)
		require.Len(t, tr.Jobs, 1)
		ours = *tr.Jobs[0]
		require.Equal(t, v, viewed{ours.ID, ours.User, ours.Name, ours.Submit, ours.Launch, ours.Finish, ours.State.String()},
			name)
	}
	require.Len(t, ours.Maps, 3)
	require.Len(t, ours.Reduces, 2)

	for _, kept := range []string{"done", "later", "classic"} {
		flat := filepath.Join(dir, "flat-"+kept) // Rumen reads a single folder
		require.NoError(t, os.Mkdir(flat, 0o755))
		for _, name := range below(t, filepath.Join(dir, kept), "") {
			require.NoError(t, os.Rename(name, filepath.Join(flat, filepath.Base(name))))
		}
		told := filepath.Join(dir, kept+".json")
		_, err = h.Run(ctx, "org.apache.hadoop.tools.rumen.TraceBuilder", "-fs", "file:///", "file://"+told,
			"file://"+told+".topology", "file://"+flat)
		require.NoError(t, err)
		b, err := os.ReadFile(told)
		require.NoError(t, err)
		var j loggedJob
		require.NoError(t, json.Unmarshal(b, &j), "%s", b)
		require.Equal(t, []any{ours.ID, "SUCCESS", ours.Submit, ours.Finish, 3},
			[]any{j.JobID, j.Outcome, j.SubmitTime, j.FinishTime, j.TotalMaps}, kept)
		require.Len(t, j.MapTasks, 3)
		require.Len(t, j.ReduceTasks, 2)
		for _, task := range append(j.MapTasks, j.ReduceTasks...) {
			require.Equal(t, "SUCCESS", task.TaskStatus)
			require.Len(t, task.Attempts, 1)
			require.Positive(t, task.Attempts[0].FinishTime-task.Attempts[0].StartTime)
		}
	}

	// This job ends while tasks are running. The viewer requires an end event for each task.
	r = c.Howdah("streaming", "-input", in, "-output", filepath.Join(dir, "failed"), "-mapper", "false", "-reducer", "cat")
	require.Equal(t, 1, r.Code, r.Err)
	minicluster.Eventually(t, 60*time.Second, "the history of the job that failed", func() bool {
		return len(below(t, filepath.Join(dir, "done"), "FAILED")) == 1
	})
	out, err = h.Run(ctx, "org.apache.hadoop.mapred.JobClient", "-fs", "file:///",
		"-history", below(t, filepath.Join(dir, "done"), "FAILED")[0], "-format", "json")
	require.NoError(t, err, "%s", out)
	require.NoError(t, json.Unmarshal(out[strings.IndexByte(string(out), '{'):], &v), "%s", out)
	require.Equal(t, job.Failed.String(), v.Status)
}

// below lists the files below a folder with a given text in their names. It skips unfinished files,
// which have names that start with an underscore.
func below(t *testing.T, dir, text string) []string {
	t.Helper()
	var out []string
	_ = filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
		if base := filepath.Base(name); err == nil && !e.IsDir() && base[0] != '_' && strings.Contains(base, text) {
			out = append(out, name)
		}
		return nil
	})
	return out
}
