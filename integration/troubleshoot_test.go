//go:build integration

package integration

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
)

// A job can request help with the diagnosis of its tasks: profiles among the logs, files of failed
// attempts, and a notification when it ends.
func TestProfilesPreservedFilesAndNotification(t *testing.T) {
	bin, dir := features(t), t.TempDir()
	put(t, dir+"/in/a", "one\npanic\n")
	calls := make(chan string, 10)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { calls <- r.URL.RequestURI() }))
	defer s.Close()
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 1, Set: hasty})
	r := c.Command(bin, "picky", "-D", "mapreduce.map.maxattempts=1",
		"-D", "mapreduce.task.files.preserve.failedtasks=true", "-D", "mapreduce.task.profile=true",
		"-D", "mapreduce.job.end-notification.url="+s.URL+"/$jobStatus/$jobId", dir+"/in", dir+"/out")
	require.Equal(t, 1, r.Code, r.Err)
	select {
	case call := <-calls:
		require.True(t, strings.HasPrefix(call, "/FAILED/job_"), call)
		logs := ok(t, c.Howdah("job", "-logs", strings.TrimPrefix(call, "/FAILED/"))).Out
		require.Contains(t, logs, "profile.out: ")
		require.Contains(t, logs, "filter=profile")
	case <-time.After(60 * time.Second):
		t.Fatal("nobody called")
	}
	profiles, err := filepath.Glob(c.Dir + "/logs/*/userlogs/*/*/profile.out")
	if len(profiles) == 0 {
		profiles, err = filepath.Glob(c.Dir + "/logs/userlogs/*/*/profile.out")
	}
	require.NoError(t, err)
	for _, p := range profiles {
		b, err := os.ReadFile(p)
		require.NoError(t, err)
		require.Equal(t, "\x1f\x8b", string(b[:2]), "a profile is a gzip file")
	}
	var kept []string
	minicluster.Eventually(t, 60*time.Second, "the job's other files to go", func() bool {
		kept, err = filepath.Glob(c.Dir + "/local/*/taskTracker/*/jobcache/job_*/*")
		return err == nil && len(kept) == 2
	})
	require.Contains(t, kept[0], "attempt_")
	require.Equal(t, "job.xml", filepath.Base(kept[1]))
}
