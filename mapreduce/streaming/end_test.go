package streaming_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	dfslocal "github.com/howdah/howdah/dfs/local"
	"github.com/howdah/howdah/mapreduce/local"
	"github.com/howdah/howdah/mapreduce/streaming"
)

// processes waits until a file contains want process IDs. alive returns the IDs of those processes
// that are still alive.
func processes(t *testing.T, file string, want int) (alive func() []int) {
	t.Helper()
	var ids []int
	require.Eventually(t, func() bool {
		b, _ := os.ReadFile(file)
		ids = nil
		for word := range strings.FieldsSeq(string(b)) {
			id, err := strconv.Atoi(word)
			require.NoError(t, err)
			ids = append(ids, id)
		}
		return len(ids) == want
	}, 60*time.Second, time.Millisecond)
	return func() []int {
		var left []int
		for _, id := range ids {
			if !errors.Is(syscall.Kill(id, 0), syscall.ESRCH) && !zombie(id) {
				left = append(left, id)
			}
		}
		return left
	}
}

// zombie reports whether a process has ended but has not yet been reaped.
func zombie(id int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(id) + "/stat")
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	return strings.HasPrefix(rest, "Z")
}

func TestTheWholeTreeDiesWithItsTask(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("processes that leave their group are found through /proc")
	}
	dir := t.TempDir()
	pids := filepath.Join(dir, "pids")
	stop := background(t, dir, "sh -c 'echo $$ >> "+pids+"; sleep 1000 & echo $! >> "+pids+
		"; setsid sleep 1000 & echo $! >> "+pids+"; wait'")
	alive := processes(t, pids, 3)
	require.Len(t, alive(), 3)
	stop()
	require.Eventually(t, func() bool { return len(alive()) == 0 }, 60*time.Second, time.Millisecond)
	require.NoDirExists(t, filepath.Join(dir, "out"))
}

func TestACommandIsAskedToLeaveBeforeItIsKilled(t *testing.T) {
	dir := t.TempDir()
	pids, bye := filepath.Join(dir, "pids"), filepath.Join(dir, "bye")
	stop := background(t, dir, `sh -c "trap 'echo bye > `+bye+`; exit' TERM; echo $$ >> `+pids+
		`; while true; do sleep 0.01; done"`)
	processes(t, pids, 1)
	stop()
	require.FileExists(t, bye)
	stop = background(t, dir, `sh -c "trap 'echo no' TERM; echo $$ >> `+pids+`; while true; do sleep 0.01; done"`)
	alive := processes(t, pids, 2)
	stop()
	require.Empty(t, alive())
}

// background starts a map-only job that runs until stop is called. stop cancels the job and waits
// for it to end.
func background(t *testing.T, dir, mapper string) (stop func()) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "in"), []byte("x\n"), 0o644))
	o, err := streaming.Parse([]string{"-input", filepath.Join(dir, "in"), "-output", filepath.Join(dir, "out"),
		"-reducer", "NONE", "-mapper", mapper})
	require.NoError(t, err)
	c := conf.New()
	c.Set(conf.JobMaps.Name, "1", "test")
	c.Set("hadoop.tmp.dir", filepath.Join(dir, "tmp"), "test")
	require.NoError(t, o.Configure(c, new(bytes.Buffer)))
	fs, err := dfslocal.Resolver(c)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	ended := make(chan error, 1)
	go func() {
		_, err := local.Run(ctx, local.Options{FS: fs}, streaming.Job(), c)
		ended <- err
	}()
	return func() {
		t.Helper()
		cancel()
		require.Error(t, <-ended)
	}
}

func TestOutputOfDescendantsIsWaitedFor(t *testing.T) {
	newStream(t, "x\n").run("-mapper", "sh -c '(sleep 0.05; echo late) & echo early'", "-reducer",
		"NONE").gives("early\t\nlate\t\n")
}

func TestJoinDelayEndsTheWait(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("the end of a process is noticed on Linux only")
	}
	newStream(t, "x\n").with("stream.joindelay.milli", "20").run("-mapper", "sh -c 'sleep 1000 & echo early'", "-reducer",
		"NONE").gives("early\t\n")
}

// If the job fails because its input is damaged, even a command that ignores SIGTERM is gone
// afterward.
func TestNoCommandOutlivesAnAttemptThatFailsElsewhere(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("processes are looked for in /proc")
	}
	s := newStream(t, "")
	bad := s.file("bad.gz", "this is no gzip")
	mark := filepath.Join(s.dir, "started")
	s.run("-input", bad, "-reducer", "NONE", "-mapper",
		`sh -c "trap '' TERM; : > `+mark+`; while true; do sleep 0.01; done" `+mark)
	require.Error(t, s.err)
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	for _, name := range all {
		b, _ := os.ReadFile(name) // a process can end during the loop
		require.NotContains(t, string(b), mark)
	}
}
