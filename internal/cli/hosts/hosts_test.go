package hosts

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

func TestHostFile(t *testing.T) {
	list, err := parse([]byte("# a comment\n\nroot@m jobtracker # not a worker\nn1 maps=4 reduces=auto\nn2\n"))
	require.NoError(t, err)
	require.Equal(t, []Host{{Login: "root@m", Name: "m", Daemons: []string{JobTracker}},
		{Login: "n1", Name: "n1", Daemons: []string{TaskTracker}, Maps: "4", Reduces: "auto"},
		{Login: "n2", Name: "n2", Daemons: []string{TaskTracker}}}, list)
	list, err = parse([]byte("a\nb"))
	require.NoError(t, err)
	require.Equal(t, []string{JobTracker, TaskTracker}, list[0].Daemons)
	list, err = parse([]byte("a agent manager\nb"))
	require.NoError(t, err)
	require.Equal(t, []string{Manager, Agent}, list[0].Daemons)
	require.Equal(t, []string{Agent}, list[1].Daemons)

	for text, want := range map[string]string{
		"# nothing":                "no host",
		"-oProxyCommand=x":         "line 1: \"-oProxyCommand=x\" is not a host",
		"a;b":                      "is not a host",
		"-u@a":                     "is not a host",
		"a:22":                     "~/.ssh/config",
		"a\nu@a":                   "line 2: a occurs twice",
		"a tasktraker":             `unknown word "tasktraker"`,
		"a maps=x\nb maps=-1":      "line 2: maps=-1",
		"a jobtracker jobtracker":  "occurs twice",
		"a jobtracker":             "1 and 0",
		"a tasktracker":            "0 and 1",
		"a jobtracker\nb manager":  "not both",
		"a jobtracker maps=1\nb":   "slots but no tasktracker",
		"a jobtracker\nb\nc agent": "not both",
	} {
		_, err := parse([]byte(text))
		require.ErrorContains(t, err, want, text)
	}
	_, err = ReadFile(filepath.Join(t.TempDir(), "none"))
	require.True(t, failure.Is(err, failure.NotFound))
}

// fakeHosts answers like hosts without a network.
type fakeHosts struct {
	mu     sync.Mutex
	calls  []string          // "host verb arguments"
	fail   map[string]error  // by call
	say    map[string]string // output, by call
	copied map[string]map[string]*file
}

type file struct {
	mode int64
	text string
}

const trackersOf = "job -list-active-trackers --json"

func (f *fakeHosts) shell(_ context.Context, login, line string, in io.Reader, _ time.Duration) (string, error) {
	call := login + " " + strings.TrimPrefix(line, "sh -s ")
	call = strings.TrimSuffix(strings.ReplaceAll(call, " /opt/howdah", ""), " ")
	if strings.HasPrefix(line, "sh -c ") {
		call = login + " copy"
		files := map[string]*file{}
		for r := tar.NewReader(in); ; {
			h, err := r.Next()
			if err != nil {
				break
			}
			b, _ := io.ReadAll(r)
			files[h.Name] = &file{h.Mode, string(b)}
		}
		f.mu.Lock()
		f.copied[login] = files
		f.mu.Unlock()
	} else if _, err := io.Copy(io.Discard, in); err != nil {
		return "", err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, call)
	return f.say[call], f.fail[call]
}

// made returns the calls that contain a word, in order.
func (f *fakeHosts) made(words ...string) (list []string) {
	for _, c := range f.calls {
		for _, w := range words {
			if strings.Contains(c, w) {
				list = append(list, c)
				break
			}
		}
	}
	return list
}

func newCluster(t *testing.T, list string) (*Cluster, *fakeHosts) {
	hosts, err := parse([]byte(list))
	require.NoError(t, err)
	dir := t.TempDir()
	program := filepath.Join(dir, "howdah")
	require.NoError(t, os.WriteFile(program, []byte("program"), 0o755))
	f := &fakeHosts{fail: map[string]error{}, copied: map[string]map[string]*file{}, say: map[string]string{
		"m howdah bin/jobtracker " + trackersOf: `[{"name":"tm","host":"m"},{"name":"t1","host":"n1"},
			{"name":"t2","host":"n2"}]`}}
	for _, p := range []string{"bin/jobtracker", "versions/1310ca2c8932dbd1/howdah"} {
		f.say["m howdah "+p+" version"] = "howdah x\nprotocol 3.0"
	}
	c := &Cluster{Hosts: hosts, Client: filepath.Join(dir, "client"), Shared: "/shared/howdah", Program: program,
		Conf: conf.New(), Shell: f.shell, Log: io.Discard, Drain: time.Hour, Poll: time.Nanosecond}
	require.NoError(t, c.Check())
	return c, f
}

const three = "m\nn1 maps=7\nn2"

func TestInit(t *testing.T) {
	c, f := newCluster(t, three)
	c.Conf.Set(conf.ClusterLocalDir.Name, "/disk1/howdah,/", "-D")
	require.NoError(t, c.Init(t.Context()))
	require.Equal(t, "m start jobtracker", f.made(" start")[0])
	require.Len(t, f.made(" start"), 4)

	n1 := f.copied["n1"]
	require.EqualValues(t, 0o600, n1["conf/secret"].mode)
	require.GreaterOrEqual(t, len(n1["conf/secret"].text), minSecret)
	require.Equal(t, "program", n1["versions/1310ca2c8932dbd1/howdah"].text)
	require.Equal(t, "#!/bin/sh\nexec /opt/howdah/bin/tasktracker --config /opt/howdah/conf tasktracker\n",
		n1["daemons/tasktracker"].text)
	require.Contains(t, n1["units/howdah-tasktracker.service"].text, "ExecStart=/opt/howdah/daemons/tasktracker\n")
	require.NotContains(t, n1, "daemons/jobtracker")
	require.Contains(t, f.copied["m"], "daemons/jobtracker")
	require.Equal(t, "/disk1/howdah\n", n1["outside"].text, "never the root directory")
	require.Equal(t, "/disk1/howdah\n/shared/howdah/system\n", strings.Replace(f.copied["m"]["outside"].text,
		"/shared/howdah/staging\n", "", 1))
	site := conf.New()
	require.NoError(t, site.LoadXML(strings.NewReader(n1["conf/mapred-site.xml"].text), "site"))
	for key, want := range map[string]string{"mapreduce.jobtracker.address": "m:9001",
		"mapreduce.tasktracker.host.name": "n1", "mapreduce.tasktracker.map.tasks.maximum": "7",
		"howdah.security.secret.file": "/opt/howdah/conf/secret", "howdah.jobtracker.dir": "/opt/howdah/data/journal"} {
		require.Equal(t, want, site.Get(key))
	}

	client, err := conf.GenericOptions{ConfigDir: c.Client}.Load()
	require.NoError(t, err)
	secret := client.Get("howdah.security.secret.file")
	info, err := os.Stat(secret)
	require.NoError(t, err)
	require.EqualValues(t, 0o600, info.Mode())
	again := f.copied["m"]["cluster"].text
	c.Dir = ""
	require.NoError(t, c.Check())
	require.NoError(t, c.Init(t.Context()), "it may run again")
	require.Equal(t, again, f.copied["m"]["cluster"].text, "with the same secret")

	require.NoError(t, c.Stop(t.Context(), true))
	require.FileExists(t, secret)
	require.NoError(t, c.Stop(t.Context(), false))
	require.NoDirExists(t, c.Client)
}

// If one host does not pass the checks, no host changes. The table names the host and the reason.
func TestInitChangesNothingAfterAFailedCheck(t *testing.T) {
	c, f := newCluster(t, three)
	c.Shell = func(ctx context.Context, login, line string, in io.Reader, limit time.Duration) (string, error) {
		if login == "n2" {
			return "", errors.New("no route\nto host")
		}
		return f.shell(ctx, login, line, in, limit)
	}
	require.ErrorContains(t, c.Init(t.Context()), "1 of 3 hosts failed")
	require.Len(t, f.calls, 2)
	require.NoDirExists(t, c.Client)
	rows := c.Rows()
	require.Equal(t, Row{Host: "n2", Daemons: []Daemon{{Name: TaskTracker}}, State: "failed",
		Error: "no route to host"}, rows[2])
	require.Empty(t, rows[1].Error)
}

func TestRefusedBeforeAnythingStarts(t *testing.T) {
	c, f := newCluster(t, three)
	c.Shared = ""
	require.ErrorContains(t, c.Init(t.Context()), "share no file system")
	c.Conf.Set(conf.JobTrackerAddress.Name, "x:1", "-D")
	require.True(t, failure.Is(c.Init(t.Context()), failure.Usage))
	for _, dir := range []string{"/", "/opt", "opt/x", "/opt/a b", "/opt/../etc", "/opt/x;y", "/opt/x/"} {
		c.Dir = dir
		require.True(t, failure.Is(c.Check(), failure.Usage), dir)
	}
	require.Empty(t, f.calls)
}

// One TaskTracker after the other drains and restarts, after the JobTracker.
func TestUpgrade(t *testing.T) {
	c, f := newCluster(t, three)
	require.NoError(t, c.Upgrade(t.Context()))
	const v, drain = "1310ca2c8932dbd1", "m howdah bin/jobtracker admin -drainTracker "
	require.Equal(t, []string{"m upgrade " + v + " jobtracker",
		drain + "tm rerun", drain + "tm wait", "m upgrade " + v + " tasktracker",
		drain + "t1 rerun", drain + "t1 wait", "n1 upgrade " + v + " tasktracker",
		drain + "t2 rerun", drain + "t2 wait", "n2 upgrade " + v + " tasktracker"}, f.made(" upgrade ", "-drainTracker"))
	require.Len(t, f.made(" prune "), 3)
	require.NotContains(t, f.copied["n1"], "conf/secret")
}

// A drain that fails is canceled. The hosts after it keep their program, and no program is removed.
func TestUpgradeStopsAtAFailure(t *testing.T) {
	c, f := newCluster(t, three)
	f.fail["m howdah bin/jobtracker admin -drainTracker t1 wait"] = errors.New("too long")
	require.ErrorContains(t, c.Upgrade(t.Context()), "1 of 3 hosts failed")
	require.Len(t, f.made("t1 off"), 1)
	require.Empty(t, f.made("n1 upgrade", "n2 upgrade", "prune"))
	require.Equal(t, "running", c.Rows()[0].State)
	require.Equal(t, "too long", c.Rows()[1].Error)
	require.Equal(t, "copied", c.Rows()[2].State)
}

func TestUpgradeOfOtherProtocol(t *testing.T) {
	c, f := newCluster(t, three)
	f.say["m howdah bin/jobtracker version"] = "howdah x\nprotocol 2.9"
	require.True(t, failure.Is(c.Upgrade(t.Context()), failure.Stale))
	require.Empty(t, f.made(" upgrade ", "-drainTracker"))
}

func TestStatusAndLogs(t *testing.T) {
	c, f := newCluster(t, three)
	f.say["m status"] = "jobtracker running v\ntasktracker running v"
	f.say["n1 status"] = "tasktracker stopped v"
	f.say["n2 status"] = "- absent"
	require.Error(t, c.Status(t.Context()))
	require.Equal(t, "jobtracker running v, tasktracker running v", c.Rows()[0].State)
	require.Equal(t, "tasktracker is stopped", c.Rows()[1].Error)
	require.Equal(t, []Daemon{{TaskTracker, "STOPPED", "v"}}, c.Rows()[1].Daemons)
	require.Equal(t, "there is no cluster", c.Rows()[2].Error)
	f.say["n1 logs 3"] = "== tasktracker\nline"
	var out bytes.Buffer
	c.table = table{}
	require.NoError(t, c.Logs(t.Context(), &out, 3))
	require.Equal(t, "n1: == tasktracker\nn1: line\n", out.String())
}

func TestSSH(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ssh"), []byte("#!/bin/sh\nprintf '%s|' \"$@\"; cat\n"), 0o755))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	out, err := SSH("my config")(t.Context(), "u@h", "sh -s 'a b'", strings.NewReader("input"), time.Minute)
	require.NoError(t, err)
	require.Equal(t, "-F|my config|-T|-o|BatchMode=yes|-o|ConnectTimeout=10|-o|ServerAliveInterval=15|--|u@h|"+
		"sh -s 'a b'|input", out)
}
