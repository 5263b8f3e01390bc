package runner

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/howdah/howdah/client"
	"github.com/howdah/howdah/conf"
	wire "github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job"
)

// events follows the ends of a job's attempts and shows those that the user wants to see.
type events struct {
	client *client.Client
	id     job.ID
	wanted map[job.AttemptState]bool
	next   int32 // the first event that was not seen
}

// keyFilter selects the attempts that are shown.
const keyFilter = "mapreduce.client.output.filter"

func newEvents(c *client.Client, cfg *conf.Config) (*events, error) {
	wanted, err := wantedAttempts(cfg)
	return &events{client: c, wanted: wanted}, err
}

// wantedAttempts reads which ends of attempts are shown.
func wantedAttempts(cfg *conf.Config) (map[job.AttemptState]bool, error) {
	switch strings.ToUpper(strings.TrimSpace(cfg.Get(keyFilter))) {
	case "NONE":
		return nil, nil
	case "", "FAILED":
		return map[job.AttemptState]bool{job.AttemptFailed: true}, nil
	case "KILLED":
		return map[job.AttemptState]bool{job.AttemptKilled: true}, nil
	case "SUCCEEDED":
		return map[job.AttemptState]bool{job.AttemptSucceeded: true}, nil
	case "ALL":
		return map[job.AttemptState]bool{job.AttemptFailed: true, job.AttemptKilled: true, job.AttemptSucceeded: true}, nil
	}
	return nil, cfg.Refuse(keyFilter, errors.New("want NONE, KILLED, FAILED, SUCCEEDED or ALL"))
}

// eventsAtOnce bounds one answer.
const eventsAtOnce = 1000

// show asks for new events. What cannot be had is left out: the job itself does not depend on it.
func (e *events) show(ctx context.Context, w Watcher) {
	if len(e.wanted) == 0 {
		return
	}
	reply, err := e.client.Jobs().Events(ctx, &wire.EventsRequest{Id: e.id.String(), From: e.next, Max: eventsAtOnce})
	if err != nil {
		return
	}
	var details map[string]*wire.AttemptStatus
	for _, x := range reply.Event {
		e.next = max(e.next, x.Number+1)
		state, ok := eventState(x.State)
		id, err := job.ParseAttemptID(x.Attempt)
		if !ok || err != nil || !e.wanted[state] {
			continue
		}
		if details == nil {
			details = e.details(ctx)
		}
		shown := AttemptEvent{Attempt: id, State: state}
		if d := details[x.Attempt]; d != nil {
			shown.Text = d.Diagnostics
			if state == job.AttemptFailed {
				shown.Log = logTail(ctx, d.LogUrl)
			}
		}
		w.Attempt(shown)
	}
}

// eventState reads a completion event's state; a map whose output was lost later had succeeded.
func eventState(s string) (job.AttemptState, bool) {
	switch s {
	case "FAILED", "TIPFAILED":
		return job.AttemptFailed, true
	case "KILLED":
		return job.AttemptKilled, true
	case "SUCCEEDED", "OBSOLETE":
		return job.AttemptSucceeded, true
	}
	return 0, false
}

func (e *events) details(ctx context.Context) map[string]*wire.AttemptStatus {
	m := map[string]*wire.AttemptStatus{}
	s, err := e.client.Jobs().Status(ctx, &wire.StatusRequest{Id: e.id.String(), Attempts: true})
	if err != nil {
		return m
	}
	for _, a := range s.Attempt {
		m[a.Id] = a
	}
	return m
}

const (
	tailBytes   = 4 << 10
	tailTimeout = 3 * time.Second
)

// logTail fetches the end of an attempt's standard error; "" if it cannot be had.
func logTail(ctx context.Context, logURL string) string {
	u, err := url.Parse(logURL)
	if err != nil || logURL == "" {
		return ""
	}
	q := u.Query()
	q.Set("filter", "stderr")
	q.Set("plaintext", "true")
	q.Set("start", strconv.Itoa(-tailBytes))
	u.RawQuery = q.Encode()
	ctx, cancel := context.WithTimeout(ctx, tailTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return ""
	}
	r, err := http.DefaultClient.Do(req)
	if err != nil {
		return ""
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		return ""
	}
	b, err := io.ReadAll(io.LimitReader(r.Body, 2*tailBytes))
	if err != nil {
		return ""
	}
	return string(b)
}
