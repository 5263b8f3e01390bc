package daemon

import (
	"fmt"
	"html"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/howdah/howdah/internal/owned"
	"github.com/howdah/howdah/internal/webguard"
	"github.com/howdah/howdah/job"
)

// logFilters lists an attempt's logs under the names that Hadoop's /tasklog uses. The last entry is
// the log of a debug script, which few attempts have.
var logFilters = []string{"stdout", "stderr", "syslog", debugLog}

const (
	debugLog   = "debugout"
	profileLog = "profile.out"
)

// maxLog is the maximum number of bytes of a log in a response.
const maxLog = 64 << 20

// taskLog serves /tasklog?attemptid=&filter=&start=&end=&plaintext=true as Hadoop does. The start
// and end parameters are byte offsets, and end is inclusive. Negative offsets count from the end.
// For example, start=-4096&end=-1 returns the last 4096 bytes. Without a filter, the response
// contains all logs. The "profile" filter returns the attempt's profile. Users may read the logs of
// jobs that they may view.
func (d *Daemon) taskLog(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	id, err := job.ParseAttemptID(q.Get("attemptid"))
	if err != nil || strings.ContainsAny(id.Job.Cluster, `/\`) {
		http.Error(w, "attemptid: want an attempt ID such as attempt_202611210753_0001_m_000000_0", http.StatusBadRequest)
		return
	}
	if err := d.mayRead(r, id.Job); err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	filters := logFilters
	if q.Get("filter") == "profile" {
		d.serveProfile(w, r, id)
		return
	}
	if f := q.Get("filter"); f != "" {
		if !slices.Contains(logFilters, f) {
			http.Error(w, "filter: want one of "+strings.Join(logFilters, ", "), http.StatusBadRequest)
			return
		}
		filters = []string{f}
	}
	start, err1 := offset(q.Get("start"), 0)
	end, err2 := offset(q.Get("end"), -1)
	if err1 != nil || err2 != nil {
		http.Error(w, "start and end: want whole numbers of bytes", http.StatusBadRequest)
		return
	}
	logs, ok := findLogs(d.cfg.LogDir, id)
	if !ok {
		http.Error(w, "no logs of "+id.String()+" here", http.StatusNotFound)
		return
	}
	if _, err := os.Lstat(filepath.Join(logs.dir, debugLog)); err != nil {
		if q.Get("filter") == debugLog {
			http.Error(w, id.String()+" has no such log", http.StatusNotFound)
			return
		}
		filters = slices.DeleteFunc(slices.Clone(filters), func(f string) bool { return f == debugLog })
	}
	if q.Get("plaintext") == "true" {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set(webguard.LogStartHeader, "0") // of a missing file
		for _, f := range filters {
			_ = logs.copy(w, f, start, end)
		}
		return
	}
	logPage(w, id.String(), &logs, filters, start, end)
}

func offset(s string, def int64) (int64, error) {
	if s == "" {
		return def, nil
	}
	return strconv.ParseInt(s, 10, 64)
}

func logPage(w http.ResponseWriter, attempt string, logs *logPart, filters []string, start, end int64) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	// The style sheet is available only if webui's pages are mounted.
	fmt.Fprintf(w, "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>%s</title>\n<link "+
		"rel=\"stylesheet\" href=\"/static/style.css\">\n<main>\n<h1>%s</h1>\n", attempt, attempt)
	for _, f := range filters {
		fmt.Fprintf(w, "<h2>%s</h2>\n<pre>\n", f)
		_ = logs.copy(escaper{w}, f, start, end)
		fmt.Fprint(w, "</pre>\n")
	}
	if info, err := os.Lstat(filepath.Join(logs.dir, profileLog)); err == nil {
		fmt.Fprintf(w, "<p><a href=\"/tasklog?attemptid=%s&amp;filter=profile\">%s</a> (%d bytes, for go tool pprof)</p>\n",
			attempt, profileLog, info.Size())
	}
}

// serveProfile serves the attempt's profile as a download.
func (d *Daemon) serveProfile(w http.ResponseWriter, r *http.Request, id job.AttemptID) {
	f, err := owned.Open(attemptLogs(d.cfg.LogDir, id.Job.String(), id.String()), profileLog)
	if err != nil {
		http.Error(w, "no profile of "+id.String()+" here", http.StatusNotFound)
		return
	}
	defer f.Close()
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", "attachment; filename="+id.String()+"."+profileLog)
	http.ServeContent(w, r, "", time.Time{}, f)
}

// escaper escapes text for HTML. It escapes bytes one by one, so the text may be split into writes
// at any position.
type escaper struct{ w io.Writer }

func (e escaper) Write(b []byte) (int, error) {
	if _, err := io.WriteString(e.w, html.EscapeString(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// copy writes the bytes of a log that start and end select (see logRange), and the position of the
// first as a header if w is a response. If the file is missing
// or is not the task's own, it writes nothing and returns an error.
func (p *logPart) copy(w io.Writer, name string, start, end int64) error {
	f, err := owned.Open(p.dir, name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	base, size := p.section(name, info.Size())
	from, n := logRange(size, start, end)
	if r, ok := w.(http.ResponseWriter); ok {
		r.Header().Set(webguard.LogStartHeader, strconv.FormatInt(from, 10))
	}
	_, err = io.Copy(w, io.NewSectionReader(f, base+from, n))
	return err
}

// logRange converts Hadoop's start and end to an offset and a length within size bytes. The length
// is at most maxLog.
func logRange(size, start, end int64) (from, n int64) {
	if start < 0 {
		start += size
	}
	if end < 0 {
		end += size
	}
	start = max(start, 0)
	end = min(end, size-1)
	if end < start {
		return 0, 0
	}
	return start, min(end-start+1, maxLog)
}
