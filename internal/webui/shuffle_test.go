package webui

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
)

// shuffled returns a job whose attempts have moved bytes: each map 10, and reduce i i+1.
func shuffled(maps, reduces, trackers int) *status.Job {
	j := &status.Job{ID: job.ID{Cluster: "202611210753", Seq: 1}, State: job.Running,
		Maps: status.Tasks{Total: int32(maps)}, Reduces: status.Tasks{Total: int32(reduces)}}
	for i := range maps + reduces {
		a := &status.Attempt{ID: job.Attempt{Task: job.Task{Job: 1, Index: int32(i)}}.ID(j.ID.Cluster),
			State: job.AttemptSucceeded, Tracker: fmt.Sprintf("tt%03d", i%trackers), ShuffleBytes: 10}
		if i >= maps {
			a.ID.Type, a.ID.Index = job.Reduce, int32(i-maps)
			a.ShuffleBytes = int64(i - maps + 1)
		}
		j.Attempts = append(j.Attempts, a)
	}
	return j
}

func TestShufflePage(t *testing.T) {
	j := shuffled(4, 4, 2)
	j.Attempts[0].State, j.Attempts[7].State = job.AttemptKilled, job.AttemptRunning
	s := newShuffle(j)
	require.Len(t, s.Rows, 2)
	require.Equal(t, [2]int{1, 2}, s.Rows[0].Attempts, "without the killed map")
	require.Equal(t, [2]int64{10, 4}, s.Rows[0].Bytes)
	require.Equal(t, [2]int64{20, 6}, s.Rows[1].Bytes)
	require.Equal(t, [2]float32{0.5, 4.0 / 6}, s.Rows[0].Part)
	require.Equal(t, []heat{{125, 124, 0.5, "reduce 1: 2 bytes"}, {375, 124, 1, "reduce 3: 4 bytes"}}, s.Rows[1].Cells)

	jobs := sample(0)
	jobs.jobs[0] = j
	_, body, _ := get(t, JobTracker(jobs, Parts{}), "/jobs/job_202611210753_0001/shuffle")
	require.Contains(t, body, `<rect x="375" width="124" height="14" fill-opacity="1"><title>reduce 3: 4 bytes</title>`)
	require.Contains(t, body, "By reduce, 0 to 3<")
	require.Contains(t, body, "20 · 2 maps<")
	j.Reduces.Total = 0
	_, body, _ = get(t, JobTracker(jobs, Parts{}), "/jobs/job_202611210753_0001/shuffle")
	require.Contains(t, body, "has no reduces")
}

// TestLargeShufflePage checks that the page of a job with 100,000 attempts counts each of them and stays
// small.
func TestLargeShufflePage(t *testing.T) {
	j := shuffled(70_000, 30_000, 250)
	s := newShuffle(j)
	require.Len(t, s.Rows, 25)
	require.EqualValues(t, 600, s.Each)
	require.Equal(t, "tt000 to tt009", s.Rows[0].Name)
	cells := 0
	var attempts [2]int
	var bytes [2]int64
	for _, r := range s.Rows {
		cells += len(r.Cells)
		for typ := range attempts {
			attempts[typ], bytes[typ] = attempts[typ]+r.Attempts[typ], bytes[typ]+r.Bytes[typ]
		}
	}
	require.Equal(t, 1250, cells)
	require.Equal(t, [2]int{70_000, 30_000}, attempts)
	require.Equal(t, [2]int64{700_000, 30_000 * 30_001 / 2}, bytes)
	last := s.Rows[24].Cells[49]
	require.Equal(t, "30 reduces of 29400 to 29999: 892,365 bytes", last.Text)
	require.Equal(t, 1.0, last.Shade)
	jobs := sample(0)
	jobs.jobs[0] = j
	_, body, _ := get(t, JobTracker(jobs, Parts{}), "/jobs/job_202611210753_0001/shuffle")
	require.Less(t, len(body), 300_000)
}

// BenchmarkShufflePage makes the page of a job with 100,000 attempts, which requests do not share here.
func BenchmarkShufflePage(b *testing.B) {
	jobs := sample(0)
	jobs.jobs[0] = shuffled(70_000, 30_000, 250)
	for b.Loop() {
		w := httptest.NewRecorder()
		JobTracker(jobs, Parts{}).ServeHTTP(w, httptest.NewRequest(http.MethodGet,
			"/jobs/job_202611210753_0001/shuffle", nil))
		b.ReportMetric(float64(w.Body.Len()), "bytes/page")
	}
}
