package mapreduce_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/mrtest"
)

// If all keys go to one reducer, the other reducers leave no files.
func TestLazyOutput(t *testing.T) {
	for name, j := range map[string]*mapreduce.Job{
		"of the job": {Name: "j", Input: mapreduce.KeyValueTextInput{},
			Output: mapreduce.LazyOutput{Of: mapreduce.TextOutput{}}},
		"by class": {Name: "j", Input: mapreduce.KeyValueTextInput{}, Conf: map[string]string{
			conf.JobOutputFormatClass.Name:               "org.apache.hadoop.mapreduce.lib.output.LazyOutputFormat",
			conf.OutputLazyOutputFormatOutputFormat.Name: "org.apache.hadoop.mapreduce.lib.output.TextOutputFormat"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := mrtest.NewRunner()
			require.NoError(t, r.WriteFile("/in", "a\t1\na\t2\n"))
			r.Conf().Set(conf.JobReduces.Name, "3", "test")
			require.NoError(t, j.App().Run(context.Background(), r, []string{"/in", "/out"}))
			found := 0
			for _, part := range []string{"0", "1", "2"} {
				if _, err := r.ReadFile("/out/part-r-0000" + part); err == nil {
					found++
				}
			}
			require.Equal(t, 1, found)
			out, err := r.Output("/out")
			require.NoError(t, err)
			require.Equal(t, "a\t1\na\t2\n", out)
		})
	}
}

func TestLazyOutputRefused(t *testing.T) {
	for _, of := range []string{"", "LazyOutputFormat", "Mine"} {
		r := mrtest.NewRunner()
		require.NoError(t, r.WriteFile("/in", "a\n"))
		r.Conf().Set(conf.JobOutputFormatClass.Name, "LazyOutputFormat", "test")
		r.Conf().Set(conf.OutputLazyOutputFormatOutputFormat.Name, of, "test")
		err := (&mapreduce.Job{Name: "j"}).App().Run(context.Background(), r, []string{"/in", "/out"})
		require.True(t, failure.Is(err, failure.Config), "%v", err)
	}
	err := mapreduce.LazyOutput{Of: mapreduce.TextOutput{}}.Check(context.Background(),
		&mapreduce.Env{Conf: mrtest.NewRunner().Conf()})
	require.True(t, failure.Is(err, failure.Config), "the format behind it has its say: %v", err)
}
