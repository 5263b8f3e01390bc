package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/jobtracker/history"
)

// writeJournal writes a journal with jobs that have the given names.
func writeJournal(t *testing.T, names ...string) string {
	b, err := history.AppendRecord(history.AppendHeader(nil),
		&event.Event{Type: event.Started, Time: 1, Name: "202611210753"})
	require.NoError(t, err)
	for i, name := range names {
		b, err = history.AppendRecord(b, &event.Event{Type: event.JobSubmitted, Time: 1, Job: int32(i + 1),
			Spec: &job.Spec{Name: name, User: "ann", Splits: make([]job.SplitMeta, 2), MapAttempts: 4, ReduceAttempts: 4}})
		require.NoError(t, err)
	}
	file := filepath.Join(t.TempDir(), "journal")
	require.NoError(t, os.WriteFile(file, b, 0o600))
	return file
}

// job -history of a journal file needs no JobTracker.
func TestHistoryOfAJournal(t *testing.T) {
	one, two := writeJournal(t, "only"), writeJournal(t, "first", "second")
	code, out, errOut := call(t, "job", "-history", one)
	require.Zero(t, code, errOut)
	require.Contains(t, out, "JobName: only\n")
	code, out, _ = call(t, "job", "-history", "all", two)
	require.Zero(t, code)
	require.Contains(t, out, "2 jobs submitted")
	code, out, _ = call(t, "job", "-history", two, "job_202611210753_0002")
	require.Zero(t, code)
	require.Contains(t, out, "JobName: second\n")

	code, _, errOut = call(t, "job", "-history", two, "job_202611210753_0003")
	require.Equal(t, 2, code)
	require.Contains(t, errOut, "no such job")
	bad := filepath.Join(t.TempDir(), "bad")
	require.NoError(t, os.WriteFile(bad, []byte("not a journal"), 0o600))
	code, _, errOut = call(t, "job", "-history", bad)
	require.Equal(t, 2, code)
	require.Contains(t, errOut, "read journal "+bad+": open journal: it is not a journal")

	b, err := os.ReadFile(one)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(one, b[:len(b)-1], 0o600))
	code, _, errOut = call(t, "job", "-history", one)
	require.Zero(t, code)
	require.Contains(t, errOut, "ends in the middle of a record")

	jt, _ := startFake(t)
	for _, args := range [][]string{{"-jt", jt, "-history"}, {"-history", one, "a", "b"},
		{"-jt", jt, "-history", "a", "b"}} {
		code, _, errOut = call(t, append([]string{"job"}, args...)...)
		require.Equal(t, 2, code, args)
		require.Contains(t, errOut, "-history [all] ID|OUTPUTDIR|JOURNAL [ID]")
	}
	page, err := os.ReadFile("../../docs/reference/commands.md")
	require.NoError(t, err)
	require.Contains(t, string(page), "howdah job -history "+historyArgs+"\n")
}
