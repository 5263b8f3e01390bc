package aggregatewords_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/apps/aggregatewords"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/mrtest"
)

func output(t *testing.T, app *mapreduce.App, text string) string {
	t.Helper()
	r := mrtest.NewRunner()
	require.NoError(t, r.WriteFile("/in", text))
	require.NoError(t, app.Run(context.Background(), r, []string{"/in", "/out", "1", "textinputformat"}))
	out, err := r.Output("/out")
	require.NoError(t, err)
	return out
}

func TestCount(t *testing.T) {
	require.Equal(t, "be\t2\nnot\t1\nor\t1\nto\t2\n", output(t, aggregatewords.Count(), "to be  or\n\n not to\fbe\t\n"))
}

// TestHistogram expects the output of Hadoop 3.4.2 for the same text.
func TestHistogram(t *testing.T) {
	require.Equal(t, "WORD_HISTOGRAM\t5\t1\t2\t3\t1.8\t0.7483314773547883\n",
		output(t, aggregatewords.Histogram(), "to be  or\n\n not to\tbe\t\n"))
}
