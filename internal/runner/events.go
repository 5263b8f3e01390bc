package runner

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/howdah/howdah/client"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
)

// events fetches the events about a job's ended attempts, and shows those that the user selected.
type events struct {
	client *client.Client
	id     job.ID
	wanted map[job.AttemptState]bool
	next   int32 // number of the first unseen event
}

func newEvents(c *client.Client, cfg *conf.Config) (*events, error) {
	wanted, err := wantedAttempts(cfg)
	return &events{client: c, wanted: wanted}, err
}

// wantedAttempts returns the states of the attempts to show, as configured.
func wantedAttempts(cfg *conf.Config) (map[job.AttemptState]bool, error) {
	switch strings.ToUpper(strings.TrimSpace(conf.ClientOutputFilter.Get(cfg))) {
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
	return nil, cfg.Refuse(conf.ClientOutputFilter.Name, errors.New("want NONE, KILLED, FAILED, SUCCEEDED or ALL"))
}

// eventsAtOnce is the maximum number of events in one reply.
const eventsAtOnce = 1000

// show fetches new events and passes the selected ones to w. It ignores errors, because the job
// does not depend on events.
func (e *events) show(ctx context.Context, w Watcher) {
	if len(e.wanted) == 0 {
		return
	}
	list, err := e.client.Events(ctx, e.id, e.next, eventsAtOnce)
	if err != nil {
		return
	}
	var details map[job.AttemptID]*status.Attempt
	for _, x := range list {
		e.next = max(e.next, x.Number+1)
		state, ok := x.State.Attempt()
		if !ok || !e.wanted[state] {
			continue
		}
		if details == nil {
			details = e.details(ctx)
		}
		shown := AttemptEvent{Attempt: x.Attempt, State: state}
		if d := details[x.Attempt]; d != nil {
			shown.Text = d.Diagnostics
			if state == job.AttemptFailed {
				shown.Log = logTail(ctx, e.client, d)
			}
		}
		w.Attempt(shown)
	}
}

func (e *events) details(ctx context.Context) map[job.AttemptID]*status.Attempt {
	m := map[job.AttemptID]*status.Attempt{}
	list, err := e.client.Attempts(ctx, e.id)
	if err != nil {
		return m
	}
	for _, a := range list {
		m[a.ID] = a
	}
	return m
}

const (
	tailBytes   = 4 << 10
	tailTimeout = 3 * time.Second
)

// logTail returns the end of an attempt's standard error. It returns "" if the log is unavailable.
func logTail(ctx context.Context, c *client.Client, a *status.Attempt) string {
	ctx, cancel := context.WithTimeout(ctx, tailTimeout)
	defer cancel()
	log, err := c.OpenLog(ctx, a, "stderr", -tailBytes)
	if log == nil || err != nil {
		return ""
	}
	defer log.Close()
	b, err := io.ReadAll(io.LimitReader(log, 2*tailBytes))
	if err != nil {
		return ""
	}
	return string(b)
}
