package daemon

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/howdah/howdah/internal/acl"
	"github.com/howdah/howdah/internal/auth"
	wire "github.com/howdah/howdah/internal/wire/tracker"
)

// TestWhoMayReadLogs checks that users read only the logs of jobs that they may see, also after a job
// and its TaskTracker have ended.
func TestWhoMayReadLogs(t *testing.T) {
	d, j, dir := jobOf(t, nil)
	d.log = slog.New(slog.DiscardHandler)
	c := &cluster{jt: newFakeJobTracker()}
	c.serve(t)
	defer func() { c.stopRPC(); <-c.rpcDone }()
	defer d.jt.close()
	d.jt.find = c.addr.find
	administer := func(a *wire.Administrators) {
		c.jt.mu.Lock()
		defer c.jt.mu.Unlock()
		c.jt.admins = a
	}
	administer(&wire.Administrators{Queue: "prod", List: "boss"})
	const attempt = "attempt_202611210000_0001_m_000000_0"
	j.info.User, j.info.ViewAcl = "ann", "viewer"
	logs := attemptLogs(dir, j.id, attempt)
	require.NoError(t, j.makeLogs(logs))
	require.NoError(t, os.WriteFile(filepath.Join(logs, "stdout"), []byte("hello"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(logs, profileLog), []byte("profile"), 0o600))
	read := func(p auth.Principal, query string) int {
		r := httptest.NewRequest(http.MethodGet, "/tasklog?attemptid="+attempt+query, nil)
		w := httptest.NewRecorder()
		d.taskLog(w, r.WithContext(auth.With(context.Background(), p)))
		if w.Code == http.StatusForbidden {
			require.NotContains(t, w.Body.String(), "hello")
		}
		return w.Code
	}
	user := func(name string) auth.Principal { return auth.Principal{User: name} }
	d.cfg.ACLs = &acl.Rules{Me: "mapred", Admins: acl.Parse("carol")}
	require.Equal(t, http.StatusOK, read(user("eve"), ""), "lists are off")
	require.Equal(t, http.StatusForbidden, read(auth.Principal{}, ""), "nobody")
	require.Equal(t, http.StatusForbidden, read(auth.Principal{Node: "n1"}, ""))

	lists := filepath.Join(filepath.Dir(logs), jobACLs)
	checkLists := func() {
		t.Helper()
		for name, want := range map[string]int{"ann": http.StatusOK, "viewer": http.StatusOK, "boss": http.StatusOK,
			"carol": http.StatusOK, "mapred": http.StatusOK, "eve": http.StatusForbidden} {
			for _, query := range []string{"", "&filter=stdout&plaintext=true", "&filter=profile"} {
				require.Equal(t, want, read(user(name), query), "%s %s", name, query)
			}
		}
		require.Equal(t, http.StatusOK, read(auth.Principal{Admin: true}, ""))
	}
	off, on := *d.cfg.ACLs, *d.cfg.ACLs
	on.Enabled = true
	d.cfg.ACLs = &on
	checkLists()
	administer(&wire.Administrators{Queue: "test", List: "tester"}) // the job moves
	require.Equal(t, http.StatusForbidden, read(user("boss"), ""))
	require.Equal(t, http.StatusOK, read(user("tester"), ""))
	administer(nil)
	require.Equal(t, http.StatusForbidden, read(user("tester"), ""), "the JobTracker does not know the job")
	require.Equal(t, http.StatusOK, read(user("viewer"), ""))
	administer(&wire.Administrators{Queue: "prod", List: "boss"})

	// The JobTracker's setting also counts, because one node's configuration may lack it.
	require.NoError(t, os.Remove(lists))
	j.info.Acls = true
	require.NoError(t, saveACLs(filepath.Dir(logs), j.info))
	d.cfg.ACLs = &off
	checkLists()
	require.NoError(t, os.WriteFile(lists, []byte("<configuration>"), 0o600))
	require.Equal(t, http.StatusForbidden, read(user("eve"), ""), "the file is damaged")
	require.Equal(t, http.StatusOK, read(user("carol"), ""))

	require.NoError(t, os.Remove(lists))
	require.Equal(t, http.StatusOK, read(user("eve"), ""), "the logs are older than access control lists")
	d.cfg.ACLs = &on
	require.Equal(t, http.StatusForbidden, read(user("ann"), ""), "it is unknown whose logs they are")
	require.Equal(t, http.StatusOK, read(user("carol"), ""))
	require.NoError(t, os.RemoveAll(filepath.Dir(logs)))
	require.Equal(t, http.StatusNotFound, read(user("eve"), ""))
}

// TestSaveACLs lets attempts of one job begin at the same time.
func TestSaveACLs(t *testing.T) {
	for range 100 {
		dir := t.TempDir()
		var group errgroup.Group
		for range 4 {
			group.Go(func() error { return saveACLs(dir, &wire.JobInfo{User: "ann"}) })
		}
		require.NoError(t, group.Wait())
		files, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Len(t, files, 1)
	}
}
