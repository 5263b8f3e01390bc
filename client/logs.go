package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"

	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
)

// Logs lists the names of an attempt's text files. A profiled attempt also has "profile".
var Logs = []string{"stdout", "stderr", "syslog", "debugout"}

// Log is an open file of an attempt. The caller must close it.
type Log struct {
	io.ReadCloser
	Size int64  // in bytes; -1 means unknown
	URL  string // address of the file, including the query
}

// OpenLog opens a file of an attempt through the TaskTracker's web server. The Log begins at byte
// start of the file. A negative start counts from the end of the file. If the attempt does not have
// the file, OpenLog returns nil without an error. The error is of kind NotFound if a.LogURL is
// empty, of kind Unreachable if the TaskTracker does not respond, and of kind Permission if the
// TaskTracker does not let this user read the file.
func (c *Client) OpenLog(ctx context.Context, a *status.Attempt, name string, start int64) (*Log, error) {
	const op = "read logs of"
	if a.LogURL == "" {
		return nil, failure.New(failure.NotFound, op, a.ID.String(), errors.New("its TaskTracker is gone"))
	}
	u, err := a.LogAddress(name, start, -1)
	if err != nil {
		return nil, failure.New(failure.Corrupt, op, a.ID.String(), err)
	}
	r, err := c.get(ctx, op, a.ID.String(), u, certs.Tracker(a.Tracker), "the TaskTracker that ran it must be running")
	if err != nil {
		return nil, err
	}
	if r.StatusCode == http.StatusOK {
		return &Log{ReadCloser: r.Body, Size: r.ContentLength, URL: r.Request.URL.String()}, nil
	}
	defer r.Body.Close()
	if r.StatusCode == http.StatusNotFound {
		return nil, nil
	}
	return nil, rejection(op, a.ID.String(), r)
}

// Journal returns the facts about one job in the form of a journal. It gets them from the
// JobTracker's web server (GET /journal?job=ID). The facts about an unfinished job are incomplete.
// The error is of kind NotFound if the JobTracker does not have the job, and of kind Unreachable if
// its web server does not respond.
func (c *Client) Journal(ctx context.Context, id job.ID) ([]byte, error) {
	const op, remedy = "read the history of", "run this where the JobTracker's web page can be reached, or try again"
	j, err := c.Status(ctx, id, status.Query{})
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(j.TrackingURL)
	if err != nil {
		return nil, failure.New(failure.Corrupt, op, id.String(), err)
	}
	u.Path, u.RawQuery = "/journal", "job="+id.String()
	r, err := c.get(ctx, op, id.String(), u, certs.JobTracker, remedy)
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		return nil, rejection(op, id.String(), r)
	}
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, failure.New(failure.Unreachable, op, id.String(), err).Fix(remedy)
	}
	return b, nil
}

// get sends a GET request to the web server of a daemon. Error messages contain op and on, which
// describe the purpose, and remedy, which says what to do if the daemon does not respond.
func (c *Client) get(ctx context.Context, op, on string, u *url.URL, daemon certs.Role, remedy string) (
	*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, failure.New(failure.Corrupt, op, on, err)
	}
	return c.web.Do(req, daemon, op, on, remedy)
}

// rejection returns the error for a response that does not contain the requested data.
func rejection(op, on string, r *http.Response) error {
	if err := auth.Refusal(op, on, r); err != nil {
		return err
	}
	return failure.New(failure.IO, op, on, errors.New(r.Status))
}
