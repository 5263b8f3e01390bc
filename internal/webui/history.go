package webui

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
)

const historyHome = "History"

// Ended is the part of a history server that its pages need, with the same rules as Jobs.
type Ended interface {
	Search(context.Context, Search) (part []*status.Job, matching int, err error)
	Status(context.Context, job.ID, status.Query) (*status.Job, error)
}

// Search selects ended jobs. Empty fields select all jobs.
type Search struct {
	Text               string // part of the ID or the name, in any case
	User, Queue, State string
	From, Most         int // number of matching jobs to skip, and the maximum number to return
}

// historyData is the data for the list of ended jobs.
type historyData struct {
	Search
	Jobs        []*status.Job
	Matching    int
	Page, Pages int
}

// Link returns the address of page n+step of the same list.
func (d *historyData) Link(n, step int) string {
	q := url.Values{"page": {strconv.Itoa(n + step)}}
	for key, v := range map[string]string{"q": d.Text, "user": d.User, "queue": d.Queue, "state": d.State} {
		if v != "" {
			q.Set(key, v)
		}
	}
	return "/?" + q.Encode()
}

// States returns the states that a list can be limited to.
func (d *historyData) States() []string {
	return []string{job.Succeeded.String(), job.Failed.String(), job.Killed.String()}
}

// History returns the handler of a history server's pages. "/" lists jobs, and the pages of a job and
// an attempt have the same addresses as at the JobTracker.
func History(h Ended) http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		page1 := parsePage(r.FormValue("page"))
		d := &historyData{Search: Search{Text: strings.TrimSpace(r.FormValue("q")), User: r.FormValue("user"),
			Queue: r.FormValue("queue"), State: r.FormValue("state"), From: min(page1-1, 1<<30/jobsPerPage) * jobsPerPage,
			Most: jobsPerPage}, Page: page1}
		var err error
		if d.Jobs, d.Matching, err = h.Search(r.Context(), d.Search); err != nil {
			fail(w, historyHome, err)
			return
		}
		d.Pages = max(1, (d.Matching+jobsPerPage-1)/jobsPerPage)
		render(w, "history", http.StatusOK, page{Title: "Job history", Home: historyHome, Data: d})
	})
	addJobs(m, historyHome, h)
	redirects(m, "/jobtracker.jsp", "/jobhistory.jsp", "/jobhistory")
	m.HandleFunc("GET /jobhistory/job/{id}", func(w http.ResponseWriter, r *http.Request) { // Hadoop's address
		http.Redirect(w, r, "/jobs/"+url.PathEscape(r.PathValue("id")), http.StatusFound)
	})
	m.HandleFunc("GET /", notFound(historyHome))
	return m
}
