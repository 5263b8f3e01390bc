//go:build integration

package apachehadoop

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
)

// onYARN runs a howdah command with the cluster's configuration and a Hadoop client.
func (c *Cluster) onYARN(t *testing.T, args ...string) minicluster.Result {
	t.Helper()
	cmd := exec.Command(minicluster.Binary(t), args...)
	cmd.Env = append(append(os.Environ(), "HOWDAH_CONF_DIR="), c.ClientEnv()...)
	var out, errOut strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	if cmd.ProcessState == nil {
		require.NoError(t, err)
	}
	return minicluster.Result{Code: cmd.ProcessState.ExitCode(), Out: out.String(), Err: errOut.String()}
}

// Programs write byte-identical output on YARN and in-process.
func testPrograms(t *testing.T, c *Cluster) {
	dir := t.TempDir()
	apps := []struct {
		name    string
		options []string
		rest    []string           // after the output
		line    func(n int) string // of the input
	}{
		{"wordcount", []string{"-D", "mapreduce.job.reduces=3"}, nil, pair},
		{"secondarysort", []string{"-D", "mapreduce.job.reduces=2"}, nil, pair},
		{"grep", nil, []string{"[0-9]*7 "}, pair},
		{"sort", []string{"-r", "2"}, nil, func(n int) string { return strings.ReplaceAll(pair(n), " ", "\t") }},
		{"kmeans", []string{"-k", "3", "-rounds", "1"}, nil, pair},
		{"pagerank", []string{"-rounds", "1"}, nil, func(n int) string { return fmt.Sprintf("p%d p%d", n%53, n*n%59) }},
	}
	if os.Getenv("HOWDAH_YARN") != "all" { // a job takes as long as six starts of Java
		apps = apps[:2]
	}
	for _, app := range apps {
		t.Run(app.name, func(t *testing.T) {
			run := func(in, out string) []string {
				args := append([]string{"run", "-q", app.name}, app.options...)
				return append(append(args, in, out), app.rest...)
			}
			in := filepath.Join(dir, "in-"+app.name)
			require.NoError(t, os.Mkdir(in, 0o755))
			for i := range 3 {
				var b strings.Builder
				for n := range 2000 {
					b.WriteString(app.line(3*n+i) + "\n")
				}
				require.NoError(t, os.WriteFile(filepath.Join(in, fmt.Sprint("f", i)), []byte(b.String()), 0o644))
			}
			name := "/in-" + app.name
			r := c.onYARN(t, "fs", "-put", in, name)
			require.Zero(t, r.Code, r.Err)
			r = c.onYARN(t, run(name, "/out-"+app.name)...)
			if r.Code != 0 {
				t.Log(c.taskLogs(t))
			}
			require.Zero(t, r.Code, r.Err)
			here := filepath.Join(dir, "here-"+app.name)
			r = minicluster.Alone(t, run(in, here)...)
			require.Zero(t, r.Code, r.Err)
			there := filepath.Join(dir, "there-"+app.name)
			r = c.onYARN(t, "fs", "-get", "/out-"+app.name, there)
			require.Zero(t, r.Code, r.Err)
			require.Equal(t, contents(t, here), contents(t, there))
		})
	}

	if os.Getenv("HOWDAH_YARN") == "all" {
		streamOnYARN(t, c, dir)
	}

	// The commands of the how-to for YARN work as printed.
	require.Zero(t, c.onYARN(t, "fs", "-mkdir", "-p", ".").Code)
	minicluster.Transcript(t, "docs/howto/yarn.md", "sh yarn", c.ClientEnv()...)

	// The client prints why an attempt failed.
	bad := filepath.Join(dir, "bad")
	require.NoError(t, os.WriteFile(bad, []byte("no numbers\n"), 0o644))
	require.Zero(t, c.onYARN(t, "fs", "-put", bad, "/bad").Code)
	r := c.onYARN(t, "run", "-q", "secondarysort", "-D", "mapreduce.map.maxattempts=1", "/bad", "/out-bad")
	require.Equal(t, 1, r.Code, r.Err)
	alone := minicluster.Alone(t, "run", "-q", "secondarysort", bad, filepath.Join(dir, "out-bad"))
	reason := alone.Err[strings.LastIndex(alone.Err, ": ")+2:]
	require.Contains(t, r.Err, strings.TrimSpace(reason))
}

// streamOnYARN checks the commands, shipped files, and counters of Streaming on YARN.
func streamOnYARN(t *testing.T, c *Cluster, dir string) {
	t.Helper()
	in, mapper := filepath.Join(dir, "lines"), filepath.Join(dir, "m.sh")
	require.NoError(t, os.WriteFile(in, []byte("b 1\na 2\nb 3\n"), 0o644))
	require.NoError(t, os.WriteFile(mapper, []byte("#!/bin/sh\nsed 's/ /\\t/'\necho reporter:counter:mine,maps,1 >&2\n"),
		0o644))
	require.Zero(t, c.onYARN(t, "fs", "-put", in, "/lines").Code)
	r := c.onYARN(t, "streaming", "-D", "mapreduce.job.maps=1", "-files", mapper, "-input", "/lines",
		"-output", "/streamed", "-mapper", "m.sh", "-reducer", "cat -n", "-numReduceTasks", "2")
	require.Zero(t, r.Code, r.Err)
	require.Contains(t, r.Err, "\tmine\n\t\tmaps=1\n")
	require.Equal(t, "     1\ta\t2\n     1\tb\t1\n     2\tb\t3\n", c.onYARN(t, "fs", "-cat", "/streamed/part-*").Out)
	r = c.onYARN(t, "streaming", "-D", "mapreduce.map.maxattempts=1", "-input", "/lines", "-output", "/failed",
		"-mapper", "sh -c 'exit 7'")
	require.Equal(t, 1, r.Code)
	require.Contains(t, r.Err, "subprocess failed with code 7")
}

func pair(n int) string { return fmt.Sprintf("%d %d", n*7919%997, n*31%101) }

// contents returns the contents of the files below a directory, by name.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	m := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		m[rel] = string(b)
		return err
	}))
	return m
}

// taskLogs returns the ends of the tasks' stderr and syslog files.
func (c *Cluster) taskLogs(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	_ = filepath.WalkDir(filepath.Join(c.dir, "data"), func(name string, e os.DirEntry, err error) error {
		if err == nil && (e.Name() == "stderr" || e.Name() == "syslog") {
			if text, err := os.ReadFile(name); err == nil && len(text) > 0 {
				fmt.Fprintf(&b, "%s:\n%s\n", name, tail(text, 4000))
			}
		}
		return nil
	})
	return b.String()
}
