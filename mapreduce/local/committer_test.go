package local

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mapreduce"
)

// asked is a committer that records its calls and returns an error from one of them.
type asked struct {
	mu     *sync.Mutex
	calls  *[]string
	refuse string
}

func (a asked) do(what string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	*a.calls = append(*a.calls, what)
	if what == a.refuse {
		return errors.New("refused")
	}
	return nil
}

func (a asked) SetupJob(*mapreduce.Context) error  { return a.do("setup job") }
func (a asked) SetupTask(*mapreduce.Context) error { return a.do("setup") }
func (a asked) NeedsTaskCommit(c *mapreduce.Context) (bool, error) {
	return c.Task().Attempt.Type == job.Reduce, nil
}
func (a asked) CommitTask(*mapreduce.Context) error { return a.do("commit") }
func (a asked) AbortTask(*mapreduce.Context) error  { return a.do("abort") }
func (a asked) CommitJob(*mapreduce.Context) error  { return a.do("commit job") }
func (a asked) AbortJob(_ *mapreduce.Context, end job.State) error {
	return a.do("abort job " + end.String())
}

func TestCommitter(t *testing.T) {
	for refuse, want := range map[string][]string{
		"":           {"setup job", "setup", "setup", "setup", "commit", "commit job"},
		"setup job":  {"setup job", "abort job FAILED"},
		"commit":     {"setup job", "setup", "setup", "setup", "commit", "abort", "abort job FAILED"},
		"commit job": {"setup job", "setup", "setup", "setup", "commit", "commit job", "abort job FAILED"},
	} {
		dir, c := input(t, 2)
		a := asked{mu: &sync.Mutex{}, calls: new([]string), refuse: refuse}
		j := mapWith(func(*mapreduce.Context, mapreduce.Text) error { return nil })
		j.Committer = func() mapreduce.OutputCommitter { return a }
		res, err := Run(context.Background(), Options{FS: newFS(t, c)}, j, c)
		require.Equal(t, want, *a.calls, refuse)
		if refuse == "" {
			require.NoError(t, err)
			require.FileExists(t, dir+"/out/_SUCCESS")
			continue
		}
		require.ErrorContains(t, err, "refused")
		require.Equal(t, job.Failed, res.State)
		nothingLeft(t, dir, c)
	}
	// If a task fails, the runner aborts the task and the job.
	_, c := input(t, 1)
	a := asked{mu: &sync.Mutex{}, calls: new([]string)}
	j := mapWith(func(*mapreduce.Context, mapreduce.Text) error { return errors.New("no luck") })
	j.Committer = func() mapreduce.OutputCommitter { return a }
	_, err := Run(context.Background(), Options{FS: newFS(t, c)}, j, c)
	require.ErrorContains(t, err, "no luck")
	require.True(t, slices.Equal([]string{"setup job", "setup", "abort", "abort job FAILED"}, *a.calls), *a.calls)
}
