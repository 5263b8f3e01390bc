package local

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// picky fails on lines that contain "bad map" and on groups whose key contains "bad reduce". The held
// setting is the number of lines that it processes in a batch.
var picky = &mapreduce.Job{
	Name:    "picky",
	Mapper:  mapreduce.MapOf(func() *pickyMapper { return &pickyMapper{} }),
	Reducer: mapreduce.ReduceFunc(pickyReduce),
}

type pickyMapper struct{ lines []string }

func (m *pickyMapper) Map(c *mapreduce.Context, _ int64, line mapreduce.Text,
	out *mapreduce.Out[mapreduce.Text, int32]) error {
	held, err := c.Conf.Int("held", 1, 1, 100)
	if err != nil {
		return err
	}
	if m.lines = append(m.lines, string(line)); len(m.lines) < int(held) {
		return nil
	}
	return m.flush(c, out)
}

func (m *pickyMapper) flush(c *mapreduce.Context, out *mapreduce.Out[mapreduce.Text, int32]) error {
	for _, l := range m.lines {
		if strings.Contains(l, "bad map") {
			panic("I do not like " + l)
		}
		out.Emit(mapreduce.Text(l), 1)
	}
	if c.Conf.Get("held") != "" {
		done, err := c.Counter("SkippingTaskCounters", "MapProcessedRecords")
		if err != nil {
			return err
		}
		done.Add(int64(len(m.lines)))
	}
	m.lines = m.lines[:0]
	return out.Err()
}

func (m *pickyMapper) Cleanup(c *mapreduce.Context, out *mapreduce.Out[mapreduce.Text, int32]) error {
	return m.flush(c, out)
}

func pickyReduce(_ *mapreduce.Context, key mapreduce.Text, counts iter.Seq[int32],
	out *mapreduce.Out[mapreduce.Text, int32]) error {
	if strings.Contains(string(key), "bad reduce") {
		return fmt.Errorf("I do not like %s", key)
	}
	var n int32
	for c := range counts {
		n += c
	}
	out.Emit(key, n)
	return out.Err()
}

// The search for bad records converges, the job skips and saves exactly those records, and the rest
// of the output is complete.
func TestBadRecordsAreSkipped(t *testing.T) {
	for _, held := range []string{"", "8"} {
		dir := t.TempDir()
		c := newConf(t)
		var text, want strings.Builder
		for i := range 100 {
			switch {
			case i == 17 || i == 60:
				fmt.Fprintf(&text, "%02d bad map\n", i)
			case i == 33:
				fmt.Fprintf(&text, "%02d bad reduce\n%02d bad reduce\n", i, i)
			default:
				fmt.Fprintf(&text, "%02d\n", i)
				fmt.Fprintf(&want, "%02d\t1\n", i)
			}
		}
		require.NoError(t, os.WriteFile(dir+"/in", []byte(text.String()), 0o644))
		mapreduce.AddInputPaths(c, dir+"/in")
		mapreduce.SetOutputPath(c, dir+"/out")
		c.Set("mapreduce.map.skip.maxrecords", "1", "test")
		c.Set("mapreduce.reduce.skip.maxgroups", "1", "test")
		c.Set("mapreduce.map.maxattempts", "30", "test")
		if held != "" {
			c.Set("held", held, "test")
			c.Set("mapred.skip.map.auto.incr.proc.count", "false", "test")
		}
		res, err := Run(context.Background(), Options{FS: newFS(t, c)}, picky, c)
		require.NoError(t, err)
		b, err := os.ReadFile(dir + "/out/part-r-00000")
		require.NoError(t, err)
		require.Equal(t, want.String(), string(b))
		n := res.Counters.Builtin
		require.Equal(t, []int64{2, 1, 2}, []int64{n[job.MapSkippedRecords], n[job.ReduceSkippedGroups],
			n[job.ReduceSkippedRecords]})
		require.Equal(t, []int64{99, 97, 97}, []int64{n[job.MapInputRecords], n[job.ReduceInputGroups],
			n[job.ReduceInputRecords]})
		kept, err := filepath.Glob(dir + "/out/_logs/skip/attempt_*")
		require.NoError(t, err)
		require.Len(t, kept, 2)
		require.Equal(t, "17 bad map 60 bad map", skipped(t, c, kept[0]))
		require.Equal(t, "1 1", skipped(t, c, kept[1]))
		require.NoDirExists(t, dir+"/out/_temporary")
	}
}

// skipped returns the values in a file of skipped records, read with the input format for such
// files.
func skipped(t *testing.T, c *conf.Config, file string) string {
	x := c.Clone()
	x.Set(conf.InputFileInputFormatInputDir.Name, file, "test")
	x.Set(conf.OutputFileOutputFormatOutputDir.Name, t.TempDir()+"/out", "test")
	x.Set("mapreduce.job.reduces", "0", "test")
	x.Set("mapreduce.map.skip.maxrecords", "0", "test")
	x.Set("mapreduce.job.inputformat.class", "SequenceFileAsTextInputFormat", "test")
	var all []string
	j := &mapreduce.Job{Name: "show",
		Mapper: mapreduce.MapFunc(func(_ *mapreduce.Context, _, v mapreduce.Text,
			out *mapreduce.Out[mapreduce.Text, mapreduce.Text]) error {
			all = append(all, string(v))
			return nil
		})}
	_, err := Run(context.Background(), Options{FS: newFS(t, x)}, j, x)
	require.NoError(t, err)
	return strings.Join(all, " ")
}

func TestTooFewAttemptsForWhatIsBad(t *testing.T) {
	dir, c := input(t, 1)
	require.NoError(t, os.WriteFile(dir+"/in/f00", []byte(strings.Repeat("bad map\n", 5)), 0o644))
	c.Set("mapreduce.map.skip.maxrecords", "1", "test")
	_, err := Run(context.Background(), Options{FS: newFS(t, c)}, picky, c)
	require.True(t, failure.Is(err, failure.User), "%v", err)
	require.ErrorContains(t, err, "I do not like bad map")
	nothingLeft(t, dir, c)
}
