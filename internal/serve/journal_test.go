package serve

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/jobtracker/history"
)

// journal writes the journal of one killed job.
func journal(t *testing.T) string {
	b := history.AppendHeader(nil)
	for _, e := range []event.Event{
		{Type: event.Started, Time: 1, Name: "202611210753"},
		{Type: event.JobSubmitted, Time: 2, Job: 1, Spec: &job.Spec{Name: "simulated", User: "ann",
			Splits: make([]job.SplitMeta, 2), MapAttempts: 4, ReduceAttempts: 4}},
		{Type: event.JobStarted, Time: 2, Job: 1},
		{Type: event.JobAborting, Time: 3, Job: 1, JobState: job.Killed, Text: "enough"},
		{Type: event.JobFinished, Time: 4, Job: 1, JobState: job.Killed, Counters: &job.Counters{}},
		{Type: event.JobRetired, Time: 5, Job: 1},
	} {
		var err error
		b, err = history.AppendRecord(b, &e)
		require.NoError(t, err)
	}
	name := filepath.Join(t.TempDir(), "journal")
	require.NoError(t, os.WriteFile(name, b, 0o600))
	return name
}

// at returns a configuration with the address of web pages.
func at(addr string) *conf.Config {
	c := conf.New()
	c.Set(conf.JobTrackerHTTPAddress.Name, addr, "test")
	return c
}

func TestPagesOfAJournal(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- Pages(ctx, at("127.0.0.1:0"), journal(t), w) }()
	b := make([]byte, 100)
	n, err := r.Read(b)
	require.NoError(t, err)
	for _, path := range []string{"/", "/jobs/job_202611210753_0001", "/scheduler"} {
		answer, err := http.Get(strings.TrimSpace(string(b[:n])) + path)
		require.NoError(t, err)
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		require.Equal(t, http.StatusOK, answer.StatusCode, path)
		if path != "/scheduler" {
			require.Contains(t, string(text), "simulated", path)
		}
	}
	cancel()
	require.NoError(t, <-done)
}

func TestNoJournal(t *testing.T) {
	require.ErrorContains(t, Pages(t.Context(), at("127.0.0.1:0"), "/none", io.Discard), "no such file")
	require.ErrorContains(t, Pages(t.Context(), at("0.0.0.0:0"), journal(t), io.Discard), "howdah.security.secret.file")
	_, _, err := ReadJournal(os.Args[0])
	require.ErrorContains(t, err, "read journal")
}
