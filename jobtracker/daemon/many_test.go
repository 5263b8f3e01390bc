package daemon

import (
	"context"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	wire "github.com/howdah/howdah/internal/wire/client"
)

// Memory does not grow with the number of finished jobs. The first of them can still be shown, and
// a restart is fast. With HOWDAH_JOBS=10000 the test is the measurement in
// docs/reference/benchmarks.md.
func TestManyJobs(t *testing.T) {
	n := 100
	if text := os.Getenv("HOWDAH_JOBS"); text != "" {
		var err error
		n, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	c := newCluster(t)
	c.conf.Set("mapred.jobtracker.completeuserjobs.maximum", "20", "test")
	c.start()
	newFakeTracker(t, c, "t1").run()
	x := c.client()

	ids := make([]string, n)
	ctx := context.Background()
	run := func(from, to int) {
		var group sync.WaitGroup
		for worker := range 8 {
			group.Go(func() {
				for i := from + worker; i < to; i += 8 {
					s, err := x.Submit(ctx, c.job("j"+itoa(i), 1, 1))
					if err == nil {
						_, err = x.Wait(ctx, s.ID, nil)
					}
					if err != nil {
						t.Error(err)
						return
					}
					ids[i] = s.ID.String()
				}
			})
		}
		group.Wait()
	}
	run(0, n/5)
	before := heap()
	run(n/5, n)
	require.Less(t, heap(), before+2<<20, "bytes of live heap")

	first, err := c.wire().Status(c.ctx(), &wire.StatusRequest{Id: ids[0], Attempts: true, Counters: true})
	require.NoError(t, err)
	require.True(t, first.Retired)
	require.Equal(t, "SUCCEEDED", first.State)
	require.Len(t, first.Attempt, 2)
	require.Equal(t, "t1", first.Attempt[0].Tracker)
	require.NotEmpty(t, first.Counter)

	require.NoError(t, c.stop())
	began, used := time.Now(), processTime()
	c.start()
	_, err = x.Submit(c.ctx(), c.job("after", 1, 1))
	require.NoError(t, err)
	t.Logf("%d jobs: restart to first accepted submission %v", n, time.Since(began))
	require.Less(t, processTime()-used, 2*time.Second, "of CPU: what else runs on the machine does not count")
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
