package catalog

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler/fifo"
)

func TestNames(t *testing.T) {
	for _, name := range []string{"", "fifo", "FIFO", "org.apache.hadoop.mapred.JobQueueTaskScheduler"} {
		p, err := New(name, conf.New())
		require.NoError(t, err)
		require.IsType(t, &fifo.Policy{}, p)
	}
	require.Contains(t, Names(), Default)
}

func TestUnknownNames(t *testing.T) {
	_, err := New("fifu", conf.New())
	require.True(t, failure.Is(err, failure.Config))
	require.ErrorContains(t, err, "did you mean fifo?")
	_, err = New("org.example.MyOwn", conf.New())
	require.ErrorContains(t, err, "there are: fifo")
	require.NotContains(t, err.Error(), "did you mean")
	_, err = New("fzz", conf.New())
	require.NotContains(t, err.Error(), "did you mean", "three letters of four are too many")
}

func TestSettingsOfThePolicyAreChecked(t *testing.T) {
	c := conf.New()
	c.Set(fifo.MultipleKey, "perhaps", "test")
	_, err := New("fifo", c)
	require.Error(t, err)
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "abc", 0}, {"abc", "ab", 1}, {"ab", "abc", 1}, {"abc", "xbc", 1}, {"kitten", "sitting", 3}, {"", "abc", 3}, {"abc", "", 3}, {"xabc", "abc", 1}} {
		require.Equal(t, c.want, distance(c.a, c.b), "%s %s", c.a, c.b)
	}
}
