package daemon

import (
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/auth"
)

// say appends text to a log.
func say(t *testing.T, dir, name, text string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	require.NoError(t, err)
	_, err = f.WriteString(text)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

// entries returns the names in a directory.
func entries(t *testing.T, dir string) (names []string) {
	t.Helper()
	all, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range all {
		names = append(names, e.Name())
	}
	return names
}

// logged returns the part of a log that /tasklog returns.
func logged(t *testing.T, d *Daemon, attempt, filter, more string) string {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "/tasklog?plaintext=true&attemptid="+attempt+"&filter="+filter+more, nil)
	d.taskLog(w, r.WithContext(auth.With(t.Context(), auth.Principal{Admin: true})))
	return w.Body.String()
}

// attemptsOf contains the IDs of three attempts of the job that ownJob returns.
var attemptsOf = [3]string{"attempt_202611210000_0001_m_000000_0", "attempt_202611210000_0001_m_000001_0",
	"attempt_202611210000_0001_m_000002_0"}

func TestAttemptsOfAChildShareLogs(t *testing.T) {
	d, j, dir := jobOf(t, nil)
	d.log = slog.New(slog.DiscardHandler)
	j.info.TasksPerChild, j.logLimit = -1, 10
	var c, other childLogs
	for i, attempt := range attemptsOf {
		home, err := c.begin(dir, j, attempt)
		require.NoError(t, err)
		require.Equal(t, attemptLogs(dir, j.id, attemptsOf[0]), home)
		say(t, home, "stdout", []string{"first\n", "the second text is long\nlast\n", ""}[i])
		if i == 2 {
			say(t, home, "syslog", "third\n")
		}
		c.cut(d)
	}
	elsewhere, err := other.begin(dir, j, "attempt_202611210000_0001_m_000003_0")
	require.NoError(t, err)
	require.NotEqual(t, attemptLogs(dir, j.id, attemptsOf[0]), elsewhere, "another child has files of its own")
	for i, want := range []string{"first\n", "last\n", ""} {
		require.Equal(t, want, logged(t, d, attemptsOf[i], "stdout", ""))
	}
	require.Equal(t, "irs", logged(t, d, attemptsOf[0], "stdout", "&start=1&end=3"))
	require.Equal(t, "st\n", logged(t, d, attemptsOf[1], "stdout", "&start=-3"))
	require.Equal(t, "third\n", logged(t, d, attemptsOf[2], "syslog", ""))
	require.Empty(t, logged(t, d, attemptsOf[1], "syslog", ""))
	require.Contains(t, logged(t, d, "attempt_202611210000_0001_m_000009_0", "syslog", ""), "no logs")

	// An attempt that the JobTracker forgot starts again, in another child.
	home, err := new(childLogs).begin(dir, j, attemptsOf[1])
	require.NoError(t, err)
	say(t, home, "stdout", "again\n")
	require.Equal(t, "again\n", logged(t, d, attemptsOf[1], "stdout", ""))
	require.Equal(t, "first\n", logged(t, d, attemptsOf[0], "stdout", ""))

	_, err = new(childLogs).begin(dir, j, attemptsOf[0])
	require.NoError(t, err)
	require.Equal(t, "third\n", logged(t, d, attemptsOf[2], "syslog", ""))

	// A crash of the machine damages the index.
	index := filepath.Join(filepath.Dir(home), logIndex)
	say(t, filepath.Dir(home), logIndex, attemptsOf[0]+" "+attemptsOf[0]+" stdout:3")
	require.Equal(t, "again\n", logged(t, d, attemptsOf[1], "stdout", ""))
	say(t, filepath.Dir(home), logIndex, strings.Repeat("\x00", 1<<20))
	require.Equal(t, "again\n", logged(t, d, attemptsOf[1], "stdout", ""))
	require.NoError(t, os.Remove(index))
	require.Contains(t, logged(t, d, attemptsOf[2], "syslog", ""), "no logs")
}

func TestAttemptsWithOwnLogs(t *testing.T) {
	d, j, dir := jobOf(t, nil)
	j.info.TasksPerChild = -1
	for name, own := range map[string]bool{"mapreduce.map.debug.script": true, "mapred.task.profile": true,
		"mapreduce.task.timeout": false} {
		require.Equal(t, own, mayLogMore([]byte("<name>"+name+"</name>")))
	}
	j.ownLogs = true
	var c childLogs
	for _, attempt := range attemptsOf {
		home, err := c.begin(dir, j, attempt)
		require.NoError(t, err)
		require.Equal(t, attemptLogs(dir, j.id, attempt), home)
		say(t, home, "stdout", attempt)
	}
	for _, attempt := range attemptsOf {
		require.Equal(t, attempt, logged(t, d, attempt, "stdout", ""))
	}
}

// TestLogsAreNotCutOnceTheChildGoesOn checks that the parts of earlier attempts keep their places.
func TestLogsAreNotCutOnceTheChildGoesOn(t *testing.T) {
	d, j, dir := jobOf(t, nil)
	d.log = slog.New(slog.DiscardHandler)
	j.info.TasksPerChild, j.logLimit = 5, 6
	var c childLogs
	home, err := c.begin(dir, j, attemptsOf[0])
	require.NoError(t, err)
	say(t, home, "stdout", "a long log\nof a child\n")
	_, err = c.begin(dir, j, attemptsOf[1])
	require.NoError(t, err)
	say(t, home, "stdout", "short\n")
	c.cut(d)
	require.Equal(t, "a long log\nof a child\n", logged(t, d, attemptsOf[0], "stdout", ""))
	require.Equal(t, "short\n", logged(t, d, attemptsOf[1], "stdout", ""))
	require.NoError(t, os.Truncate(filepath.Join(home, "stdout"), 3)) // by the job's own processes
	require.Equal(t, "a l", logged(t, d, attemptsOf[0], "stdout", ""))
	require.Empty(t, logged(t, d, attemptsOf[1], "stdout", ""))
}
