package piped

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/local"
	"github.com/howdah/howdah/internal/staging"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mapreduce"
)

var words = &mapreduce.Job{
	Name: "words",
	Mapper: mapreduce.MapFunc(func(c *mapreduce.Context, _ int64, line string, out *mapreduce.Out[string, int64]) error {
		if strings.Contains(line, "poison") {
			return fmt.Errorf("cannot digest %q", line)
		}
		for _, w := range strings.Fields(line) {
			out.Emit(w, 1)
		}
		lines, err := c.Counter("words", "lines")
		if err == nil {
			lines.Add(1)
		}
		return err
	}),
	Combiner: mapreduce.Sum[int64](),
	Reducer:  mapreduce.Sum[int64](),
}

// stage writes the job's staging files to root and returns the metadata of the splits.
func stage(t *testing.T, root string, c *conf.Config, splits []mapreduce.Split) []job.SplitMeta {
	t.Helper()
	fs, err := local.New(c)
	require.NoError(t, err)
	require.NoError(t, staging.Write(t.Context(), fs, root, c, splits))
	metas, _, err := staging.ReadMeta(t.Context(), fs, root, staging.MetaLimit{Splits: 100})
	require.NoError(t, err)
	return metas
}

func TestAJobThroughPipes(t *testing.T) {
	root := t.TempDir()
	out := filepath.Join(root, "out")
	c := conf.New()
	for key, value := range map[string]string{
		conf.JobProgramJob.Name: "words", conf.JobReduces.Name: "2", "mapreduce.job.maps": "2",
		conf.OutputFileOutputFormatOutputDir.Name: "file:" + out,
		conf.YARNErrorsDir.Name:                   "file:" + filepath.Join(root, "errors"),
	} {
		c.Set(key, value, "test")
	}
	texts := []string{"to be or not\n", "to be poison\n", "not be\n"}
	var splits []mapreduce.Split
	for i, s := range texts {
		name := filepath.Join(root, fmt.Sprint("in", i))
		require.NoError(t, os.WriteFile(name, []byte(s), 0o644))
		splits = append(splits, mapreduce.Split{Length: int64(len(s)),
			Chunks: []mapreduce.Chunk{{Path: "file:" + name, Length: int64(len(s))}}})
	}
	c.Set("mapreduce.job.maps", fmt.Sprint(len(splits)), "test")
	staged := filepath.Join(root, "staged")
	metas := stage(t, staged, c, splits)

	run := func(id, what, in string) (stdout, stderr []byte, err error) {
		wd := filepath.Join(root, "containers", id)
		require.NoError(t, os.MkdirAll(wd, 0o755))
		require.NoError(t, os.Link(filepath.Join(staged, "job.xml"), filepath.Join(wd, ConfFile)))
		require.NoError(t, os.Link(filepath.Join(staged, "job.split"), filepath.Join(wd, SplitFile)))
		t.Chdir(wd)
		var o, e bytes.Buffer
		a := &attempt{
			Config: Config{Jobs: func(name string) *mapreduce.Job { return map[string]*mapreduce.Job{"words": words}[name] },
				FS: func(c *conf.Config) (dfs.Resolver, error) { return local.Resolver(c) }},
			in: strings.NewReader(in), out: &o, report: &reporter{out: &e},
			getenv: func(key string) string {
				return map[string]string{"mapreduce_task_attempt_id": id, "mapreduce_task_output_dir": "file:" + filepath.Join(out,
					"_temporary", id)}[key]
			},
		}
		if err = a.run(context.Background(), what); err != nil {
			a.leave(err)
		}
		return o.Bytes(), e.Bytes(), err
	}
	// Hadoop numbers maps arbitrarily. The input line identifies the split.
	line := func(i int) string { return fmt.Sprintf("%d\t%d %d\n", 77, i, metas[i].Offset) }
	var all bytes.Buffer
	for hadoops, i := range []int{2, 0} {
		stdout, stderr, err := run(fmt.Sprintf("attempt_1_0001_m_%06d_0", hadoops), "map", line(i))
		require.NoError(t, err)
		require.Contains(t, string(stderr), "reporter:counter:howdah/words,lines,1\n")
		all.Write(stdout)
	}
	_, _, err := run("attempt_1_0001_m_000002_3", "map", line(1))
	require.ErrorContains(t, err, "cannot digest")
	why, err := os.ReadFile(filepath.Join(root, "errors", "attempt_1_0001_m_000002_3"))
	require.NoError(t, err)
	require.Contains(t, string(why), "poison")

	got := ""
	for p := range 2 {
		id := fmt.Sprintf("attempt_1_0001_r_%06d_0", p)
		// The pieces of map 0 sort before those of map 2, in any order of execution. Hadoop sorts
		// by these keys.
		_, stderr, err := run(id, "reduce", string(sorted(t, all.Bytes(), uint32(p))))
		require.NoError(t, err)
		require.Contains(t, string(stderr), "SHUFFLED_MAPS,3")
		b, err := os.ReadFile(filepath.Join(out, "_temporary", id, fmt.Sprintf("part-r-%05d", p)))
		require.NoError(t, err)
		got += string(b)
	}
	lines := strings.Split(strings.TrimSpace(got), "\n")
	require.ElementsMatch(t, []string{"to\t1", "be\t2", "or\t1", "not\t2"}, lines)
}

// sorted returns the records of one partition in key order.
func sorted(t *testing.T, all []byte, partition uint32) []byte {
	t.Helper()
	mine := only(t, all, partition)
	const key = 4 + placeSize
	var records [][]byte
	for len(mine) > 0 {
		n := key + 4 + int(mine[key])<<24 + int(mine[key+1])<<16 + int(mine[key+2])<<8 + int(mine[key+3])
		records = append(records, mine[:n])
		mine = mine[n:]
	}
	slices.SortFunc(records, func(a, b []byte) int { return bytes.Compare(a[4:key], b[4:key]) })
	return bytes.Join(records, nil)
}

func TestWrongStarts(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, what := range []string{"map", "neither"} {
		a := &attempt{in: strings.NewReader(""), report: &reporter{out: &bytes.Buffer{}},
			getenv: func(string) string { return "" }}
		require.ErrorContains(t, a.run(t.Context(), what), "Hadoop Streaming starts the program in this way")
	}
}
