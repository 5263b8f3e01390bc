// Package webui renders the web pages of the daemons. There are pages for the cluster and its jobs,
// the scheduler, a job and its attempts, ended jobs, a TaskTracker, and a pool with its MR-clusters.
// Pages are rendered on the server and work without JavaScript; a short script updates them.
// html/template escapes all user content.
package webui

import (
	"bytes"
	"context"
	"embed"
	"html/template"
	"io/fs"
	"net/http"
	"strings"
	"sync"

	"github.com/howdah/howdah/internal/port"
	"github.com/howdah/howdah/internal/visible"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
)

// Jobs is the part of a JobTracker's client interface that its pages need. It must be safe for
// concurrent use. The context of a request identifies the user, so the pages do not pass user
// names.
type Jobs interface {
	Cluster(context.Context) (*status.Cluster, error)
	List(context.Context, status.Filter) ([]*status.Job, error)
	Status(context.Context, job.ID, status.Query) (*status.Job, error)
	Scheduler(ctx context.Context, user string) (*status.Scheduler, error)
}

//go:embed pages/*.html
var pageFiles embed.FS

//go:embed static
var staticFiles embed.FS

// pages holds one template per page, each with the common frame and parts. The first request parses
// the templates, because task processes run the same binary and do not need them.
var pages = sync.OnceValue(func() map[string]*template.Template {
	m := map[string]*template.Template{}
	for _, n := range []string{"cluster", "jobs", "scheduler", "job", "attempts", "shuffle", "counters", "conf", "logs",
		"attempt", "tracker", "manager", "error"} {
		m[n] = template.Must(template.New("frame.html").Funcs(functions).ParseFS(pageFiles, "pages/frame.html",
			"pages/parts.html", "pages/"+n+".html"))
	}
	return m
})

// page is the data for the frame around each page.
type page struct {
	Title string
	Home  string // text of the link to "/"
	Live  bool   // the page updates itself
	Foot  string // "" means no foot
	Data  any

	Job  *status.Job // job with tabs; nil means no tabs
	Tabs [][2]string
	Tab  string // last part of the address of the selected tab

	Actions []action // changes that the page offers
}

// WithFoot returns a handler that calls h and adds text at the end of each page.
func WithFoot(text string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(footed{w, text}, r) })
}

// footed is a ResponseWriter that passes the text for the foot of a page to render.
type footed struct {
	http.ResponseWriter
	foot string
}

// Unwrap lets http.ResponseController find the methods of the original writer.
func (f footed) Unwrap() http.ResponseWriter { return f.ResponseWriter }

// Scheduler reports whether this daemon has a scheduler's page.
func (p page) Scheduler() bool { return p.Home == jobTrackerHome }

// rendered keeps the memory of rendered pages, which browsers fetch once a second.
var rendered = sync.Pool{New: func() any { return &bytes.Buffer{} }}

// render writes a complete page or, if the template fails, only an error. The page has no characters
// that reverse other text. Package webguard adds the headers that protect it.
func render(w http.ResponseWriter, name string, code int, p page) {
	if f, ok := w.(footed); ok {
		p.Foot = f.foot
	}
	b := rendered.Get().(*bytes.Buffer)
	defer rendered.Put(b)
	b.Reset()
	if err := pages()[name].Execute(b, p); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	_, _ = w.Write(visible.Bytes(b.Bytes()))
}

// fail shows an error as a page.
func fail(w http.ResponseWriter, home string, err error) {
	code := port.Status(failure.KindOf(err))
	render(w, "error", code, page{Title: http.StatusText(code), Home: home, Data: err.Error()})
}

// Static returns a handler that serves the style sheet, the script, and the icon.
func Static() http.Handler {
	sub, err := fs.Sub(staticFiles, "static")
	if err != nil {
		panic(err) // cannot happen, because the folder is embedded
	}
	files := http.StripPrefix("/static/", http.FileServerFS(sub))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/") { // otherwise, the server would list the files
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Cache-Control", "max-age=300")
		files.ServeHTTP(w, r)
	})
}
