package mapreduce

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

func TestUsersChooseFormatsByClass(t *testing.T) {
	j := &Job{Name: "j"}
	env := testEnv(t, map[string]string{"/in/a": "k\tv\n", "/in/b": "k\tv\n"}, conf.InputFileInputFormatInputDir.Name,
		"/in")
	for class, want := range map[string]struct {
		key    string
		splits int
	}{
		"":                        {"0", 2},
		"TextInputFormat":         {"0", 2},
		"KeyValueTextInputFormat": {"k", 2},
		"org.apache.hadoop.mapreduce.lib.input.CombineTextInputFormat": {"0", 1},
	} {
		env.Conf.Set(conf.JobInputFormatClass.Name, class, "test")
		splits, err := j.PlanSplits(context.Background(), env)
		require.NoError(t, err)
		require.Len(t, splits, want.splits, class)
		keys, _, err := readAll(env, j.InputFormat(), splits[0])
		require.NoError(t, err)
		require.Equal(t, want.key, keys[0], class)
	}
	env.Conf.Set(conf.JobInputFormatClass.Name, "NoSuchFormat", "test")
	_, err := j.PlanSplits(context.Background(), env)
	require.True(t, failure.Is(err, failure.Config), "%v", err)
	_, err = j.InputFormat().Open(testContext(env), &Split{})
	require.True(t, failure.Is(err, failure.Config), "%v", err)

	env.Conf.Set(conf.JobOutputFormatClass.Name, "NullOutputFormat", "test")
	require.NoError(t, j.OutputFormat().Check(context.Background(), env))
	w, err := j.OutputFormat().Open(testContext(env), TextWritable, TextWritable)
	require.NoError(t, err)
	require.NoError(t, w.Write(nil, nil))
	require.NoError(t, w.Close())
	env.Conf.Set(conf.JobOutputFormatClass.Name, "NoSuchFormat", "test")
	require.True(t, failure.Is(j.OutputFormat().Check(context.Background(), env), failure.Config))
	_, err = j.OutputFormat().Open(testContext(env), TextWritable, TextWritable)
	require.True(t, failure.Is(err, failure.Config))
}

func TestDescendingTurnsTheOrderAround(t *testing.T) {
	down := Descending(LongWritable)
	rapid.Check(t, func(t *rapid.T) {
		a, b := appendLong(nil, rapid.Int64().Draw(t, "a")), appendLong(nil, rapid.Int64Range(-2, 2).Draw(t, "b"))
		require.Equal(t, LongWritable.Compare(b, a), down.Compare(a, b))
		prefixLaw(t, down, a, b)
	})
}

func TestFileSplitsOfAnAuthorsFormat(t *testing.T) {
	env := testEnv(t, map[string]string{"/in/a.gz": "0123456789"}, conf.InputFileInputFormatInputDir.Name, "/in",
		conf.InputFileInputFormatSplitMaxSize.Name, "5")
	splits, err := FileSplits(context.Background(), env, nil)
	require.NoError(t, err)
	require.Equal(t, "a.gz:0+5 a.gz:5+5", showSplits(splits))
	splits, err = FileSplits(context.Background(), env, func(string) bool { return false })
	require.NoError(t, err)
	require.Equal(t, "a.gz:0+10", showSplits(splits))
}
