package webui

import (
	"context"
	"net/http"

	"github.com/howdah/howdah/internal/trend"
	"github.com/howdah/howdah/job/failure"
)

const taskTrackerHome = "TaskTracker"

// Tracker is the data for a TaskTracker's page.
type Tracker struct {
	Name       string
	JobTracker string // host:port; "" means not found yet
	Web        string // address of the JobTracker's web page; "" means unknown
	Version    string
	StartedMs  int64
	Slots      [2]int32 // numbers of map and reduce slots
	Used       [2]int32
	Unhealthy  string // why the TaskTracker gets no work; "" means that it is healthy
	Draining   bool   // the JobTracker assigns no more work to the TaskTracker
	Attempts   []TrackerAttempt
}

// TrackerAttempt is one attempt on a TaskTracker.
type TrackerAttempt struct {
	ID       string // attempt_…
	State    string // String of a job.AttemptState
	Phase    string
	Progress float32 // 0–1
	PID      int     // 0 means no process
	Status   string
	Text     string // diagnostics of a failed attempt

	CPUMillis   int64 // CPU time used so far
	Memory      int64 // bytes in use
	MemoryLimit int64 // in bytes; 0 means no limit
	CPUWeight   int64 // relative to the machine's other attempts; 0 means unknown
	CPUQuota    int64 // thousandths of a CPU; 0 means no quota

	// Shares is what the attempt used, had as its share, and needed over time. The orchestrator
	// measures it, so it is empty without one.
	Shares trend.Record
}

// node is the data for a TaskTracker's page.
type node struct {
	*Tracker
	Charts []shareChart
	More   int // number of attempts whose charts the page leaves out
}

// shareChart shows the shares of an attempt.
type shareChart struct {
	ID    string
	Chart *chart
}

// maxCharts is the maximum number of charts on a page.
const maxCharts = 20

func newNode(t *Tracker) node {
	n := node{Tracker: t}
	for _, a := range t.Attempts {
		if len(n.Charts) == maxCharts {
			n.More++
		} else if c := newChart(a.Shares); c != nil {
			n.Charts = append(n.Charts, shareChart{a.ID, c})
		}
	}
	return n
}

// TaskTracker returns the handler of a TaskTracker's page at "/". The daemon serves logs at
// Hadoop's address /tasklog. now returns the data of the page; the handler calls it for each
// request, from any goroutine.
func TaskTracker(now func() (Tracker, error)) http.Handler {
	m := http.NewServeMux()
	m.Handle("GET /static/", Static())
	m.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		t, err := now()
		if err != nil {
			fail(w, taskTrackerHome, err)
			return
		}
		render(w, "tracker", http.StatusOK, page{Title: t.Name, Home: taskTrackerHome, Live: true, Data: newNode(&t)})
	})
	m.HandleFunc("GET /visit", visit(taskTrackerHome, func(_ context.Context, host string) (bool, bool, error) {
		t, err := now()
		return t.Web == host, true, err
	}))
	redirects(m, "/tasktracker.jsp")
	m.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		fail(w, taskTrackerHome, failure.New(failure.NotFound, "find page", r.URL.Path, nil))
	})
	return m
}
