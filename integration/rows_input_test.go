//go:build integration

package integration

import (
	"bytes"
	"compress/gzip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
)

// Bad input results in a clear error and the documented exit code, in-process and on a cluster, and
// leaves nothing behind. Unusual but valid input is counted.
func TestBadInput(t *testing.T) {
	in, want := text(t, 2, 10)
	dir := t.TempDir()
	file := func(name string, b []byte) string {
		name = filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, b, 0o644))
		return name
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, err := z.Write([]byte(strings.Repeat("some words in a file\n", 5000)))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	damaged := bytes.Clone(zipped.Bytes())
	damaged[len(damaged)/2] ^= 0xff
	require.NoError(t, os.Mkdir(filepath.Join(dir, "nothing"), 0o755))
	file("empty/a", nil)
	file("empty/b", nil)
	file("hidden/_x", []byte("x\n"))
	there := filepath.Join(dir, "there")
	require.NoError(t, os.Mkdir(there, 0o755))

	cases := []struct {
		name string
		code int
		say  string
		set  []string
		in   string
		out  string         // "" = a new directory
		want map[string]int // counts in a successful run
	}{
		{name: "missing input", code: 2, say: "does not exist", in: dir + "/nope"},
		{name: "glob without files", code: 2, say: "matches 0 files", in: dir + "/no*pe"},
		{name: "bad glob", code: 2, say: "[a-", in: dir + "/[a-"},
		{name: "output exists", code: 4, say: "already exists", in: in, out: there},
		{name: "bad value", code: 3, say: "mapreduce.task.io.sort.mb",
			set: []string{"mapreduce.task.io.sort.mb=lots"}, in: in},
		{name: "value out of range", code: 3, say: "mapreduce.task.io.sort.factor",
			set: []string{"mapreduce.task.io.sort.factor=1"}, in: in},
		{name: "damaged gzip", code: 1, say: "bad.gz", set: []string{"mapreduce.map.maxattempts=2"},
			in: file("bad.gz", damaged)},
		{name: "cut gzip", code: 1, say: "cut.gz", set: []string{"mapreduce.map.maxattempts=2"},
			in: file("cut.gz", zipped.Bytes()[:zipped.Len()/2])},
		{name: "no gzip", code: 1, say: "no.gz", set: []string{"mapreduce.map.maxattempts=2"},
			in: file("no.gz", []byte("plain text\n"))},
		{name: "no files", in: dir + "/nothing", want: map[string]int{}},
		{name: "hidden files", in: dir + "/hidden", want: map[string]int{}},
		{name: "empty files", in: dir + "/empty", want: map[string]int{}},
		{name: "good gzip", in: file("good.gz", zipped.Bytes()), want: map[string]int{"some": 5000, "words": 5000, "in": 5000,
			"a": 5000, "file": 5000}},
		{name: "good", in: in, want: want},
	}
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 2})
	for place, howdah := range map[string]func(...string) minicluster.Result{
		"in-process": func(args ...string) minicluster.Result { return minicluster.Alone(t, args...) },
		"cluster":    c.Howdah,
	} {
		t.Run(place, func(t *testing.T) {
			for _, x := range cases {
				t.Run(x.name, func(t *testing.T) {
					t.Parallel()
					out := x.out
					if out == "" {
						out = filepath.Join(t.TempDir(), "out")
					}
					r := howdah(append(append([]string{"run", "wordcount"}, defines(x.set)...), x.in, out)...)
					require.Equal(t, x.code, r.Code, r.Err)
					require.Contains(t, r.Err, x.say)
					require.NotContains(t, r.Err, "goroutine ")
					if x.want != nil && len(x.want) == 0 {
						require.FileExists(t, filepath.Join(out, "_SUCCESS"))
						require.Empty(t, parts(t, out))
					} else if x.want != nil {
						require.Equal(t, x.want, counts(t, out))
					} else if x.out == "" {
						require.NoDirExists(t, out)
					}
				})
			}
		})
	}
	left, err := os.ReadDir(there)
	require.NoError(t, err)
	require.Empty(t, left, "existing files are unchanged")
	nothingLeft(t, c)
}

// The error for an unknown option names the option or suggests a similar one.
func TestUnknownOption(t *testing.T) {
	r := minicluster.Alone(t, "run", "--quit", "wordcount", "in", "out")
	require.Equal(t, 2, r.Code, r.Err)
	require.Contains(t, r.Err, "quit")
	r = minicluster.Alone(t, "minicluster", "--tasktracker", "2")
	require.Equal(t, 2, r.Code, r.Err)
	require.Contains(t, r.Err, "tasktrackers", "the suggestion")
}

// If the user has no permission to read a file, the error names the file. Root can read every file,
// so as root the test starts the program as nobody.
func TestUnreadableInput(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "howdah-unreadable-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o777))
	secret := filepath.Join(dir, "secret")
	require.NoError(t, os.WriteFile(secret, []byte("words\n"), 0o600))
	program := filepath.Join(dir, "howdah")
	b, err := os.ReadFile(minicluster.Binary(t))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(program, b, 0o755))
	args := []string{program, "run", "-q", "wordcount", "-D", "hadoop.tmp.dir=" + dir + "/tmp", "file:" + secret,
		"file:" + dir + "/out"}
	if os.Getuid() == 0 {
		setpriv, err := exec.LookPath("setpriv")
		if err != nil {
			t.Skip("root can read every file, and setpriv is missing")
		}
		args = append([]string{setpriv, "--reuid=65534", "--regid=65534", "--clear-groups"}, args...)
	} else {
		require.NoError(t, os.Chmod(secret, 0))
	}
	r := minicluster.RunAlone(t, args[0], args[1:]...)
	require.NotZero(t, r.Code)
	require.Contains(t, r.Err, secret)
	require.Contains(t, strings.ToLower(r.Err), "permission denied")
	require.NoDirExists(t, dir+"/out")
}

// Commands reject malformed names of jobs and attempts, and names from another cluster, with an
// error that contains the name. Afterward the cluster still runs jobs.
func TestUnknownNames(t *testing.T) {
	in, want := text(t, 1, 10)
	c := minicluster.Start(t, minicluster.Options{})
	for _, args := range [][]string{
		{"-status", "job_1"}, {"-status", "job_209901010000_0001"}, {"-kill", "job_209901010000_0001"},
		{"-kill-task", "attempt_209901010000_0001_m_000000_0"}, {"-fail-task", "attempt_x"},
		{"-set-priority", "job_209901010000_0001", "HIGH"}, {"-set-deadline", "job_209901010000_0001", "+1h"},
		{"-events", "job_209901010000_0001", "0", "10"}, {"-logs", "job_209901010000_0001"},
		{"-counter", "job_209901010000_0001", "g", "n"},
	} {
		r := c.Howdah(append([]string{"job"}, args...)...)
		require.Equal(t, 2, r.Code, "%v: %s%s", args, r.Out, r.Err)
		require.Contains(t, r.Err, args[1], "%v", args)
	}
	out := filepath.Join(t.TempDir(), "out")
	ok(t, c.Howdah("run", "-q", "wordcount", in, out))
	require.Equal(t, want, counts(t, out))
}
