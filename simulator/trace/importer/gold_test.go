package importer

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/simulator/trace"
)

// public returns a file of the public traces. It skips the test if $HOWDAH_TRACES is not set.
func public(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("HOWDAH_TRACES")
	if dir == "" {
		t.Skip("HOWDAH_TRACES does not name the directory of the public traces")
	}
	return filepath.Join(dir, name)
}

// goldJob is Rumen's version of a job. Reading it does not use this package's reader for Rumen.
type goldJob struct {
	JobID, JobName, User, Outcome      string
	SubmitTime, LaunchTime, FinishTime int64
	MapTasks, ReduceTasks              []goldTask
}

type goldTask struct {
	TaskID, TaskStatus string
	Attempts           []struct {
		AttemptID, HostName, Result                          string
		StartTime, ShuffleFinished, SortFinished, FinishTime int64
	}
}

func open(t *testing.T, name string) io.Reader {
	t.Helper()
	f, err := os.Open(name)
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	if !strings.HasSuffix(name, ".gz") {
		return bufio.NewReader(f)
	}
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	return z
}

func gold(t *testing.T, name string) []goldJob {
	t.Helper()
	d := json.NewDecoder(open(t, name))
	var list []goldJob
	for {
		var j goldJob
		err := d.Decode(&j)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return list
		}
		require.NoError(t, err)
		list = append(list, j)
	}
}

// TestClassicAgreesWithRumen checks that the importer's reading of a JobTracker's log agrees with
// Rumen's in jobs, tasks, attempts, times, and outcomes.
func TestClassicAgreesWithRumen(t *testing.T) {
	for log, want := range map[string]string{
		"history/dispatch-sample-v20-jt-log.gz": "history/dispatch-trace-output.json.gz",
		"history/sample-job-tracker-logs.gz":    "history/job-tracker-logs-trace-output.gz",
		"history/truncated-job-tracker-log":     "history/truncated-trace-output",
	} {
		im, err := Open([]string{public(t, log)}, Options{})
		require.NoError(t, err)
		jobs := gold(t, public(t, want))
		require.Len(t, im.book.jobs, len(jobs), log)
		for i := range jobs {
			sameAsGold(t, im.book.jobs[jobs[i].JobID], &jobs[i])
		}
	}
}

func sameAsGold(t *testing.T, r *record, g *goldJob) {
	t.Helper()
	require.NotNil(t, r, g.JobID)
	if g.Outcome != "" {
		require.Equal(t, jobState(g.Outcome, 0), r.State, g.JobID)
	}
	require.Equal(t, [3]int64{g.SubmitTime, g.LaunchTime, max(0, g.FinishTime)},
		[3]int64{r.Submit, r.Launch, r.Finish}, g.JobID)
	require.Equal(t, g.User, r.User)
	if g.JobName != "" {
		require.Equal(t, unescape(g.JobName), r.Name)
	}
	for typ, tasks := range map[job.TaskType][]goldTask{job.Map: g.MapTasks, job.Reduce: g.ReduceTasks} {
		require.Len(t, r.tasks[typ], len(tasks), g.JobID)
		for _, want := range tasks {
			index, ok := indexOf(want.TaskID)
			require.True(t, ok)
			task := r.tasks[typ][index]
			require.NotNil(t, task, want.TaskID)
			require.Len(t, task.attempts, len(want.Attempts), want.TaskID)
			for _, w := range want.Attempts {
				a := task.attempts[w.AttemptID]
				require.NotNil(t, a, w.AttemptID)
				require.Equal(t, w.StartTime, a.start, w.AttemptID)
				require.Equal(t, max(0, w.FinishTime), a.finish, w.AttemptID)
				require.Equal(t, max(0, w.ShuffleFinished), a.shuffle, w.AttemptID)
				require.Equal(t, max(0, w.SortFinished), a.sort, w.AttemptID)
				if w.Result != "" {
					require.Equal(t, attemptState(w.Result, 0), a.state, w.AttemptID)
				}
				if _, host := splitPath(unescape(w.HostName)); host != "" {
					require.Equal(t, host, a.host, w.AttemptID)
				}
			}
		}
	}
}

// TestClassicTopologyAgreesWithRumen checks that a log names all machines of Rumen's topology.
func TestClassicTopologyAgreesWithRumen(t *testing.T) {
	for log, want := range map[string]string{
		"history/dispatch-sample-v20-jt-log.gz": "history/dispatch-topology-output.json.gz",
		"history/sample-job-tracker-logs.gz":    "history/job-tracker-logs-topology-output",
	} {
		im, err := Open([]string{public(t, log)}, Options{})
		require.NoError(t, err)
		top, err := Open([]string{public(t, want)}, Options{})
		require.NoError(t, err)
		missing := 0
		for _, n := range top.Nodes {
			if !slices.Contains(im.Nodes, n) {
				missing++
				t.Log(n)
			}
		}
		require.Zero(t, missing)
		require.Zero(t, top.Jobs)
	}
}

// TestPublicTraces checks that every public file is readable and has the contents of its
// description.
func TestPublicTraces(t *testing.T) {
	for _, c := range []struct {
		files         []string
		origin        string
		jobs, damaged int
		maps, reduces int
		nodes         int
		bad           int // jobs that did not succeed
		skewed        int
	}{
		{files: []string{"rumen/19-jobs.trace.json.gz", "rumen/19-jobs.topology.json.gz"}, origin: "rumen", jobs: 19,
			maps: 8471, reduces: 3203, nodes: 1545, bad: 5, skewed: 15},
		{files: []string{"rumen/4-jobs.trace.json.gz", "rumen/4-jobs.topology.json.gz"}, origin: "rumen", jobs: 4, maps: 154,
			reduces: 49, nodes: 585, damaged: 1, bad: 1, skewed: 1},
		{files: []string{"rumen/gridmix-trace_10m.json.gz"}, origin: "rumen", jobs: 19, maps: 57, reduces: 164, nodes: 8},
		{files: []string{"rumen/gridmix-trace_12m.json.gz"}, origin: "rumen", jobs: 46, maps: 170, reduces: 277, nodes: 8},
		{files: []string{"rumen/gridmix-cpu_emul_case2.json.gz"}, origin: "rumen", jobs: 1, maps: 122, reduces: 1, nodes: 30},
		{files: []string{"rumen/gridmix-mem_emul_case2.json.gz"}, origin: "rumen", jobs: 1, maps: 19, reduces: 54, nodes: 30},
		{files: []string{"history/truncated-job-tracker-log"}, origin: "classic", jobs: 1, maps: 20, reduces: 1, nodes: 81,
			damaged: 1},
		{files: []string{"history/v20-resource-usage-log.gz"}, origin: "classic", jobs: 1, maps: 1, nodes: 5},
		{files: []string{"history/v20-single-input-log.gz"}, origin: "classic", jobs: 1, maps: 20, reduces: 1, nodes: 81},
		{files: []string{"history/job_1329348432655_0001-1329348443227-user-Sleep+job-" +
			"1329348468601-10-1-SUCCEEDED-default.jhist"}, origin: "jhist", jobs: 1, maps: 10, reduces: 2, nodes: 1},
		{files: []string{"history/job_2.4.0-FAILED.jhist"}, origin: "jhist", jobs: 1, maps: 1, nodes: 1, bad: 1},
		{files: []string{"FB-2009_first50jobs.tsv"}, origin: "swim", jobs: 50, maps: 290, reduces: 2630},
		{files: []string{"FB-2009_samples_24_times_1hr_0.tsv"}, origin: "swim", jobs: 5894, maps: 406005, reduces: 436595},
	} {
		var paths []string
		for _, f := range c.files {
			paths = append(paths, public(t, f))
		}
		tr, err := Read(paths, Options{})
		require.NoError(t, err, c.files)
		maps, reduces, bad, skewed := 0, 0, 0, 0
		for i, j := range tr.Jobs {
			maps += len(j.Maps)
			reduces += len(j.Reduces)
			if j.State != job.Succeeded {
				bad++
			}
			if j.Skewed {
				skewed++
			}
			require.True(t, i == 0 || tr.Jobs[i-1].Submit <= j.Submit)
			sound(t, j)
		}
		require.Equal(t, c.origin, tr.Origin, c.files)
		require.Equal(t, []int{c.jobs, maps, reduces}, []int{len(tr.Jobs), c.maps, c.reduces}, c.files)
		require.Equal(t, []int{c.nodes, c.damaged, c.bad, c.skewed}, []int{len(tr.Nodes), len(tr.Damage), bad, skewed},
			c.files)
	}
}

// sound checks the invariants of every job, for any log.
func sound(t require.TestingT, j *trace.Job) {
	require.NotEmpty(t, j.ID)
	for _, m := range j.Maps {
		require.GreaterOrEqual(t, m.Time, int64(0))
	}
	for _, r := range j.Reduces {
		require.GreaterOrEqual(t, min(r.Shuffle, r.Time), int64(0))
	}
}

// TestHugeTableIsRead checks that the importer reads a table of 24,442 jobs and 16 million maps job
// by job.
func TestHugeTableIsRead(t *testing.T) {
	im, err := Open([]string{public(t, "FB-2010_samples_24_times_1hr_0.tsv.gz")}, Options{})
	require.NoError(t, err)
	maps, jobs := 0, 0
	for {
		j, err := im.Next()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		jobs++
		maps += len(j.Maps)
	}
	require.Equal(t, 24442, jobs)
	require.InEpsilon(t, 16e6, maps, 0.02)
}
