// Package inspect serves the addresses at which administrators look into a daemon's process, as
// Hadoop's daemons have them: /metrics, /jmx, /conf, /logLevel, /stacks, /logs, and Go's
// /debug/pprof. The routes carry no mark of package webguard, so only administrators may use them.
package inspect

import (
	"encoding/json"
	"encoding/xml"
	"io"
	"log/slog"
	"net/http"
	"net/http/pprof"
	rpprof "runtime/pprof"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/prom"
	"github.com/howdah/howdah/internal/redact"
)

// Process describes a daemon's process.
type Process struct {
	Name string       // in the names of beans, such as "JobTracker"
	Conf *conf.Config // the configuration with which the daemon started
	Log  *slog.Logger
}

// level is the level of the loggers from NewLog. A process has one.
var level slog.LevelVar

// NewLog returns the logger of a daemon, which writes to w. The process's /logLevel sets its level.
func NewLog(w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: &level}))
}

// Routes adds the routes with handle, which works like http.ServeMux.Handle. own are the daemon's
// metrics. If p is nil, Routes adds only /metrics.
func (p *Process) Routes(handle func(pattern string, h http.Handler), own ...prometheus.Collector) {
	r := prom.Registry(own...)
	handle("GET /metrics", prom.Handler(r))
	if p == nil {
		return
	}
	handle("GET /jmx", &jmx{process: p.Name, metrics: r})
	for pattern, h := range map[string]http.HandlerFunc{
		"GET /conf": p.conf, "GET /logLevel": p.logLevel, "POST /logLevel": p.logLevel, "GET /stacks": stacks,
		"GET /logs/{name...}": logs, "GET /debug/pprof/": pprof.Index, "GET /debug/pprof/profile": pprof.Profile,
		"GET /debug/pprof/trace": pprof.Trace, // not cmdline, which shows the secrets among the arguments
	} {
		handle(pattern, h)
	}
}

func stacks(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_ = rpprof.Lookup("goroutine").WriteTo(w, 2)
}

// property is a key in the answer of Hadoop's ConfServlet.
type property struct {
	XMLName xml.Name `xml:"property" json:"-"`
	Key     string   `xml:"name" json:"key"`
	Value   string   `xml:"value" json:"value"`
	Final   bool     `xml:"final" json:"isFinal"`
	Source  string   `xml:"source" json:"resource"`
}

// conf serves the configuration as Hadoop's ConfServlet does: all keys, or the one in ?name, as XML
// or JSON.
func (p *Process) conf(w http.ResponseWriter, r *http.Request) {
	mask, err := redact.New(p.Conf)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	list := []property{}
	for _, s := range mask.Config(p.Conf).Properties(false) {
		list = append(list, property{Key: s.Name, Value: s.Value, Final: p.Conf.Final(s.Name), Source: s.Source})
	}
	name := r.FormValue("name")
	if name != "" {
		key := conf.Canonical(name)
		list = slices.DeleteFunc(list, func(s property) bool { return s.Key != key })
		if len(list) == 0 {
			http.Error(w, "Property "+name+" not found", http.StatusNotFound)
			return
		}
	}
	format := r.FormValue("format")
	if format == "" && strings.Contains(r.Header.Get("Accept"), "application/json") {
		format = "json"
	}
	switch format {
	case "json":
		var answer any = map[string]any{"properties": list}
		if name != "" {
			answer = map[string]any{"property": list[0]}
		}
		writeJSON(w, answer)
	case "", "xml":
		w.Header().Set("Content-Type", "text/xml; charset=utf-8")
		_, _ = io.WriteString(w, xml.Header)
		_ = xml.NewEncoder(w).Encode(struct {
			XMLName xml.Name `xml:"configuration"`
			List    []property
		}{List: list})
	default:
		http.Error(w, "Bad format: "+format, http.StatusBadRequest)
	}
}

func writeJSON(w http.ResponseWriter, answer any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	_ = e.Encode(answer)
}

// levels contains Hadoop's names of levels. slog has neither TRACE nor FATAL.
var levels = map[string]slog.Level{"TRACE": slog.LevelDebug, "DEBUG": slog.LevelDebug, "INFO": slog.LevelInfo,
	"WARN": slog.LevelWarn, "ERROR": slog.LevelError, "FATAL": slog.LevelError}

// logLevel shows the level of the process's log, and sets it to ?level on POST. As in Hadoop, each
// line of the answer starts with a mark, which hadoop daemonlog looks for. Hadoop sets the level on
// GET, which another site's link could send.
func (p *Process) logLevel(w http.ResponseWriter, r *http.Request) {
	if name := r.FormValue("level"); name != "" {
		l, ok := levels[strings.ToUpper(name)]
		switch {
		case r.Method != http.MethodPost:
			w.Header().Set("Allow", http.MethodPost)
			http.Error(w, "Use POST to set the level, as howdah daemonlog does.", http.StatusMethodNotAllowed)
			return
		case !ok:
			http.Error(w, "Bad level: want DEBUG, INFO, WARN, or ERROR", http.StatusBadRequest)
			return
		}
		level.Set(l)
		p.Log.Log(r.Context(), max(l, slog.LevelWarn), "log level set", "level", l, "by", auth.From(r.Context()).String())
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, "<!-- OUTPUT -->Effective Level: <b>"+level.Level().String()+"</b><br />\n")
}
