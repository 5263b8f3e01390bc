package local

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// The end of an in-process job sends the same notification as on a cluster.
func TestNotification(t *testing.T) {
	var calls []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if calls = append(calls, r.URL.Path); len(calls) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer s.Close()
	dir, c := input(t, 1)
	c.Set("mapreduce.job.end-notification.url", s.URL+"/$jobStatus/$jobId", "test")
	c.Set("mapreduce.job.end-notification.retry.attempts", "2", "test")
	c.Set("mapreduce.job.end-notification.retry.interval", "1", "test")
	_, err := Run(context.Background(), Options{FS: newFS(t, c)},
		mapWith(func(*mapreduce.Context, mapreduce.Text) error { return nil }), c)
	require.NoError(t, err)
	mapreduce.SetOutputPath(c, dir+"/out2")
	_, err = Run(context.Background(), Options{FS: newFS(t, c)},
		mapWith(func(*mapreduce.Context, mapreduce.Text) error { return errors.New("no luck") }), c)
	require.Error(t, err)
	require.Len(t, calls, 3)
	for i, want := range []string{"/SUCCEEDED/job_local", "/SUCCEEDED/job_local", "/FAILED/job_local"} {
		require.True(t, strings.HasPrefix(calls[i], want), calls[i])
	}
	c.Set("mapreduce.job.end-notification.url", "nowhere", "test")
	_, err = Run(context.Background(), Options{FS: newFS(t, c)}, wordcount, c)
	require.True(t, failure.Is(err, failure.Config), "%v", err)
}
