//go:build integration

package integration

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/integration/minicluster"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/job/failure"
)

// peakMemory returns the largest resident size of a process so far, in bytes.
func peakMemory(t testing.TB, pid int) int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Skip("the memory of a process can be read only on Linux")
	}
	kb := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(b)
	require.NotNil(t, kb)
	n, err := strconv.ParseInt(string(kb[1]), 10, 64)
	require.NoError(t, err)
	return n << 10
}

// encoded is a message in its encoded form.
type encoded []byte

// asIs sends and receives encoded messages.
type asIs struct{}

func (asIs) Name() string { return "proto" }

func (asIs) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(v.(encoded))}, nil
}

func (asIs) Unmarshal(data mem.BufferSlice, v any) error {
	*v.(*encoded) = data.Materialize()
	return nil
}

// TestMemoryOfLargeCalls makes concurrent calls of three kinds: of the maximum size, of 60 MiB, and
// with messages that occupy a hundred times their encoded size. The calls must neither fill the
// JobTracker's memory nor keep it from serving other calls.
func TestMemoryOfLargeCalls(t *testing.T) {
	c := minicluster.Start(t, minicluster.Options{})
	secret, err := auth.Load(conf.New())
	require.NoError(t, err)
	unhealthy := func(n int) encoded {
		return protowire.AppendBytes(protowire.AppendTag(nil, 10, protowire.BytesType), make([]byte, n))
	}
	attempt := protowire.AppendBytes(protowire.AppendTag(nil, 7, protowire.BytesType), nil)
	for _, x := range []struct {
		name   string
		report encoded      // howdah.tracker.Report
		kind   failure.Kind // Unknown means that the call succeeds
	}{
		{"4 MiB", unhealthy(4<<20 - 100), failure.Unknown},
		{"60 MiB", unhealthy(60 << 20), failure.Limit},
		{"many parts", bytes.Repeat(attempt, 1_500_000), failure.Limit},
	} {
		var calls sync.WaitGroup
		for range 30 {
			calls.Go(func() {
				conn, err := rpc.Dial(c.JobTracker, rpc.Options{Secret: secret, MaxMessage: 64 << 20})
				if err != nil {
					t.Error(err)
					return
				}
				defer conn.Close()
				var reply encoded
				err = conn.Invoke(t.Context(), "/howdah.tracker.Trackers/Beat", x.report, &reply, grpc.ForceCodecV2(asIs{}))
				if x.kind == failure.Unknown && err != nil || x.kind != failure.Unknown && !failure.Is(err, x.kind) {
					t.Errorf("%s: %v", x.name, err)
				}
			})
		}
		calls.Wait()
	}
	peak := peakMemory(t, c.PID("jobtracker"))
	t.Logf("peak memory of the JobTracker: %d MiB", peak>>20)
	require.Less(t, peak, int64(1<<30))
	in, want := text(t, 2, 10)
	out := filepath.Join(t.TempDir(), "out")
	ok(t, c.Howdah("run", "wordcount", in, out))
	require.Equal(t, want, counts(t, out))
}

// TestLogsOfARunningTask runs a Streaming job whose program writes 60 MB to standard error and
// keeps running.
func TestLogsOfARunningTask(t *testing.T) {
	c := minicluster.Start(t, minicluster.Options{})
	in, _ := text(t, 1, 1)
	dir := t.TempDir()
	written, end := filepath.Join(dir, "written"), filepath.Join(dir, "end")
	wait, _ := c.Background("streaming", "-D", "mapreduce.task.userlog.limit.kb=1024", "-D", "mapreduce.job.maps=1",
		"-input", in, "-output", filepath.Join(dir, "out"), "-numReduceTasks", "0", "-mapper",
		"sh -c 'cat > /dev/null; yes 0123456789 | head -c 60000000 >&2; echo last words >&2; touch "+written+
			"; while [ ! -e "+end+" ]; do sleep 0.1; done'")
	logs := func() (size int64, text string) {
		require.NoError(t, filepath.WalkDir(c.Dir, func(name string, e os.DirEntry, err error) error {
			if err == nil && e.Name() == "stderr" {
				b, err := os.ReadFile(name)
				require.NoError(t, err)
				size, text = size+int64(len(b)), text+string(b)
			}
			return nil // other files come and go
		}))
		return size, text
	}
	minicluster.Eventually(t, time.Minute, "the program writes", func() bool {
		_, err := os.Stat(written)
		return err == nil
	})
	minicluster.Eventually(t, time.Minute, "the TaskTracker cuts the log", func() bool {
		size, text := logs()
		return size > 0 && size <= 2<<20 && strings.HasSuffix(text, "last words\n")
	})
	require.NoError(t, os.WriteFile(end, nil, 0o600))
	ok(t, wait())
}

// TestArchiveThatUnpacksToAThousandTimesItsSize runs a job that has such an archive in its
// distributed cache.
func TestArchiveThatUnpacksToAThousandTimesItsSize(t *testing.T) {
	c := minicluster.Start(t, minicluster.Options{})
	in, _ := text(t, 1, 1)
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.Create("zeros")
	require.NoError(t, err)
	for range 128 {
		_, err := f.Write(make([]byte, 1<<20))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	bomb := filepath.Join(t.TempDir(), "bomb.zip")
	require.NoError(t, os.WriteFile(bomb, b.Bytes(), 0o644))
	args := func(name string, set ...string) []string {
		args := []string{"streaming"}
		for _, s := range set {
			args = append(args, "-D", s)
		}
		return append(args, "-archives", bomb, "-input", in, "-output", filepath.Join(t.TempDir(), name),
			"-numReduceTasks", "0", "-mapper", "cat")
	}
	r := c.Howdah(args("refused")...)
	require.NotZero(t, r.Code)
	for _, say := range []string{"bomb.zip", "howdah.archive.maximum.ratio"} {
		require.Contains(t, r.Err, say)
	}
	r = c.Howdah(args("refused again", "howdah.archive.maximum.ratio=0")...)
	require.NotZero(t, r.Code, "the job's own setting has no effect")

	c = minicluster.Start(t, minicluster.Options{Set: []string{"howdah.archive.maximum.ratio=0"}})
	ok(t, c.Howdah(args("permitted")...))
}
