//go:build integration

package pages

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/browser"
	"github.com/howdah/howdah/internal/trend"
	"github.com/howdah/howdah/internal/webui"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
)

// made is the state of a large cluster with a job of 100,000 attempts.
type made struct {
	cluster status.Cluster
	job     status.Job
}

func (m *made) Cluster(context.Context) (*status.Cluster, error) { return &m.cluster, nil }

func (m *made) List(context.Context, status.Filter) ([]*status.Job, error) {
	return []*status.Job{&m.job}, nil
}

func (m *made) Status(context.Context, job.ID, status.Query) (*status.Job, error) { return &m.job, nil }

func (m *made) Scheduler(context.Context, string) (*status.Scheduler, error) {
	return &status.Scheduler{Name: "fifo"}, nil
}

func makeCluster() *made {
	const trackers, maps, reduces = 250, 70_000, 30_000
	begin := time.Now().Add(-time.Hour).UnixMilli()
	m := &made{cluster: status.Cluster{ID: "202611210753", StartedMs: begin, Scheduler: "fifo"},
		job: status.Job{ID: job.ID{Cluster: "202611210753", Seq: 1}, Name: "large", User: "ann", State: job.Running,
			SubmitMs: begin, Maps: status.Tasks{Total: maps, Done: maps, Progress: 1}, Reduces: status.Tasks{Total: reduces}}}
	name := func(i int) string { return fmt.Sprintf("node%03d.example.com:50060", i) }
	for i := range trackers {
		m.cluster.Trackers = append(m.cluster.Trackers, &status.Tracker{Name: name(i), Rack: fmt.Sprintf("/rack%d", i/50),
			LastBeatMs: begin, Maps: status.Slots{Total: 8, Used: int32(i % 9)},
			Reduces: status.Slots{Total: 4, Used: int32(i % 5)}})
	}
	for i := range maps + reduces {
		a := &status.Attempt{ID: job.Attempt{Task: job.Task{Job: 1, Index: int32(i)}}.ID(m.job.ID.Cluster),
			State: job.AttemptSucceeded, Tracker: name(i % trackers), StartMs: begin, FinishMs: begin + 60_000,
			ShuffleBytes: 3_000_000}
		if i >= maps {
			a.ID.Type, a.ID.Index = job.Reduce, int32(i-maps)
			a.ShuffleBytes = int64(1_000_000 * (1 + i%7) * (1 + (i-maps)/3_000))
		}
		m.job.Attempts = append(m.job.Attempts, a)
	}
	return m
}

// makeNode is a TaskTracker whose orchestrator has measured two attempts for ten minutes.
func makeNode() webui.Tracker {
	node := webui.Tracker{Name: "node001.example.com:50060", StartedMs: time.Now().Add(-time.Hour).UnixMilli(),
		Slots: [2]int32{2, 2}, Used: [2]int32{2, 0}}
	for i := range 2 {
		r := trend.NewSmall()
		for k := range 120 {
			cpu := trend.Value{Used: float32(400 + 300*i + 37*k%90), Limit: 1000}
			memory := trend.Value{Used: float32(300 + k), Limit: 512}
			if k > 40 {
				cpu.Limit, cpu.Need, memory.Need = float32(600+700*i), cpu.Used+50, memory.Used+60
			}
			r.Add(int64(k)*5_000, map[string]trend.Value{"CPU, thousandths of a core": cpu, "memory, MiB": memory})
		}
		node.Attempts = append(node.Attempts, webui.TrackerAttempt{ID: fmt.Sprintf("attempt_202611210753_0001_m_%06d_0", i),
			State: "RUNNING", Phase: "MAP", Progress: 0.4, PID: 4711 + i, CPUMillis: 61_000, Memory: 300 << 20,
			Shares: r.Record()})
	}
	return node
}

// TestMadePagesInBrowser looks at pages of a large cluster and of an orchestrated TaskTracker, whose data
// the test makes up. The server must answer with at most 300 KB.
func TestMadePagesInBrowser(t *testing.T) {
	p := browser.Start(t)
	large := httptest.NewServer(webui.JobTracker(makeCluster(), webui.Parts{}))
	defer large.Close()
	node := httptest.NewServer(webui.TaskTracker(func() (webui.Tracker, error) { return makeNode(), nil }))
	defer node.Close()
	for name, url := range map[string]string{"racks": large.URL + "/", "node": node.URL + "/",
		"large-shuffle": large.URL + "/jobs/job_202611210753_0001/shuffle"} {
		begin := time.Now()
		r, err := http.Get(url)
		require.NoError(t, err)
		b, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		require.NoError(t, r.Body.Close())
		require.Less(t, len(b), 300_000, name)
		t.Logf("%s: %d bytes in %v", name, len(b), time.Since(begin))
		for _, width := range []int{1280, 390} {
			for _, dark := range []bool{false, true} {
				look(t, p, url, name, width, dark)
			}
		}
	}
}
