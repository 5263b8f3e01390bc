package mapreduce

import (
	"context"
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/mem"
	"github.com/howdah/howdah/job/failure"
)

var someFiles = map[string]string{
	"/in/a.txt": "a\n", "/in/b.txt": "b\n", "/in/c.log": "c\n", "/in/empty": "",
	"/in/_SUCCESS": "", "/in/.hidden": "x", "/in/_logs/history/x": "x",
	"/deep/one/x": "x", "/deep/two/y": "y", "/deep/two/three/z": "z", "/deep/top": "t",
	"/comma,name": "c", "/_odd/f": "f",
}

func names(files []inputFile) string {
	var out []string
	for _, f := range files {
		out = append(out, f.Path)
	}
	return strings.Join(out, " ")
}

func TestInputPaths(t *testing.T) {
	for in, want := range map[string]string{
		"/in/a.txt":               "/in/a.txt",
		"/in":                     "/in/a.txt /in/b.txt /in/c.log /in/empty",
		"/in/*.txt":               "/in/a.txt /in/b.txt",
		"/in/{a,c}.*":             "/in/a.txt /in/c.log",
		"/in/[b-z].txt,/in/?.log": "/in/b.txt /in/c.log",
		"/in/c.log,/in/a.txt":     "/in/c.log /in/a.txt",
		`/comma\,name`:            "/comma,name",
		"/{in,deep}/{a.txt,top}":  "/deep/top /in/a.txt",
		"/_odd/f":                 "/_odd/f",
		"/deep/*":                 "!", // fails: three is a directory inside the directory two
		"/in/nothing*":            "!Input Pattern mem:/in/nothing* matches 0 files",
		"/no,/in/a.txt,/none":     "!Input path does not exist: mem:/no; Input path does not exist: mem:/none",
		"/in/_SUCCESS":            "!Input Pattern mem:/in/_SUCCESS matches 0 files",
		"/in/[a,/deep":            "!/in/[a",
		"/in/[a":                  "!",
		"/deep":                   "!Not a file: mem:/deep/one",
		"":                        "!No input paths specified in job",
	} {
		env := testEnv(t, someFiles)
		AddInputPaths(env.Conf, in)
		files, err := listInput(context.Background(), env)
		if msg, ok := strings.CutPrefix(want, "!"); ok {
			require.Error(t, err, in)
			require.Contains(t, err.Error(), msg, in)
			require.Contains(t, []failure.Kind{failure.NotFound, failure.Usage}, failure.KindOf(err))
			continue
		}
		require.NoError(t, err, in)
		require.Equal(t, want, names(files), in)
	}
}

func TestRecursion(t *testing.T) {
	for _, threads := range []string{"1", "4"} {
		env := testEnv(t, someFiles, conf.InputFileInputFormatInputDir.Name, "/deep",
			conf.InputFileInputFormatInputDirRecursive.Name, "true", conf.InputFileInputFormatListStatusNumThreads.Name, threads)
		files, err := listInput(context.Background(), env)
		require.NoError(t, err)
		require.Equal(t, "/deep/one/x /deep/top /deep/two/three/z /deep/two/y", names(files))
	}
	env := testEnv(t, someFiles, conf.InputFileInputFormatInputDir.Name, "/deep",
		conf.InputFileInputFormatInputDirNonrecursiveIgnoreSubdirs.Name, "true")
	files, err := listInput(context.Background(), env)
	require.NoError(t, err)
	require.Equal(t, "/deep/top", names(files))
}

func TestBadSettings(t *testing.T) {
	for key, value := range map[string]string{conf.InputFileInputFormatInputDirRecursive.Name: "maybe",
		conf.InputFileInputFormatSplitMinSize.Name: "-1", conf.InputFileInputFormatSplitMaxSize.Name: "0",
		"fs.local.block.size": "x", conf.InputFileInputFormatListStatusNumThreads.Name: "0"} {
		env := testEnv(t, someFiles, conf.InputFileInputFormatInputDir.Name, "/in", key, value)
		_, err := TextInput{}.Splits(context.Background(), env)
		require.True(t, failure.Is(err, failure.Config), "%s=%s: %v", key, value, err)
		require.ErrorContains(t, err, key)
	}
	env := testEnv(t, someFiles, conf.InputFileInputFormatInputDir.Name, "/in", conf.InputFileInputFormatSplitMaxSize.Name,
		"10", conf.InputFileInputFormatSplitMinSizePerNode.Name, "11")
	_, err := CombineTextInput{}.Splits(context.Background(), env)
	require.True(t, failure.Is(err, failure.Config))
}

// The split size of mapred.FileInputFormat is the total size divided by the number of maps, but at
// least the minimum size and at most a block.
func TestOldClassesTakeAHint(t *testing.T) {
	files := map[string]string{"/in/a": strings.Repeat("a", 900), "/in/b": strings.Repeat("b", 300), "/in/c": ""}
	for _, c := range []struct {
		set  []string
		want string
	}{
		{nil, "900 300 0"},
		{[]string{"mapred.mapper.new-api", "false"}, "600 300 300 0"}, // the default is two maps
		{[]string{"mapred.mapper.new-api", "false", conf.JobMaps.Name, "1"}, "900 300 0"},
		{[]string{"mapred.mapper.new-api", "false", conf.JobMaps.Name, "6"}, "200 200 200 200 100 200 100 0"},
		{[]string{"mapred.mapper.new-api", "false", conf.JobMaps.Name, "6", conf.InputFileInputFormatSplitMinSize.Name,
			"500"}, "500 400 300 0"},
		{[]string{"mapred.mapper.new-api", "true", conf.JobMaps.Name, "6"}, "900 300 0"},
	} {
		splits, err := TextInput{}.Splits(context.Background(),
			testEnv(t, files, append([]string{conf.InputFileInputFormatInputDir.Name, "/in"}, c.set...)...))
		require.NoError(t, err)
		var got []string
		for _, s := range splits {
			got = append(got, fmt.Sprint(s.Length))
		}
		require.Equal(t, c.want, strings.Join(got, " "), c.set)
	}
}

func TestPathListsKeepNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := conf.New()
		var want []string
		for _, n := range rapid.SliceOfN(rapid.StringOfN(rapid.RuneFrom([]rune(`ab,\{}* ä`)), 1, 9, -1), 0,
			5).Draw(t, "names") {
			n = "/" + strings.TrimSpace(n) + "x"
			if strings.ContainsAny(n, "{}") || strings.HasSuffix(n, `\`) {
				continue
			}
			AddInputPaths(c, strings.NewReplacer(`\`, `\\`, ",", `\,`).Replace(n))
			want = append(want, strings.NewReplacer(`\`, `\\`, ",", `\,`).Replace(n))
		}
		require.Equal(t, want, InputPaths(c))
	})
}

func TestEmptyAndCompressedFilesMakeOneSplit(t *testing.T) {
	env := testEnv(t, map[string]string{"/in/a": "", "/in/b.gz": strings.Repeat("x", 100),
		"/in/c": strings.Repeat("x", 100)}, conf.InputFileInputFormatInputDir.Name, "/in",
		conf.InputFileInputFormatSplitMaxSize.Name, "40")
	splits, err := TextInput{}.Splits(context.Background(), env)
	require.NoError(t, err)
	require.Equal(t, "a:0+0 b.gz:0+100 c:0+40 c:40+40 c:80+20", showSplits(splits))
	j := &Job{Name: "j"}
	splits, err = j.PlanSplits(context.Background(), env)
	require.NoError(t, err)
	require.Equal(t, "b.gz:0+100 c:0+40 c:40+40 c:80+20 a:0+0", showSplits(splits))
	require.Equal(t, "mem:/in/c:80+20", splits[3].String())
}

// placed is a file system that derives the hosts of a file from its name.
type placed struct{ dfs.FileSystem }

func (p placed) Locations(_ context.Context, name string, off, n int64) ([]dfs.Block, error) {
	return []dfs.Block{{Offset: off, Length: n, Hosts: strings.Split(path.Base(name), "-")[1:]}}, nil
}

func TestCombinePrefersNodes(t *testing.T) {
	env := testEnv(t, map[string]string{"/in/1-x-y": "aaaa", "/in/2-y": "bbbb", "/in/3-x": "cccc", "/in/4-y-x": "dddd",
		"/in/5-z": "ee"},
		conf.InputFileInputFormatInputDir.Name, "/in", conf.InputFileInputFormatSplitMaxSize.Name, "8")
	env.FS = memFS{placed{env.FS.(memFS).fs}}
	splits, err := CombineTextInput{}.Splits(context.Background(), env)
	require.NoError(t, err)
	require.Equal(t, "1-x-y:0+4,3-x:0+4 2-y:0+4,4-y-x:0+4 5-z:0+2", showSplits(splits))
	require.Equal(t, []string{"x"}, splits[0].Hosts)
	require.Equal(t, []string{"y"}, splits[1].Hosts)
	require.Equal(t, []string{"z"}, splits[2].Hosts)
}

// Every byte is in exactly one split, regardless of how files are combined.
func TestCombineLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fs := mem.New()
		want := map[string]int64{}
		for i := range rapid.IntRange(0, 12).Draw(t, "files") {
			hosts := rapid.SliceOfN(rapid.SampledFrom([]string{"x", "y", "z"}), 0, 3).Draw(t, "hosts")
			name := "/in/" + string(rune('a'+i)) + "-" + strings.Join(hosts, "-")
			size := rapid.IntRange(0, 100).Draw(t, "size")
			w, err := fs.Create(context.Background(), name, dfs.CreateOptions{})
			require.NoError(t, err)
			_, err = w.Write(make([]byte, size))
			require.NoError(t, err)
			require.NoError(t, w.Close())
			want["mem:"+name] = int64(size)
		}
		require.NoError(t, fs.Mkdir(context.Background(), "/in"))
		c := conf.New()
		c.Set(conf.InputFileInputFormatInputDir.Name, "/in", "test")
		limit := rapid.SampledFrom([]string{"0", "1", "7", "50", "1000"}).Draw(t, "max")
		c.Set(conf.InputFileInputFormatSplitMaxSize.Name, limit, "test")
		if limit != "1" {
			c.Set(conf.InputFileInputFormatSplitMinSizePerNode.Name, rapid.SampledFrom([]string{"0", "5"}).Draw(t, "min"),
				"test")
		}
		splits, err := CombineTextInput{}.Splits(context.Background(), &Env{Conf: c, FS: memFS{placed{fs}}})
		require.NoError(t, err)
		got := map[string]int64{}
		next := map[string]int64{}
		for _, s := range splits {
			require.NotEmpty(t, s.Chunks)
			for _, ch := range s.Chunks {
				got[ch.Path] += ch.Length
				next[ch.Path] = max(next[ch.Path], ch.Start+ch.Length)
			}
		}
		require.Equal(t, want, got)
		require.Equal(t, want, next)
	})
}

func TestReadingCombinedSplits(t *testing.T) {
	env := testEnv(t, map[string]string{"/in/a": "1\n22\n333\n", "/in/b": "", "/in/c": "4\n5"},
		conf.InputFileInputFormatInputDir.Name, "/in")
	for _, max := range []string{"0", "1", "2", "3", "5", "100"} {
		env.Conf.Set(conf.InputFileInputFormatSplitMaxSize.Name, max, "test")
		splits, err := CombineTextInput{}.Splits(context.Background(), env)
		require.NoError(t, err)
		var got []string
		for _, s := range splits {
			_, values, err := readAll(env, CombineTextInput{}, s)
			require.NoError(t, err)
			got = append(got, values...)
		}
		require.ElementsMatch(t, []string{"1", "22", "333", "4", "5"}, got, max)
	}
}
