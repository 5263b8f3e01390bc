package wordlength_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/apps/wordlength"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/mrtest"
)

func run(t *testing.T, app *mapreduce.App, text, reduces string) (said, output string) {
	t.Helper()
	r := mrtest.NewRunner()
	require.NoError(t, r.WriteFile("/in", text))
	r.Conf().Set(conf.JobReduces.Name, reduces, "test")
	require.NoError(t, app.Run(context.Background(), r, []string{"/in", "/out"}))
	output, err := r.Output("/out")
	require.NoError(t, err)
	return r.Printed(), output
}

// TestAgreesWithHadoop expects the output of Hadoop 3.4.2 for the same texts.
func TestAgreesWithHadoop(t *testing.T) {
	const (
		text = "to be  or\n\nnot\tto\fbe \U0001F600 \xff\xfe ünder\r\n"
		even = "a b ccc ddd\n"
	)
	for _, x := range []struct {
		app                *mapreduce.App
		text, said, output string
	}{
		{wordlength.Mean(), text, "The mean is: 2.4444444444444446\n", "count\t9\nlength\t22\n"},
		{wordlength.Mean(), "", "The mean is: NaN\n", ""},
		{wordlength.Median(), text, "The median is: 2\n", "2\t7\n3\t1\n5\t1\n"},
		{wordlength.Median(), even, "The median is: 1\n", "1\t2\n3\t2\n"},
		{wordlength.Median(), "a bb ccc ddd\n bb", "The median is: 2\n", "1\t1\n2\t2\n3\t2\n"},
		{wordlength.Median(), "\n", "", ""},
		{wordlength.StandardDeviation(), text, "The standard deviation is: 0.9558139185602916\n",
			"count\t9\nlength\t22\nsquare\t62\n"},
		{wordlength.StandardDeviation(), "", "The standard deviation is: NaN\n", ""},
	} {
		said, output := run(t, x.app, x.text, "1")
		require.Equal(t, x.said, said, "%s of %q", x.app.Name, x.text)
		require.Equal(t, x.output, output)
		said, _ = run(t, x.app, x.text, "3")
		require.Equal(t, x.said, said, "in however many parts")
	}
}

func TestUsage(t *testing.T) {
	err := wordlength.Mean().Run(context.Background(), mrtest.NewRunner(), []string{"/in"})
	require.Equal(t, failure.Usage, failure.KindOf(err))
}
