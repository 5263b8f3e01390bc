package webui

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
)

// Logs reads the logs of attempts. It must be safe for concurrent use.
type Logs interface {
	// OpenLog opens the part of a log from byte start up to and including byte end, for the sender
	// of a request and with the sender's rights. Negative numbers count from the end of the log.
	// from is the number of the first byte, or -1 if it is unknown. The caller must close the log.
	OpenLog(r *http.Request, a *status.Attempt, name string, start, end int64) (log io.ReadCloser, from int64, err error)
}

const (
	logShown    = 64 << 10 // maximum number of bytes of a log on a page
	logSearched = 8 << 20  // number of bytes at the end of a log in which a page searches
	logSent     = 1 << 20  // maximum number of bytes of a log in one answer to the script
	logChoices  = 200      // maximum number of attempts to choose from
)

// logNames are the logs of an attempt.
var logNames = []string{"stderr", "stdout", "syslog", "debugout"}

// logData is the data for the page with the logs of a job's attempts.
type logData struct {
	*status.Job
	Attempts []*status.Attempt // to choose from, those of most interest first
	Attempt  *status.Attempt   // nil if the job has no attempts
	Names    []string
	Name     string // of the log
	Text     string
	From     int64  // position of Text in the log; -1 means unknown
	Next     int64  // position of the first byte after Text; -1 means unknown
	Search   string // "" means that Text is a part of the log, and not lines
	Lines    int    // number of lines that match
	Problem  string // why the page shows no log
}

// Link returns the address of a log of the attempt, below the job's address.
func (d *logData) Link(page, name string) string {
	return page + "?" + url.Values{"attempt": {d.Attempt.ID.String()}, "log": {name}}.Encode()
}

// Earlier returns the address of the part before Text, or "" if there is none.
func (d *logData) Earlier() string {
	if d.From <= 0 || d.Search != "" {
		return ""
	}
	return d.Link("logs", d.Name) + "&start=" + strconv.FormatInt(max(d.From-logShown, 0), 10)
}

// logsPage returns the page that shows the log in a request, by default that of the attempt of most
// interest.
func logsPage(logs Logs, j *status.Job, r *http.Request) (*logData, error) {
	d := &logData{Job: j, Names: logNames, From: -1, Next: -1, Search: r.FormValue("q")}
	all := slices.SortedStableFunc(slices.Values(j.Attempts), byInterest)
	d.Attempts = all[:min(len(all), logChoices)]
	var err error
	if d.Attempt, d.Name, err = pickLog(all, r); err != nil || d.Attempt == nil {
		return d, err
	}
	if !slices.Contains(d.Attempts, d.Attempt) {
		d.Attempts = append(d.Attempts, d.Attempt)
	}
	start, end := int64(-logShown), int64(-1)
	if d.Search != "" {
		start = -logSearched
	} else if n, err := strconv.ParseInt(r.FormValue("start"), 10, 64); err == nil && n >= 0 {
		start, end = n, n+logShown-1
	}
	log, from, err := logs.OpenLog(r, d.Attempt, d.Name, start, end)
	if err != nil {
		d.Problem = err.Error()
		return d, nil
	}
	defer log.Close()
	d.From = from
	if d.Search != "" {
		d.Text, d.Lines, err = grep(log, d.Search)
	} else {
		var b []byte
		b, err = io.ReadAll(io.LimitReader(log, logShown))
		d.Text = strings.ToValidUTF8(string(b), "\uFFFD")
		if from >= 0 {
			d.Next = from + int64(len(b))
		}
	}
	if err != nil {
		d.Problem = err.Error()
	}
	return d, nil
}

// pickLog returns the attempt and the log that a request names. The attempt is the first by default,
// and nil if there is none.
func pickLog(all []*status.Attempt, r *http.Request) (a *status.Attempt, name string, err error) {
	name = cmp.Or(r.FormValue("log"), logNames[0])
	if !slices.Contains(logNames, name) {
		return nil, "", failure.New(failure.NotFound, "find log", name, nil)
	}
	text := r.FormValue("attempt")
	if text == "" {
		if len(all) > 0 {
			a = all[0]
		}
		return a, name, nil
	}
	id, err := job.ParseAttemptID(text)
	if i := slices.IndexFunc(all, func(a *status.Attempt) bool { return a.ID == id }); err == nil && i >= 0 {
		return all[i], name, nil
	}
	return nil, "", failure.New(failure.NotFound, "find attempt", text, err)
}

// grep returns the last lines that contain text, in any case, and the number of all these lines.
func grep(r io.Reader, text string) (found string, n int, err error) {
	var lines []string
	size := 0
	text = strings.ToLower(text)
	s := bufio.NewScanner(r)
	s.Buffer(nil, logSearched+1) // a line can be the whole part
	for s.Scan() {
		if !strings.Contains(strings.ToLower(s.Text()), text) {
			continue
		}
		n++
		line := s.Text()[:min(len(s.Bytes()), logShown)] + "\n"
		lines, size = append(lines, line), size+len(line)
		for size > logShown {
			size -= len(lines[0])
			lines = lines[1:]
		}
	}
	return strings.Join(lines, ""), n, s.Err()
}

// serveLog sends a part of a log as text: all of it for ?download, and otherwise the part from
// ?start.
func serveLog(w http.ResponseWriter, r *http.Request, jobs source, logs Logs) error {
	id, err := job.ParseID(r.PathValue("id"))
	if err != nil {
		return failure.New(failure.NotFound, "find job", r.PathValue("id"), err)
	}
	q := status.Query{Attempts: true}
	if a, err := job.ParseAttemptID(r.FormValue("attempt")); err == nil { // as in the requests that follow a log
		q.Only = &a
	}
	j, err := jobs.Status(r.Context(), id, q)
	if err != nil {
		return err
	}
	a, name, err := pickLog(j.Attempts, r)
	if err == nil && a == nil {
		err = failure.New(failure.NotFound, "find attempt", "", errors.New("the job has none"))
	}
	if err != nil {
		return err
	}
	start, end := int64(0), int64(-1)
	download := r.FormValue("download") != ""
	if !download {
		if start, err = strconv.ParseInt(r.FormValue("start"), 10, 64); err != nil || start < 0 || start > 1<<60 {
			return failure.New(failure.Usage, "read parameter", "start", err)
		}
		end = start + logSent - 1
	}
	log, _, err := logs.OpenLog(r, a, name, start, end)
	if err != nil {
		return err
	}
	defer log.Close()
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if download {
		w.Header().Set("Content-Disposition", "attachment; filename="+a.ID.String()+"."+name)
	}
	_, err = io.Copy(w, log)
	if err != nil {
		panic(http.ErrAbortHandler) // so that the browser does not take the part for the whole
	}
	return nil
}
