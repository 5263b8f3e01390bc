package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
)

// Logs lists the names of an attempt's text files. A profiled attempt also has "profile".
var Logs = []string{"stdout", "stderr", "syslog", "debugout"}

// Log is an open file of an attempt. The caller must close it.
type Log struct {
	io.ReadCloser
	Size int64  // in bytes; -1 means unknown
	URL  string // address of the file, with the query
}

// OpenLog opens a file of an attempt, which the TaskTracker's web server serves. The Log begins at
// byte start of the file. A negative start counts from the end of the file. OpenLog returns nil
// without an error if the attempt does not have the file. It returns an error of kind NotFound if
// a.LogURL is empty, of kind Unreachable if the TaskTracker does not respond, and of kind Permission if
// the TaskTracker does not let this user read the file.
func (c *Client) OpenLog(ctx context.Context, a *status.Attempt, name string, start int64) (*Log, error) {
	const op = "read logs of"
	if a.LogURL == "" {
		return nil, failure.New(failure.NotFound, op, a.ID.String(), errors.New("its TaskTracker is gone"))
	}
	u, err := url.Parse(a.LogURL)
	if err != nil {
		return nil, failure.New(failure.Corrupt, op, a.ID.String(), err)
	}
	q := u.Query()
	q.Set("filter", name)
	q.Set("plaintext", "true")
	if start != 0 {
		q.Set("start", strconv.FormatInt(start, 10))
	}
	u.RawQuery = q.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, failure.New(failure.Corrupt, op, a.ID.String(), err)
	}
	if err := c.authorize(req); err != nil {
		return nil, err
	}
	if err := rpc.Join(ctx, c.conn, c.tls); err != nil {
		return nil, err
	}
	r, err := c.tls.HTTP(certs.Tracker(a.Tracker)).Do(req)
	if err != nil {
		return nil, failure.New(failure.Unreachable, op, a.ID.String(),
			err).Fix("the TaskTracker that ran it must be running")
	}
	if r.StatusCode == http.StatusOK {
		return &Log{ReadCloser: r.Body, Size: r.ContentLength, URL: r.Request.URL.String()}, nil
	}
	defer r.Body.Close()
	if r.StatusCode == http.StatusNotFound {
		return nil, nil
	}
	if err := auth.Refusal(op, a.ID.String(), r); err != nil {
		return nil, err
	}
	return nil, failure.New(failure.IO, op, a.ID.String(), errors.New(r.Status))
}
