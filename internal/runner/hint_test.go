package runner

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/local"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/mapreduce"
)

// smallSplits returns the splits of a number of files of size bytes.
func smallSplits(files int, size int64) []mapreduce.Split {
	splits := make([]mapreduce.Split, files)
	for i := range splits {
		splits[i] = mapreduce.Split{Length: size, Chunks: []mapreduce.Chunk{{Path: fmt.Sprint(i), Length: size}}}
	}
	return splits
}

func TestWhichJobsGetAHint(t *testing.T) {
	large := smallSplits(hintFiles, 10)
	large[0].Length = hintBytes * hintFiles
	parts := smallSplits(hintFiles, 10)
	parts[0].Chunks[0].Start = 10
	const class, text = "mapreduce.job.inputformat.class=", "CombineTextInputFormat"
	for _, x := range []struct {
		what, setting string
		input         mapreduce.InputFormat
		splits        []mapreduce.Split
		want          string // the class that the hint names
	}{
		{"text", "", nil, smallSplits(hintFiles, 10), text},
		{"text by name", class + "TextInputFormat", nil, smallSplits(hintFiles, 10), text},
		{"text by Java's name", class + "org.apache.hadoop.mapred.TextInputFormat", nil, smallSplits(hintFiles, 10), text},
		{"just below the limit", "", nil, smallSplits(hintFiles, hintBytes-1), text},
		{"SequenceFiles", class + "SequenceFileInputFormat", nil, smallSplits(hintFiles, 0),
			"CombineSequenceFileInputFormat"},
		{"few files", "", nil, smallSplits(hintFiles-1, 10), ""},
		{"few files in many parts", "", nil, parts, ""},
		{"much data", "", nil, smallSplits(hintFiles, hintBytes), ""},
		{"much data in one file", "", nil, large, ""},
		{"combined", class + text, nil, smallSplits(hintFiles, 10), ""},
		{"a program's own format", "", mapreduce.TextInput{}, smallSplits(hintFiles, 10), ""},
		{"a command", "stream.map.streamprocessor=cat", nil, smallSplits(hintFiles, 10), ""},
		{"no input", "", nil, nil, ""},
	} {
		c := conf.New()
		if name, value, ok := strings.Cut(x.setting, "="); ok {
			c.Set(name, value, "-D")
		}
		got := hint(&mapreduce.Job{Input: x.input}, c, x.splits)
		if x.want == "" {
			require.Empty(t, got, x.what)
		} else {
			require.Contains(t, got, "-D "+class+x.want+" ", x.what)
		}
	}
	require.Equal(t, "Hint: the job's 2000 maps read 10 bytes each on average. To let a map read many small files, set\n"+
		"-D mapreduce.job.inputformat.class=CombineTextInputFormat "+
		"-D mapreduce.input.fileinputformat.split.maxsize=134217728", hint(lines, conf.New(), smallSplits(2000, 10)))
}

// TestHintIsShownOnce checks that a job in this process and a job on a cluster show their hint after
// their start, and only there.
func TestHintIsShownOnce(t *testing.T) {
	m, onCluster := newMaster(t)
	m.states <- &status.Job{State: job.Succeeded}
	inProcess := conf.New()
	inProcess.Set("mapreduce.cluster.local.dir", filepath.Join(m.root, "scratch"), "test")
	inProcess.Set("mapreduce.job.reduces", "0", "test")
	mapreduce.SetOutputPath(inProcess, filepath.Join(m.root, "out"))
	dir := filepath.Join(m.root, "small")
	require.NoError(t, os.Mkdir(dir, 0o700))
	for i := range hintFiles {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), nil, 0o600))
	}
	for _, c := range []*conf.Config{onCluster, inProcess} {
		mapreduce.AddInputPaths(c, dir)
		fs, err := local.Resolver(c)
		require.NoError(t, err)
		var log strings.Builder
		r, err := New(Config{Conf: c, FS: fs, Watcher: &Lines{W: &log}})
		require.NoError(t, err)
		_, err = r.Run(context.Background(), lines, c)
		require.NoError(t, err)
		require.Regexp(t, "Running job: .*\nHint: the job's 100[01] maps read 0 bytes", log.String())
		require.Equal(t, 1, strings.Count(log.String(), "Hint"))
		if r, ok := r.(*clusterRunner); ok {
			r.client.Close()
		}
	}
}
