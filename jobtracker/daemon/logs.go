package daemon

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/internal/webguard"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
)

const (
	logAnswer  = 20 * time.Second // maximum time until a TaskTracker answers a request for a log
	logRequest = 10 * time.Minute // maximum time of a request for a log
	logsAtOnce = 16               // maximum number of requests for logs at the same time
)

// OpenLog implements webui.Logs. It asks the TaskTracker with the rights of the sender of r, so that
// the TaskTracker decides who may read the log. It asks no address that only a node has reported,
// because a node could name another server.
func (d *Daemon) OpenLog(r *http.Request, a *status.Attempt, name string, start, end int64) (io.ReadCloser, int64,
	error) {
	const op = "read logs of"
	if a.LogURL == "" {
		return nil, 0, failure.New(failure.NotFound, op, a.ID.String(), errors.New("its TaskTracker is gone"))
	}
	to, err := a.LogAddress(name, start, end)
	if err != nil {
		return nil, 0, failure.New(failure.Corrupt, op, a.ID.String(), err)
	}
	if !d.vouched.has(to.Host) {
		return nil, 0, failure.New(failure.Permission, op, a.ID.String(),
			errors.New("only a node has reported the address of its TaskTracker")).
			Fix("open the logs at the TaskTracker, from the page of the attempt")
	}
	select {
	case d.logSlots <- struct{}{}:
	default:
		return nil, 0, failure.New(failure.Limit, op, a.ID.String(), errors.New("too many logs are being read")).
			Fix("try again later")
	}
	ctx, cancel := context.WithTimeout(r.Context(), logRequest)
	leave := func() { cancel(); <-d.logSlots }
	request, err := webguard.Relay(ctx, r, to)
	if err != nil {
		leave()
		return nil, 0, failure.New(failure.Corrupt, op, a.ID.String(), err)
	}
	client := *d.cfg.RPC.TLS.HTTP(certs.Tracker(a.Tracker))
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	late := time.AfterFunc(logAnswer, cancel)
	answer, err := client.Do(request)
	if err != nil {
		leave()
		return nil, 0, failure.New(failure.Unreachable, op, a.ID.String(), err).
			Fix("check that the TaskTracker " + a.Tracker + " is running")
	}
	late.Stop()
	if answer.StatusCode == http.StatusOK {
		from, err := strconv.ParseInt(answer.Header.Get(webguard.LogStartHeader), 10, 64)
		if err != nil {
			from = -1 // the TaskTracker is of an earlier version, or the attempt has not written the log
		}
		return &openLog{answer.Body, leave}, from, nil
	}
	defer leave()
	defer answer.Body.Close()
	if err := auth.Refusal(op, a.ID.String(), answer); err != nil {
		return nil, 0, err
	}
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 4<<10))
	kind := failure.IO
	if answer.StatusCode == http.StatusNotFound {
		kind = failure.NotFound
	}
	return nil, 0, failure.New(kind, op, a.ID.String(), errors.New(strings.TrimSpace(string(text))))
}

// openLog is a log that ends its request when it is closed.
type openLog struct {
	io.ReadCloser
	end func()
}

func (l *openLog) Close() error {
	defer l.end()
	return l.ReadCloser.Close()
}
