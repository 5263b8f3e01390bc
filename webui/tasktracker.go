package webui

import (
	"net/http"

	"github.com/howdah/howdah/job/failure"
)

const taskTrackerHome = "TaskTracker"

// Tracker is what a TaskTracker's page shows.
type Tracker struct {
	Name       string
	JobTracker string // host:port, "" = not found yet
	Web        string // address of the JobTracker's page, "" = not known
	Version    string
	StartedMs  int64
	Slots      [2]int32 // map, reduce
	Used       [2]int32
	Unhealthy  string // why it takes no work
	Draining   bool   // the JobTracker gives it none
	Attempts   []TrackerAttempt
}

// TrackerAttempt is one attempt on a TaskTracker.
type TrackerAttempt struct {
	ID       string // attempt_…
	State    string // as job.AttemptState prints
	Phase    string
	Progress float32 // 0–1
	PID      int     // 0 = no process
	Status   string
	Text     string // diagnostics of one that failed

	CPUMillis   int64 // used so far
	Memory      int64 // bytes in use
	MemoryLimit int64 // bytes; 0 = none
	CPUWeight   int64 // among the attempts of the machine; 0 = not known
	CPUQuota    int64 // thousandths of a CPU; 0 = none
}

// TaskTracker makes a TaskTracker's page at "/". Logs are at Hadoop's address /tasklog, which the daemon serves. now is
// called for each request, from any goroutine.
func TaskTracker(now func() (Tracker, error)) http.Handler {
	m := http.NewServeMux()
	m.Handle("GET /static/", static())
	m.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		t, err := now()
		if err != nil {
			fail(w, taskTrackerHome, err)
			return
		}
		render(w, "tracker", http.StatusOK, page{Title: t.Name, Home: taskTrackerHome, Live: true, Data: &t})
	})
	redirects(m, "/tasktracker.jsp")
	m.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		fail(w, taskTrackerHome, failure.New(failure.NotFound, "find page", r.URL.Path, nil))
	})
	return m
}
