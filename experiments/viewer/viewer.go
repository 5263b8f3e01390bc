// Package viewer serves web pages for the laboratory: the results of scenarios and experiments in a
// directory, comparisons of two of them, and the page on which readers try schedulers. Start with
// [Serve].
package viewer

import (
	"context"
	"embed"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/howdah/howdah/internal/port"
	"github.com/howdah/howdah/internal/webguard"
	"github.com/howdah/howdah/internal/webui"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/simulator/playground"
)

// page contains the files of the page on which readers try schedulers. make playground adds the
// simulator, and the style sheet and icon of package webui.
//
//go:embed page
var page embed.FS

//go:embed viewer.html
var viewerPage string

var pages = template.Must(template.New("viewer").Parse(viewerPage))

// longest is how long a simulation can take before the server gives up.
const longest = 20 * time.Second

// Serve serves the results in dir on a port of this host until ctx is done. Only programs of this
// host can reach it, and only those of the same user or root get answers. A port of 0 means any free
// port. Serve writes the address of the pages to out.
func Serve(ctx context.Context, dir string, at int, out io.Writer) error {
	results := &folder{dir: dir}
	if _, err := results.list(); err != nil {
		return err
	}
	l, err := port.Listen("--port", net.JoinHostPort("127.0.0.1", strconv.Itoa(at)), port.Half)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "http://localhost:%d\n", l.Addr().(*net.TCPAddr).Port)
	return webguard.New(nil).Serve(ctx, l, results.routes())
}

func (f *folder) routes() *http.ServeMux {
	m := http.NewServeMux()
	static := webui.Static()
	m.Handle("GET /static/", static)
	m.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { f.index(w) })
	m.HandleFunc("GET /results/{path...}", func(w http.ResponseWriter, r *http.Request) {
		f.report(w, r.PathValue("path"))
	})
	m.HandleFunc("GET /compare", func(w http.ResponseWriter, r *http.Request) { f.compare(w, r.URL.Query()["result"]) })
	m.HandleFunc("POST /playground/run", run)
	for name, from := range map[string]string{"style.css": "/static/style.css", "icon.svg": "/static/icon.svg"} {
		m.HandleFunc("GET /playground/"+name, func(w http.ResponseWriter, r *http.Request) {
			r.URL.Path = from
			static.ServeHTTP(w, r)
		})
	}
	files, err := fs.Sub(page, "page")
	if err != nil {
		panic(err) // cannot happen, because the folder is embedded
	}
	for path, name := range map[string]string{"{$}": "index.html", "playground.js": "playground.js",
		"playground.css": "playground.css", "engine.js": "server.js"} {
		m.HandleFunc("GET /playground/"+path, func(w http.ResponseWriter, r *http.Request) {
			http.ServeFileFS(w, r, files, name)
		})
	}
	return m
}

// run answers a request of the page.
func run(w http.ResponseWriter, r *http.Request) {
	request, err := io.ReadAll(http.MaxBytesReader(w, r.Body, playground.MaxRequest))
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), longest)
	defer cancel()
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(playground.Answer(ctx, request))
}

// show writes a page with the given template.
func show(w http.ResponseWriter, code int, name string, data any) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	_ = pages.ExecuteTemplate(w, name, data) // the reader has gone
}

func fail(w http.ResponseWriter, err error) {
	show(w, port.Status(failure.KindOf(err)), "error", err.Error())
}
