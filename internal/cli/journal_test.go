package cli

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
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
			Spec: &job.Spec{Name: name, User: "ann", Splits: make([]job.SplitMeta, 2), MapAttempts: 4, ReduceAttempts: 4,
				Conf: []job.Property{{Name: "my.key", Value: "of " + name}}}})
		require.NoError(t, err)
	}
	file := filepath.Join(t.TempDir(), "journal")
	require.NoError(t, os.WriteFile(file, b, 0o600))
	return file
}

// ending returns a journal like writeJournal's in which all jobs but the last end.
func ending(t *testing.T, names ...string) string {
	file := writeJournal(t, names...)
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	for i := range len(names) - 1 {
		b, err = history.AppendRecord(b, &event.Event{Type: event.JobFinished, Time: 5, Job: int32(i + 1),
			JobState: job.Killed, Counters: &job.Counters{}})
		require.NoError(t, err)
	}
	require.NoError(t, os.WriteFile(file, b, 0o600))
	return file
}

// Without a JobTracker, job -history says that it can read a journal.
func TestHistoryWithoutJobTracker(t *testing.T) {
	for _, args := range [][]string{{"job_1_0001"}, {"all", "job_1_0001"}, {"-jhist", t.TempDir(), "job_1_0001"}} {
		code, _, errOut := call(t, append([]string{"job", "-history"}, args...)...)
		require.Equal(t, 3, code, errOut)
		require.Contains(t, errOut, "no JobTracker is configured")
		require.Contains(t, errOut, "give the file of a journal (howdah job -history JOURNAL [ID]), or set ")
	}
	code, _, errOut := call(t, "job", "-status", "job_1_0001")
	require.Equal(t, 3, code, errOut)
	require.NotContains(t, errOut, "JOURNAL")
}

// job -history -jhist writes jobs of a JobTracker or of a journal for Hadoop's tools.
func TestHistoryForHadoop(t *testing.T) {
	file := ending(t, "first", "second", "third")
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/journal" || !strings.HasSuffix(r.FormValue("job"), "_0002") {
			http.Error(w, "too many clients", http.StatusServiceUnavailable)
			return
		}
		http.ServeFile(w, r, file)
	}))
	defer web.Close()
	jt, f := startFake(t)
	f.web = web.URL
	const first, second = "job_202611210753_0001", "job_202611210753_0002"
	files := []string{first + "-1-ann-first-5-0-0-KILLED--0.jhist", first + "_conf.xml",
		second + "-1-ann-second-5-0-0-KILLED--0.jhist", second + "_conf.xml"}
	for _, x := range []struct {
		args []string
		want []string
	}{
		{[]string{"-jt", jt, "-history", second}, files[2:]},
		{[]string{"-history", file, second}, files[2:]},
		{[]string{"-history", file}, files},
	} {
		dir := filepath.Join(t.TempDir(), "new")
		code, out, errOut := call(t, append(append([]string{"job"}, x.args...), "-jhist", dir)...)
		require.Zero(t, code, errOut)
		require.True(t, strings.HasSuffix(out, "file:"+filepath.Join(dir, files[2])+"\n"), out)
		require.Equal(t, len(x.want)/2, strings.Count(out, "\n"))
		list, err := os.ReadDir(dir)
		require.NoError(t, err)
		var got []string
		for _, e := range list {
			got = append(got, e.Name())
		}
		require.Equal(t, x.want, got)
		b, err := os.ReadFile(filepath.Join(dir, files[2]))
		require.NoError(t, err)
		require.Contains(t, string(b), `"file:`+filepath.Join(dir, files[3]))
		settings, err := os.ReadFile(filepath.Join(dir, files[3]))
		require.NoError(t, err)
		require.Contains(t, string(settings), "<name>my.key</name><value>of second</value>")
	}

	dir := t.TempDir()
	torn := writeJournal(t, "torn")
	b, err := os.ReadFile(torn)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(torn, b[:len(b)-1], 0o600))
	bad := filepath.Join(dir, "bad")
	require.NoError(t, os.WriteFile(bad, []byte("not a journal"), 0o600))
	for _, x := range []struct {
		code int
		says string
		args []string
	}{
		{2, "the journal lacks the job's end", []string{file, first, "job_202611210753_0003"}},
		{0, "ends in the middle of a record", []string{torn}},
		{2, "it is not a journal", []string{bad}},
		{2, "howdah job -history " + jhistArgs, []string{"all", file}},
		{2, "howdah job -history " + jhistArgs, nil},
		{2, "howdah job -list all", []string{"-jt", jt, "job_202611210753_0009"}},
		{5, "503", []string{"-jt", jt, "job_202611210753_0003"}},
	} {
		code, _, errOut := call(t, append([]string{"job", "-history", "-jhist", dir}, x.args...)...)
		require.Equal(t, x.code, code, "%v %s", x.args, errOut)
		require.Contains(t, errOut, x.says)
	}
	page, err := os.ReadFile("../../docs/reference/commands.md")
	require.NoError(t, err)
	require.Contains(t, string(page), "howdah job -history "+jhistArgs+"\n")
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
