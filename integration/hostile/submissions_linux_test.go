//go:build integration

package hostile

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/local"
	"github.com/howdah/howdah/integration/minicluster"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/staging"
	"github.com/howdah/howdah/internal/transport"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// shape is a kind of submission.
type shape struct {
	name   string
	jobs   int // half of the submissions in a run of a minute or more
	splits []mapreduce.Split
	set    func(*conf.Config) // may be nil
}

// wide returns n splits, each with some of the given number of host names, which have length digits.
func wide(n, hosts, names, length int) []mapreduce.Split {
	known := make([]string, names)
	for i := range known {
		known[i] = fmt.Sprintf("%0*d", length, i)
	}
	splits := make([]mapreduce.Split, n)
	for i := range splits {
		for k := range hosts {
			splits[i].Hosts = append(splits[i].Hosts, known[(i*hosts+k)%names])
		}
		splits[i].Length = int64(i % 1000)
	}
	return splits
}

// properties sets n properties whose values have length bytes.
func properties(n, length int) func(*conf.Config) {
	return func(c *conf.Config) {
		for i := range n {
			c.Set(fmt.Sprintf("some.key.%d", i), strings.Repeat("v", length), "test")
		}
	}
}

func wrong(c *conf.Config) { c.Set(conf.MapMaxAttempts.Name, "none", "test") }

func shapes() []shape {
	return []shape{
		{name: "small", jobs: 80, splits: wide(20, 3, 10, 12)},
		{name: "240 KiB of splits", jobs: 30, splits: wide(40_000, 0, 1, 1)},
		{name: "240 KiB of hosts", jobs: 30, splits: wide(240, 500, 10, 1)},
		{name: "240 KiB of names", jobs: 20, splits: wide(6000, 3, 18_000, 12)},
		{name: "240 KiB of properties", jobs: 20, set: properties(4000, 1)},
		{name: "5 MiB of properties", jobs: 10, set: properties(50_000, 10)},
		{name: "5 MiB of values", jobs: 5, set: properties(1200, 4000)},
		{name: "100,000 names", jobs: 8, splits: wide(100_000, 1, 100_000, 150)},
		{name: "one long name", jobs: 8, splits: wide(64_000, 1, 1, 250)},
		{name: "a million splits", jobs: 5, splits: wide(1_000_000, 0, 1, 1)},
		{name: "three million hosts", jobs: 5, splits: wide(78_000, 42, 1000, 3)},
		{name: "wrong setting", jobs: 20, splits: wide(78_000, 42, 1000, 3), set: wrong},
		{name: "wrong small setting", jobs: 20, splits: wide(40_000, 0, 1, 1), set: wrong},
		{name: "too many hosts", jobs: 20, splits: wide(16_000, 500, 10, 1)},
	}
}

// TestSubmissionsOfOneUser submits many jobs of all shapes at the same time as one user, and kills half
// of those that the JobTracker accepts. The JobTracker's memory stays bounded. A run of less than a
// minute submits fewer jobs.
func TestSubmissionsOfOneUser(t *testing.T) {
	t.Logf("again with: make hostile SEED=%d", *seed)
	c := minicluster.Start(t, minicluster.Options{})
	runJob(t, c)
	secret, err := auth.Load(conf.New())
	require.NoError(t, err)
	conn, err := rpc.Dial(c.JobTracker, rpc.Options{Secret: secret, Timeout: 5 * time.Minute})
	require.NoError(t, err)
	defer conn.Close()
	jobs := transport.Client(conn)
	fs, err := local.New(conf.New())
	require.NoError(t, err)
	place, err := jobs.NewJob(t.Context(), transport.NewJob{User: "root", Protocol: rpc.Protocol})
	require.NoError(t, err)
	var staged []string // a directory with the files of each submission
	dir := t.TempDir()
	for _, s := range shapes() {
		x := conf.New()
		x.Set(conf.JobProgramID.Name, place.Program, "test")
		x.Set(conf.JobProgramJob.Name, "wordcount", "test")
		if s.set != nil {
			s.set(x)
		}
		from := filepath.Join(dir, s.name)
		require.NoError(t, staging.Write(t.Context(), fs, from, x, s.splits))
		for range max(2, int(2*float64(s.jobs)*min(1, *minutes))) {
			staged = append(staged, from)
		}
	}
	// The setting is rejected while the user has room. Later the user's limit may come first.
	result, err := submit(t.Context(), jobs, filepath.Join(dir, "wrong small setting"), false)
	require.NoError(t, err)
	require.Equal(t, failure.Config.String(), result)
	r := rand.New(rand.NewPCG(*seed, 0))
	r.Shuffle(len(staged), func(i, k int) { staged[i], staged[k] = staged[k], staged[i] })
	pid := c.PID("jobtracker")
	before := memory(pid)
	var all sync.WaitGroup
	var mu sync.Mutex
	results := map[string]int{}
	for i, from := range staged {
		kill := r.IntN(2) == 0
		all.Go(func() {
			result, err := submit(t.Context(), jobs, from, kill)
			mu.Lock()
			defer mu.Unlock()
			if results[result]++; err != nil {
				t.Errorf("%d: %s: %v", i, filepath.Base(from), err)
			}
		})
	}
	all.Wait()
	most := peak(t, pid)
	t.Logf("%d MiB before, at most %d MiB; %v", before>>20, most>>20, results)
	for _, result := range []string{"accepted", "killed", failure.Limit.String()} {
		require.Positive(t, results[result], result)
	}
	require.Less(t, most-before, int64(growth))
	checkLog(t, "jobtracker", c.Log("jobtracker"))
}

// peak returns the largest resident memory of a process so far, in bytes.
func peak(t *testing.T, pid int) int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(t, err)
	kib := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(b)
	require.NotNil(t, kib)
	n, err := strconv.ParseInt(string(kib[1]), 10, 64)
	require.NoError(t, err)
	return n << 10
}

// submit submits a job with the staged files in a directory, and may kill it. It returns what happened:
// "accepted", "killed", or the kind of the error with which the JobTracker rejects the job.
func submit(ctx context.Context, jobs transport.Jobs, from string, kill bool) (string, error) {
	p, err := jobs.NewJob(ctx, transport.NewJob{User: "root", Protocol: rpc.Protocol})
	if err != nil {
		return "failed", err
	}
	dir := strings.TrimPrefix(p.StagingDir, "file:")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "failed", err
	}
	for _, name := range []string{staging.ConfFile, staging.MetaFile, staging.SplitFile} {
		if err := os.Link(filepath.Join(from, name), filepath.Join(dir, name)); err != nil {
			return "failed", err
		}
	}
	j, err := jobs.Submit(ctx, transport.Submission{ID: p.ID, StagingDir: p.StagingDir, User: "root", Receipt: p.Receipt})
	switch kind := failure.KindOf(err); {
	case kind == failure.Limit, kind == failure.Config:
		return kind.String(), nil
	case err != nil:
		return "failed", err
	case kill:
		return "killed", jobs.Kill(ctx, j.ID, transport.By{User: "root", Why: "test"})
	default:
		return "accepted", nil
	}
}
