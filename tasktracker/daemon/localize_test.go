package daemon

import (
	"context"
	"crypto/sha256"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	wire "github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/task/shuffle"
)

// ownJob returns a job without files that is already localized.
func ownJob(seq int32) *localJob {
	id := job.ID{Cluster: "202611210000", Seq: seq}
	j := &localJob{seq: seq, id: id.String(), info: &wire.JobInfo{User: "me"}, done: make(chan struct{}),
		gone: make(chan struct{})}
	j.ctx, j.cancel = context.WithCancel(context.Background())
	close(j.done)
	return j
}

func servedIn(dir string) served { return served{root: dir, tokens: map[job.ID][]byte{}} }

func noOutputs() *shuffle.Server { return shuffle.NewServer(shuffle.ServerConfig{}) }

// TestJobsComeWhileOthersGo adds and removes jobs of one user at the same time. Removing the last
// old job must not remove directories of a new job.
func TestJobsComeWhileOthersGo(t *testing.T) {
	t.Parallel()
	local := t.TempDir()
	d := &Daemon{served: servedIn(filepath.Join(local, mapOutputs)), outputs: noOutputs()}
	var all sync.WaitGroup
	for worker := range int32(4) {
		all.Go(func() {
			for n := range int32(500) {
				j := ownJob(worker*1000 + n)
				if _, err := j.use(local); err != nil {
					t.Error(err)
					return
				}
				d.discard(j)
			}
		})
	}
	all.Wait()
	left, _ := filepath.Glob(filepath.Join(local, trackerDir, "me", jobCache, "*"))
	require.Empty(t, left)
}

func TestJobThatWentMakesNoDirectory(t *testing.T) {
	local := t.TempDir()
	d := &Daemon{served: servedIn(filepath.Join(local, mapOutputs)), outputs: noOutputs()}
	j := ownJob(1)
	home, err := j.use(local)
	require.NoError(t, err)
	d.discard(j)
	d.discard(j) // once by the purge and once by a failed localization
	_, err = j.use(local)
	require.True(t, failure.Is(err, failure.Killed))
	require.NoDirExists(t, home)
}

// TestRetentionStartsWhenAJobEnds checks that a job whose last log is old keeps its logs for the
// retention time after its end.
func TestRetentionStartsWhenAJobEnds(t *testing.T) {
	dir := t.TempDir()
	d := &Daemon{cfg: Config{LogDir: dir}, served: servedIn(filepath.Join(dir, mapOutputs)), outputs: noOutputs()}
	j := ownJob(1)
	logs := attemptLogs(dir, j.id, "a")
	require.NoError(t, os.MkdirAll(logs, 0o755))
	now := time.Now()
	for _, p := range []string{logs, filepath.Dir(logs)} {
		require.NoError(t, os.Chtimes(p, now, now.Add(-48*time.Hour)))
	}
	d.discard(j)
	noWork := func(job.ID) bool { return false }
	d.expireLogs(now.Add(-24*time.Hour), noWork)
	require.DirExists(t, logs)
	d.expireLogs(now.Add(time.Hour), noWork)
	require.NoDirExists(t, logs)
}

// TestJobComesBackWhileItGoes checks that a job that is desired again waits for the removal of its
// old files, because it uses the same directories.
func TestJobComesBackWhileItGoes(t *testing.T) {
	c := startCluster(t, nil)
	c.addJob(t, 1, "ok", nil)
	old := ownJob(1)
	require.True(t, c.d.ask(func() { c.d.leaving[1] = old }))
	require.True(t, c.d.works(job.ID{Seq: 1}), "its logs stay until it has gone")
	a := mapAttempt(1, 0, 0)
	c.jt.want([]*wire.Attempt{a}, 1)
	require.Eventually(t, func() (asked bool) {
		c.d.ask(func() { asked = c.d.jobs[1] != nil })
		return asked
	}, patience, time.Millisecond)
	home := filepath.Join(c.dir, "local?", trackerDir, "me", jobCache, "*")
	for range 20 {
		c.d.ask(func() {})
		left, _ := filepath.Glob(home)
		require.Empty(t, left)
	}
	c.d.discard(old)
	c.jt.await(t, "success", func() bool { return c.jt.state(a) == job.AttemptSucceeded })
}

// TestOnlyTheAcceptedConfiguration checks that a job's user cannot make the TaskTracker copy or read
// another job.xml than the one that the JobTracker accepted.
func TestOnlyTheAcceptedConfiguration(t *testing.T) {
	accepted := []byte("<configuration/>\n")
	sum := sha256.Sum256(accepted)
	for staged, kind := range map[string]failure.Kind{
		string(accepted):                  0,
		"<configuration></configuration>": failure.Corrupt,
		"<configuration/> ":               failure.Corrupt,
		"":                                failure.Corrupt,
	} {
		j := ownJob(1)
		j.fs, j.home = localFS{}, t.TempDir()
		j.info.StagingDir, j.info.ConfSize, j.info.ConfSum = t.TempDir(), int64(len(accepted)), sum[:]
		require.NoError(t, os.WriteFile(filepath.Join(j.info.StagingDir, jobConf), []byte(staged), 0o600))
		xml, err := j.localizeConf(t.Context())
		left, _ := os.ReadDir(j.home)
		if kind != 0 {
			require.True(t, failure.Is(err, kind), "%q: %v", staged, err)
			require.ErrorContains(t, err, "changed since the JobTracker accepted the job")
			require.Empty(t, left)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, staged, string(xml))
		require.Len(t, left, 1)
	}
	j := ownJob(1) // from an older JobTracker
	j.fs, j.home, j.info.StagingDir = localFS{}, t.TempDir(), t.TempDir()
	staged := filepath.Join(j.info.StagingDir, jobConf)
	require.NoError(t, os.WriteFile(staged, accepted, 0o600))
	_, err := j.localizeConf(t.Context())
	require.NoError(t, err)
	require.NoError(t, os.Truncate(staged, maxOldConf+1))
	_, err = j.localizeConf(t.Context())
	require.True(t, failure.Is(err, failure.Corrupt), err)
}

func TestAFileThatIsTooLargeIsNotCopied(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to", "file")
	require.NoError(t, os.Mkdir(filepath.Dir(to), 0o700))
	require.NoError(t, os.WriteFile(from, []byte("12345"), 0o600))
	err := fetch(t.Context(), localFS{}, from, to, 0o600, 4)
	require.True(t, failure.Is(err, failure.Limit), err)
	left, _ := os.ReadDir(filepath.Dir(to))
	require.Empty(t, left)
	require.NoError(t, fetch(t.Context(), localFS{}, from, to, 0o600, 5))
}
