//go:build integration

package integration

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
)

// script writes a shell script and returns its path.
func script(t testing.TB, name, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+body), 0o644)) // tasks set the execute permission
	return path
}

// Streaming has the same results on a cluster as in-process. On the cluster the test also covers
// shipped files, second attempts, debug scripts, and jobs that continue without their client.
func TestStreaming(t *testing.T) {
	c := minicluster.Start(t, minicluster.Options{TaskTrackers: 2})
	in, want := text(t, 6, 500)
	output := func(name string) string { return filepath.Join(t.TempDir(), name) }

	t.Run("same bytes", func(t *testing.T) {
		args := func(out string) []string {
			return []string{"streaming", "-D", "mapreduce.job.name=words", "-input", in, "-output", out,
				"-mapper", `awk '{for (i = 1; i <= NF; i++) print $i "\t" 1}'`,
				"-combiner", `awk -F\t '{if ($1 != k && NR > 1) {print k "\t" n; n = 0}; k = $1; n += $2} END {if (NR) print k ` +
					`"\t" n}'`,
				"-reducer", `awk -F\t '{if ($1 != k && NR > 1) {print k "\t" n; n = 0}; k = $1; n += $2} END {if (NR) print k ` +
					`"\t" n}'`, "-numReduceTasks", "3"}
		}
		alone, out := output("alone"), output("cluster")
		ok(t, minicluster.Alone(t, args(alone)...))
		r := ok(t, c.Howdah(args(out)...))
		require.Contains(t, r.Err, "map 100% reduce 100%")
		require.Contains(t, r.Err, "Output directory: "+out)
		require.Equal(t, want, counts(t, out))
		require.Equal(t, parts(t, alone), parts(t, out))
		require.FileExists(t, filepath.Join(out, "part-00002"))
	})

	t.Run("files and archives", func(t *testing.T) {
		mapper := script(t, "m.sh", "cat > /dev/null\ncat words sub/dict tool/inside/x\n")
		data := script(t, "data", "")
		archive := filepath.Join(t.TempDir(), "tool.tgz")
		folder := filepath.Join(t.TempDir(), "inside")
		require.NoError(t, os.Mkdir(folder, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "x"), []byte("from the archive\n"), 0o644))
		require.NoError(t, exec.Command("tar", "czf", archive, "-C", filepath.Dir(folder), "inside").Run())
		out := output("out")
		ok(t, c.Howdah("streaming", "-D", "mapreduce.job.maps=1", "-files", data+"#words,"+data+"#sub/dict",
			"-archives", archive+"#tool", "-input", filepath.Join(in, "f00"), "-output", out,
			"-file", mapper, "-mapper", "m.sh", "-reducer", "NONE"))
		require.Equal(t, "#!/bin/sh\t\n#!/bin/sh\t\nfrom the archive\t\n", parts(t, out))
	})

	t.Run("second attempts", func(t *testing.T) {
		mark := filepath.Join(t.TempDir(), "mark")
		mapper := script(t, "m.sh", fmt.Sprintf("cat\ncase $mapreduce_task_attempt_id in *_0) exit 3;; esac\necho "+
			"$mapreduce_task_attempt_id >> %s\n", mark))
		out := output("out")
		r := ok(t, c.Howdah("streaming", "-files", mapper, "-input", filepath.Join(in, "f00"), "-output", out,
			"-mapper", "m.sh", "-reducer", "NONE"))
		require.Contains(t, r.Err, "subprocess failed with code 3")
		require.Contains(t, r.Err, "howdah job -logs job_")
		b, err := os.ReadFile(mark)
		require.NoError(t, err)
		require.Contains(t, string(b), "_1")
	})

	t.Run("failure", func(t *testing.T) {
		look := script(t, "look.sh", "echo looking at $(basename $2)\ngrep -h oops $2\n")
		out := output("out")
		r := c.Howdah("streaming", "-D", "mapreduce.map.maxattempts=1", "-files", look, "-input", filepath.Join(in, "f00"),
			"-output", out,
			"-mapper", "sh -c 'echo oops >&2; exit 9'", "-mapdebug", "./look.sh")
		require.Equal(t, 1, r.Code)
		require.Contains(t, r.Err, "subprocess failed with code 9")
		require.Contains(t, r.Err, "oops", "the end of its standard error")
		require.NoDirExists(t, out)
		id := regexp.MustCompile(`Running job: (job_\w+)`).FindStringSubmatch(r.Err)[1]
		require.Contains(t, ok(t, c.Howdah("job", "-logs", id)).Out, "debugout:\nlooking at stderr\noops\n")
		require.Equal(t, 1, c.Howdah("streaming", "-D", "mapreduce.map.maxattempts=1", "-input", in, "-output", out,
			"-mapper", "nosuchprogram").Code)
		require.Equal(t, 1, c.Howdah("streaming", "-input", in, "-mapper", "cat").Code)
		require.Equal(t, 2, c.Howdah("streaming", "-input", in+"x", "-output", out, "-mapper", "cat").Code)
		require.Equal(t, 3, c.Howdah("streaming", "-D", "mapreduce.task.io.sort.mb=0", "-input", in, "-output", out,
			"-mapper", "cat").Code)
		require.Equal(t, 4, c.Howdah("streaming", "-input", in, "-output", in, "-mapper", "cat").Code)
	})

	t.Run("standard error is life", func(t *testing.T) {
		out := output("out")
		ok(t, c.Howdah("streaming", "-D", "mapreduce.task.timeout=4000", "-D", "mapreduce.map.maxattempts=1",
			"-input", filepath.Join(in, "f00"), "-output", out,
			"-mapper", "sh -c 'for i in 1 2 3 4 5 6 7 8; do echo still here >&2; sleep 1; done; cat'", "-reducer", "NONE"))
	})

	t.Run("background, then killed", func(t *testing.T) {
		r := ok(t, c.Howdah("streaming", "-D", "mapreduce.job.maps=1", "-background", "-input", filepath.Join(in, "f00"),
			"-output", output("out"), "-reducer", "NONE",
			"-mapper", "sh -c 'setsid sleep 1000.125 & sleep 1000.125'"))
		id := regexp.MustCompile(`Running job: (job_\w+)`).FindStringSubmatch(r.Err)[1]
		minicluster.Eventually(t, 60*time.Second, "the mapper runs", func() bool { return len(sleepers(t)) == 2 })
		ok(t, c.Howdah("job", "-kill", id))
		minicluster.Eventually(t, 60*time.Second, "the whole tree is gone", func() bool { return len(sleepers(t)) == 0 })
	})
}

// sleepers returns the IDs of the sleep processes that the last part of TestStreaming starts.
func sleepers(t testing.TB) []int {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	var out []int
	for _, f := range all {
		b, err := os.ReadFile(f)
		if err != nil || strings.TrimRight(string(b), "\x00") != "sleep\x001000.125" {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		require.NoError(t, err)
		if syscall.Kill(pid, 0) == nil {
			out = append(out, pid)
		}
	}
	return out
}
