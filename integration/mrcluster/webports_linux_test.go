//go:build integration

package mrcluster

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/integration/minicluster"
	"github.com/howdah/howdah/integration/testpool"
	"github.com/howdah/howdah/integration/testuser"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/daemonrun"
	"github.com/howdah/howdah/internal/golden"
	"github.com/howdah/howdah/job/failure"
)

// caller identifies the sender of a request.
type caller struct {
	column int    // of the table; callers with the same column get the same answers
	uid    int    // owner of the connection's socket
	token  string // "" = none
	host   string // in the Host header; "" = that of the URL
}

// The columns of the table.
const (
	others = iota // another user of the host, a token of another cluster, a revoked token
	nodes
	users
	administrators
	columns
)

func (c caller) get(t *testing.T, url string) (status int, text string) {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, url, nil)
	require.NoError(t, err)
	r.Host = c.host
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	dial := func(_ context.Context, network, addr string) (conn net.Conn, err error) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			runtime.LockOSThread() // the thread ends with this goroutine
			if _, err = unix.SetfsuidRetUid(c.uid); err == nil {
				conn, err = net.Dial(network, addr)
			}
		}()
		<-done
		return conn, err
	}
	answer, err := (&http.Transport{DisableKeepAlives: true, DialContext: dial,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}).RoundTrip(r) // the test is about callers, not daemons
	require.NoError(t, err)
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, string(b)
}

// answers returns the table's text for an HTTP status.
func answers(status int) string {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return "no"
	case status < http.StatusBadRequest:
		return "yes"
	case status == http.StatusNotFound:
		return "not found"
	}
	return strconv.Itoa(status)
}

// TestWebPorts sends a request to each address of each daemon as each kind of caller, with and
// without TLS. It compares the responses with the table in docs/reference/security.md, which is the
// same in both cases.
func TestWebPorts(t *testing.T) {
	stranger := testuser.New(t, "howdahweb")
	for _, mode := range []string{"off", "auto"} {
		t.Run("tls="+mode, func(t *testing.T) {
			c := webPorts(t, stranger, []string{conf.SecurityTLS.Name + "=" + mode})
			if mode == "off" { // with TLS, the stranger first needs the CA
				ownClients(t, c, stranger)
			}
		})
	}
}

func webPorts(t *testing.T, stranger *testuser.User, settings []string) *minicluster.Cluster {
	p := testpool.Start(t, testpool.Options{Set: settings})
	c := minicluster.Start(t, minicluster.Options{Set: settings})
	r := c.Howdah("run", "pi", "1", "10")
	require.Zero(t, r.Code, r.Err)
	id := regexp.MustCompile(`job_\d+_\d+`).FindString(r.Err + r.Out)
	require.NotEmpty(t, id, r.Err)
	attempt := strings.Replace(id, "job", "attempt", 1) + "_m_000000_0"
	trackers := strings.TrimSpace(c.Howdah("job", "-list-active-trackers").Out)
	tracker := c.Web[:strings.IndexByte(c.Web, ':')] + "://127.0.0.1" + trackers[strings.LastIndexByte(trackers, ':'):]

	secret, err := auth.Load(conf.New())
	require.NoError(t, err)
	issue := func(s *auth.Secret, claims auth.Claims) string {
		claims.Expires = time.Now().Add(time.Hour).Unix()
		token, _ := s.Issue(claims)
		return token
	}
	uid := stranger.UID
	admin := issue(secret, auth.Claims{Admin: true})
	callers := []caller{
		{column: others, uid: uid},
		{column: others, uid: uid, token: issue(auth.NewSecret(), auth.Claims{Admin: true})},
		{column: others, uid: uid}, // with an administrator's token that was revoked
		{column: -1, uid: uid, token: admin, host: "evil.example"},
		{column: nodes, uid: uid, token: issue(secret, auth.Claims{Node: "n1"})},
		{column: users, uid: uid, token: issue(secret, auth.Claims{User: "alice"})},
		{column: administrators, uid: uid, token: admin},
		{column: administrators, uid: os.Geteuid()},
	}
	revoked := map[string]string{}
	for daemon, run := range map[string]func(args ...string) minicluster.Result{"JobTracker": c.Howdah,
		"manager": p.Howdah} {
		token := strings.TrimSpace(run("token", "create", "--admin").Out)
		proof, err := auth.ParseToken(token, daemon)
		require.NoError(t, err)
		require.Zero(t, run("token", "revoke", proof.Claims().ID).Code)
		revoked[daemon] = token
	}
	revoked["TaskTracker"] = revoked["JobTracker"]
	minicluster.Eventually(t, time.Minute, "the TaskTracker to learn of the revocation", func() bool {
		status, _ := caller{uid: uid, token: revoked["TaskTracker"]}.get(t, tracker+"/metrics")
		return status == http.StatusUnauthorized
	})
	type row struct {
		daemon  string
		answers [columns]string
	}
	var rows []row
	process := slices.Clip([]string{"/jmx", "/conf", "/logLevel", "/stacks", "/logs/", "/debug/pprof/",
		"/debug/pprof/trace?seconds=0.01"})
	addresses := map[row][]string{}
	for _, d := range []struct {
		daemon, base string
		paths        []string
	}{
		{"JobTracker", c.Web, append(process, "/", "/scheduler", "/jobs", "/jobs/ID", "/jobs/ID/attempts",
			"/jobs/ID/counters", "/jobs/ID/conf", "/jobs/ID/logs", "/jobs/ID/log?start=0",
			"/attempts/ID", "/static/style.css", "/static/",
			"/jobtracker.jsp", "/jobhistory.jsp", "/machines.jsp", "/jobqueue_details.jsp", "/jobdetails.jsp?jobid=ID",
			"/jobtasks.jsp?jobid=ID", "/jobfailures.jsp?jobid=ID", "/jobconf.jsp?jobid=ID", "/taskdetails.jsp?tipid=ID",
			"/taskstats.jsp?attemptid=ID", "/visit?to=URL", "/journal", "/ws/v1/history", "/ws/v1/mapreduce/jobs",
			"/ws/v1/history/mapreduce/jobs/ID", "/ws/v1/history/mapreduce/jobs/ID/conf", "/api/v1/openapi.json",
			"/api/v1/cluster", "/api/v1/tasktrackers", "/api/v1/jobs", "/api/v1/jobs/ID", "/api/v1/jobs/ID/attempts",
			"/api/v1/jobs/ID/counters", "/api/v1/jobs/ID/conf", "/api/v1/jobs/ID/waiting", "/api/v1/attempts/ID",
			"/api/v1/queues", "/api/v1/scheduler", "/api/v1/use", "/metrics", "/healthz", "/login",
			"/ws/v1/nothing", "/api/v1/nothing", "/nothing")},
		{"TaskTracker", tracker, append(process, "/", "/static/style.css", "/static/", "/tasktracker.jsp",
			"/tasklog?attemptid=ID", "/visit?to=URL", "/metrics", "/mapOutput", "/healthz", "/login", "/nothing")},
		{"manager", p.Web, append(process, "/", "/clusters/NAME", "/static/style.css", "/static/", "/visit?to=URL",
			"/metrics", "/api/v1/openapi.json", "/api/v1/pool", "/api/v1/mrclusters/NAME", "/api/v1/decisions",
			"/api/v1/sizes", "/healthz", "/login", "/nothing")},
	} {
		callers[2].token = revoked[d.daemon]
		for _, path := range d.paths {
			page := strings.NewReplacer("URL", tracker, "jobid=ID", "jobid="+id, "/jobs/ID", "/jobs/"+id, "tipid=ID",
				"tipid="+strings.TrimSuffix(strings.Replace(attempt, "attempt", "task", 1), "_0"), "ID", attempt).Replace(path)
			r := row{daemon: d.daemon}
			for i, who := range callers {
				status, text := who.get(t, d.base+page)
				said := answers(status)
				switch {
				case who.host != "":
					require.Equal(t, http.StatusForbidden, status, text)
				case path == "/login":
					require.Equal(t, "no", said)
					said = "with a link"
				case path == "/mapOutput":
					require.Equal(t, http.StatusBadRequest, status, text)
					said = "with the job's token"
				}
				if said == "no" { // and nothing else
					require.NotContains(t, text, "job_")
					require.NotContains(t, text, "<")
				}
				if who.column < 0 {
					continue
				}
				if first := r.answers[who.column]; first != "" {
					require.Equal(t, first, said, "%s of the %s for caller %d", path, d.daemon, i)
				}
				r.answers[who.column] = said
			}
			if addresses[r] == nil {
				rows = append(rows, r)
			}
			addresses[r] = append(addresses[r], "`"+path+"`")
		}
		status, _ := caller{uid: os.Geteuid(), host: "evil.example"}.get(t, d.base+"/metrics")
		require.Equal(t, http.StatusForbidden, status, "a site whose name resolves to this host")
	}
	table := "| daemon | addresses | nobody, another user of the host | node | user | administrator |\n" +
		"|---|---|---|---|---|---|\n"
	for _, r := range rows {
		table += fmt.Sprintf("| %s | %s | %s |\n", r.daemon, strings.Join(addresses[r], ", "),
			strings.Join(r.answers[:], " | "))
	}
	page := filepath.Join("..", "..", "docs", "reference", "security.md")
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	const begin, end = "<!-- web ports: written by TestWebPorts -->\n", "<!-- end of web ports -->"
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, ok2 := strings.Cut(rest, end)
	require.True(t, ok && ok2, "the page has no place for the table")
	golden.Compare(t, page, []byte(before+begin+"\n"+table+"\n"+end+after))
	return c
}

// ownClients checks that another user's commands fail with a clear error, and that links and tokens
// work.
func ownClients(t *testing.T, c *minicluster.Cluster, stranger *testuser.User) {
	home := t.TempDir()
	require.NoError(t, os.Chmod(filepath.Dir(home), 0o711))
	require.NoError(t, os.Chown(home, stranger.UID, stranger.GID))
	for _, name := range []string{"howdah", "howdah-lab"} { // other users might be unable to read the checkout
		b, err := os.ReadFile(filepath.Join(filepath.Dir(minicluster.Binary(t)), name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(home, name), b, 0o755))
	}
	cmd := exec.Command(filepath.Join(home, "howdah"), "sim", "run", c.Web)
	cmd.Dir = home
	cmd.Env = append(daemonrun.Environ(), "HOME="+home, "XDG_CONFIG_HOME=")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: stranger.Credential()}
	out, err := cmd.CombinedOutput()
	require.Error(t, err, "%s", out)
	require.Equal(t, failure.Permission.ExitCode(), cmd.ProcessState.ExitCode(), "%s", out)
	require.Contains(t, string(out), "the daemon does not know who you are")

	r := c.Howdah("sim", "run", c.Web)
	require.Zero(t, r.Code, r.Err)
	link := c.Howdah("token", "link")
	require.Zero(t, link.Code, link.Err)
	other := caller{uid: stranger.UID}
	status, text := other.get(t, strings.TrimSpace(link.Out))
	require.Equal(t, http.StatusOK, status, text)
	status, text = other.get(t, strings.TrimSpace(link.Out))
	require.Equal(t, http.StatusUnauthorized, status, text)
	other.token = strings.TrimSpace(c.Howdah("token", "bearer").Out)
	status, text = other.get(t, c.Web+"/metrics")
	require.Equal(t, http.StatusOK, status, text)
	require.Contains(t, text, "mapred_jobtracker_")
}
