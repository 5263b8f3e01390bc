//go:build integration

package trust

import (
	"archive/zip"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/integration/leftovers"
	"github.com/howdah/howdah/integration/minicluster"
	"github.com/howdah/howdah/integration/testuser"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/transport"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// Row 13: a job's configuration contains a password. Another user can find it neither in a file nor
// on the journal's page.
func TestSecretsOfAJob(t *testing.T) {
	x := startTasks(t)
	x.tokens = map[string][]byte{}
	x.withToken(x.alice)
	bob := x.withToken(x.bob)
	const secret = "s3cr3t-of-alice"
	proceed := filepath.Join(x.shared, "go")
	_, wait := x.submit(x.alice, "private", "cat > /dev/null; > "+proceed+"-on\n"+
		"while [ ! -e "+proceed+" ]; do sleep 0.1; done\n", "-D", "my.password="+secret)
	minicluster.Eventually(t, time.Minute, "the task to run", func() bool {
		_, err := os.Stat(proceed + "-on")
		return err == nil
	})
	var files []string
	require.NoError(t, filepath.WalkDir(x.Dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil // it no longer exists
		}
		if b, _ := os.ReadFile(name); strings.Contains(string(b), secret) {
			files = append(files, name)
		}
		return nil
	}))
	require.Contains(t, strings.Join(files, "\n"), "job.xml")
	t.Run("files", func(t *testing.T) {
		for _, name := range files {
			read := exec.Command("cat", name)
			read.SysProcAttr = &syscall.SysProcAttr{Credential: x.bob.Credential()}
			require.Error(t, read.Run(), "bob reads %s", name)
		}
	})
	t.Run("journal", func(t *testing.T) {
		_, journal := x.page(bob, x.Web+"/journal")
		require.NotContains(t, journal, secret)
	})
	x.file("go", "")
	require.Zero(t, wait())
}

// Row 15: a byte in the middle of the journal has changed. The JobTracker does not start without
// the facts after that byte.
func TestFlippedByteInTheJournal(t *testing.T) {
	leftovers.Check(t)
	c := minicluster.Start(t, minicluster.Options{})
	for range 3 {
		r := c.Howdah("run", "pi", "2", "10")
		require.Zero(t, r.Code, "%s", r.Err)
	}
	c.Kill("jobtracker")
	files, err := filepath.Glob(filepath.Join(c.Dir, "jobtracker", "journal-*.facts"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	b, err := os.ReadFile(files[0])
	require.NoError(t, err)
	b[len(b)/2] ^= 0x10
	require.NoError(t, os.WriteFile(files[0], b, 0o600))
	ended := c.StartAgain("jobtracker")
	minicluster.Eventually(t, time.Minute, "the JobTracker to refuse its journal", func() bool {
		require.NotZero(t, c.Howdah("job", "-list").Code, "the JobTracker serves: %s", c.Log("jobtracker"))
		select {
		case <-ended:
			return true
		default:
			return false
		}
	})
	require.Contains(t, c.Log("jobtracker"), files[0])
}

// Many concurrent large calls do not use much memory.
func TestMasterHugeCalls(t *testing.T) {
	c := newMasterCluster(t)
	alice := testuser.New(t, "hm-alice")
	c.startJobTracker(testuser.Root)
	long := strings.Repeat("u", 60<<20)
	for _, token := range []string{"", c.token(auth.Claims{User: alice.Name})} {
		conn := c.dial(token)
		var all sync.WaitGroup
		for range 12 {
			all.Go(func() {
				_, _ = transport.Client(conn).NewJob(t.Context(), transport.NewJob{User: long, Key: "k", Protocol: rpc.Protocol})
			})
		}
		all.Wait()
	}
	status, err := os.ReadFile("/proc/" + strconv.Itoa(c.pids["jobtracker"]) + "/status")
	require.NoError(t, err)
	most := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	require.Len(t, most, 2, "%s", status)
	kib, err := strconv.Atoi(string(most[1]))
	require.NoError(t, err)
	require.Less(t, kib>>10, 512, "MiB of resident memory")
}

// An archive that unpacks to a thousand times its size makes the job fail.
func TestHugeArchive(t *testing.T) {
	x := startTasks(t)
	name := x.file("bomb.zip", "")
	f, err := os.Create(name)
	require.NoError(t, err)
	defer f.Close()
	z := zip.NewWriter(f)
	w, err := z.Create("zeros")
	require.NoError(t, err)
	_, err = w.Write(make([]byte, 96<<20))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	lines, r := x.tell(x.alice, "bomb", "cat > /dev/null; wc -c < bomb.zip/zeros\n", "-archives", name)
	require.Equal(t, []string{""}, lines, "the archive is unpacked")
	require.NotZero(t, r.Code)
	require.Contains(t, r.Err, "howdah.archive.maximum.ratio")
}

// A task that writes more than the limit to its log leaves only the end of the log.
func TestHugeLog(t *testing.T) {
	x := startTasks(t)
	const limit = 100 << 20
	_, r := x.tell(x.alice, "log", "cat > /dev/null; yes $(seq 200) | head -c 250000000 >&2; echo last >&2\n")
	size := int64(0)
	require.NoError(t, filepath.WalkDir(x.Dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "stderr" {
			info, err := d.Info()
			require.NoError(t, err)
			size += info.Size()
		}
		return nil
	}))
	require.Positive(t, size)
	require.LessOrEqual(t, size, int64(limit))
	require.Zero(t, r.Code, "%s", r.Err)
}

// No daemon listens beyond loopback without a secret, and no daemon uses a key that everyone can
// read.
func TestMasterRefusesOpenPorts(t *testing.T) {
	c := newMasterCluster(t)
	c.tokens["root"] = ""
	key := testuser.Root.File(t, c.dir+"/key", strings.Repeat("k", 32), 0o644)
	for _, x := range []struct {
		key  string
		args []string
	}{
		{"mapreduce.jobtracker.address", []string{"jobtracker", "-D", "mapreduce.jobtracker.address=0.0.0.0:0"}},
		{"mapreduce.jobtracker.http.address", []string{"jobtracker", "-D", "mapreduce.jobtracker.http.address=0.0.0.0:0"}},
		{"mapreduce.tasktracker.http.address", []string{"tasktracker", "-D", "mapreduce.tasktracker.http.address=0.0.0.0:0"}},
		{"howdah.mrcluster.manager.address", []string{"mrcluster", "manager", "-D", "howdah.mrcluster.nodes=0",
			"-D", "howdah.mrcluster.manager.address=0.0.0.0:0"}},
		{"howdah.gossip.key.file", []string{"jobtracker", "-D", "howdah.gossip.address=127.0.0.1:0", "-D",
			"howdah.gossip.key.file=" + key}},
	} {
		t.Run(x.key, func(t *testing.T) {
			out, code := runAtMost(t, c, testuser.Root, x.args...)
			require.Equal(t, failure.Config.ExitCode(), code, out)
			require.Contains(t, out, x.key)
		})
	}
}

// A browser of the daemons' user gets no page through a foreign host name that resolves to this
// host, and no list of files. Logs have the same protective headers as pages.
func TestMasterPagesForBrowsers(t *testing.T) {
	c := newMasterCluster(t)
	c.startJobTracker(testuser.Root)
	c.startTaskTracker(testuser.Root)
	out, code := c.run(testuser.Root, "job", "-list-active-trackers")
	require.Zero(t, code, out)
	tracker := portOf(strings.TrimSpace(out))
	get := func(t *testing.T, url, host string) *http.Response {
		r, err := http.NewRequest(http.MethodGet, "http://"+url, nil)
		require.NoError(t, err)
		r.Host = host
		answer, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, answer.Body)
		require.NoError(t, err)
		answer.Body.Close()
		return answer
	}
	t.Run("foreign host", func(t *testing.T) {
		require.Equal(t, http.StatusForbidden, get(t, c.web+"/journal", "evil.example").StatusCode)
	})
	for daemon, web := range map[string]string{"jobtracker": c.web, "tasktracker": tracker} {
		t.Run("list of "+daemon, func(t *testing.T) {
			require.Equal(t, http.StatusNotFound, get(t, web+"/static/", "").StatusCode)
		})
	}
	t.Run("tasklog", func(t *testing.T) {
		h := get(t, tracker+"/tasklog?attemptid=attempt_1_0001_m_000000_0", "").Header
		require.Equal(t, "nosniff", h.Get("X-Content-Type-Options"))
		require.NotEmpty(t, h.Get("Content-Security-Policy"))
	})
}

// A JobTracker that other hosts can reach does not call services on its own host for a user.
func TestMasterNotifiesNoLocalServices(t *testing.T) {
	c := newMasterCluster(t)
	alice := testuser.New(t, "hm-alice")
	c.set = append(c.set, conf.Property{Name: "mapreduce.jobtracker.http.address", Value: "0.0.0.0:0"})
	c.startJobTracker(testuser.Root)
	called := make(chan struct{}, 10)
	service := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called <- struct{}{} }))
	t.Cleanup(service.Close)
	x := conf.New()
	x.Set("mapreduce.job.end-notification.url", service.URL, "test")
	jobs, s, _ := c.stage(alice, x, mapreduce.Split{Length: 1})
	r, err := jobs.Submit(t.Context(), s)
	if err == nil {
		require.NoError(t, jobs.Kill(t.Context(), r.ID, transport.By{User: alice.Name, Why: "test"}))
		select {
		case <-called:
			require.Fail(t, "the JobTracker calls the service")
		case <-time.After(10 * time.Second):
		}
	}
	require.True(t, failure.Is(err, failure.Permission), "%v", err)
}
