// Package webui makes the web pages of the daemons: the cluster with its jobs, a job with its attempts and counters, a
// TaskTracker with what it runs, a pool with its MR-clusters. Pages are rendered on the server and work without JavaScript; a few lines of it keep them
// up to date in place. Everything that comes from users is escaped by html/template.
package webui

import (
	"bytes"
	"context"
	"embed"
	"html/template"
	"io/fs"
	"net/http"
	"sync"

	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job/failure"
)

// Jobs is what the JobTracker's pages ask for: a part of the service that clients use (client.JobsServer), so that a daemon
// passes its own implementation. All methods may be called concurrently.
type Jobs interface {
	Cluster(context.Context, *client.Empty) (*client.ClusterStatus, error)
	List(context.Context, *client.ListRequest) (*client.ListReply, error)
	Status(context.Context, *client.StatusRequest) (*client.JobStatus, error)
	Scheduler(context.Context, *client.Empty) (*client.SchedulerStatus, error)
}

//go:embed pages/*.html
var pageFiles embed.FS

//go:embed static
var staticFiles embed.FS

// pages holds one template per page, each with the common frame. They are parsed when the first page is asked for: a task's
// process, which is this binary too, has no use for them.
var pages = sync.OnceValue(func() map[string]*template.Template {
	m := map[string]*template.Template{}
	for _, n := range []string{"cluster", "scheduler", "job", "attempt", "tracker", "manager", "error"} {
		m[n] = template.Must(template.New("frame.html").Funcs(functions).ParseFS(pageFiles, "pages/frame.html", "pages/"+n+".html"))
	}
	return m
})

// page is what the frame shows around a page's own data.
type page struct {
	Title string
	Home  string // what the link to "/" says
	Live  bool   // keeps itself up to date
	Data  any
}

// Scheduler tells whether there is a page of the scheduler.
func (p page) Scheduler() bool { return p.Home == jobTrackerHome }

// render writes a page; it is complete or it is an error.
func render(w http.ResponseWriter, name string, code int, p page) {
	var b bytes.Buffer
	if err := pages()[name].Execute(&b, p); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'self'; style-src 'self' 'unsafe-inline'; frame-ancestors 'self'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	_, _ = w.Write(b.Bytes())
}

// fail shows an error as a page.
func fail(w http.ResponseWriter, home string, err error) {
	code := http.StatusInternalServerError
	switch failure.KindOf(err) {
	case failure.NotFound:
		code = http.StatusNotFound
	case failure.Usage:
		code = http.StatusBadRequest
	case failure.Unreachable, failure.Timeout:
		code = http.StatusServiceUnavailable
	}
	render(w, "error", code, page{Title: http.StatusText(code), Home: home, Data: err.Error()})
}

// static serves the style sheet, the script and the icon.
func static() http.Handler {
	sub, err := fs.Sub(staticFiles, "static")
	if err != nil {
		panic(err) // the folder is embedded
	}
	files := http.StripPrefix("/static/", http.FileServerFS(sub))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=300")
		files.ServeHTTP(w, r)
	})
}
