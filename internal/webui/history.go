package webui

import (
	"net/http"
	"net/url"
)

const historyHome = "History"

// Ended is the part of a history server that its pages need, with the same rules as Jobs.
type Ended interface {
	// List returns all jobs, the latest first. The caller must not change them or the list.
	listed
	Confs
}

// History returns the handler of a history server's pages, which have the same addresses as the
// JobTracker's pages of all jobs, a job, and an attempt.
func History(h Ended) http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("GET /{$}",
		func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/jobs", http.StatusFound) })
	addJobs(m, historyHome, h, Parts{Confs: h, Rights: reader{}})
	redirects(m, "/jobtracker.jsp", "/jobhistory.jsp", "/jobhistory")
	m.HandleFunc("GET /jobhistory/job/{id}", func(w http.ResponseWriter, r *http.Request) { // Hadoop's address
		http.Redirect(w, r, "/jobs/"+url.PathEscape(r.PathValue("id")), http.StatusFound)
	})
	m.HandleFunc("GET /", notFound(historyHome))
	return m
}
