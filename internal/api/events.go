package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/feed"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
)

const (
	maxStreams     = 64 // clients that follow events
	callerStreams  = 8  // of one user, or of all administrators
	eventPace      = 200 * time.Millisecond
	eventHeartbeat = 15 * time.Second
	// streamLife is the maximum duration of a stream, because a token may expire or be revoked.
	streamLife = 10 * time.Minute
)

// streams counts the clients that follow events.
type streams struct {
	mu    sync.Mutex
	all   int
	users map[auth.Principal]int
}

// enter returns a function that the caller calls at the end of the stream.
func (s *streams) enter(p auth.Principal) (leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all >= maxStreams || s.users[p] >= callerStreams {
		return nil, failure.New(failure.Limit, "follow", "events", errors.New("too many clients follow events")).
			Fix("close other streams")
	}
	if s.users == nil {
		s.users = map[auth.Principal]int{}
	}
	s.all++
	s.users[p]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.all--
		if s.users[p]--; s.users[p] == 0 {
			delete(s.users, p)
		}
	}, nil
}

// jobEvent is the data of an event. The event's name is "job", or "attempt" if Attempt is set.
type jobEvent struct {
	TimeMs  int64  `json:"time_ms" doc:"time of the event"`
	Job     string `json:"job" doc:"job"`
	Attempt string `json:"attempt,omitempty" doc:"attempt that ended; absent if the state of the job changed"`
	State   string `json:"state" doc:"new state"`
}

// follow sends events until the client leaves. If the client has missed events that are no longer
// known, the first event is named "gap".
func (s *Server) follow(w http.ResponseWriter, c *call) {
	leave, err := s.streams.enter(auth.From(c.Context()))
	if err != nil {
		fail(w, 0, err)
		return
	}
	defer leave()
	only := job.ID{}
	if text := c.param("job"); text != "" {
		if only, err = job.ParseID(text); err != nil {
			fail(w, 0, usage("job", "%w", err))
			return
		}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	at, lost := s.resume(c.Header.Get("Last-Event-ID"))
	if _, err := fmt.Fprint(w, "retry: 1000\n\n"); err != nil {
		return
	}
	end, heartbeat := time.NewTimer(streamLife), time.NewTicker(eventHeartbeat)
	defer end.Stop()
	defer heartbeat.Stop()
	for {
		events, gap, more := s.Events.After(at)
		if lost || gap {
			fmt.Fprint(w, "event: gap\ndata: {}\n\n")
			lost = false
		}
		if n := len(events); n > 0 {
			at = events[n-1].Number
		} else if gap {
			at = s.Events.Last()
		}
		s.send(w, c, events, only)
		if http.NewResponseController(w).Flush() != nil {
			return
		}
		select {
		case <-more:
			if s.pace > 0 {
				time.Sleep(s.pace) // for a batch of events
			}
		case <-heartbeat.C:
			fmt.Fprint(w, ": still here\n\n")
		case <-end.C:
			return
		case <-c.Context().Done():
			return
		}
	}
}

// resume returns the number of the last event that a client has received. If the client names none,
// it returns that of the latest event. lost reports whether the client has missed unknown events.
func (s *Server) resume(id string) (after uint64, lost bool) {
	epoch, number, _ := strings.Cut(id, "-")
	n, err := strconv.ParseUint(number, 10, 64)
	switch {
	case id == "":
		return s.Events.Last(), false
	case err != nil || epoch != strconv.FormatInt(s.Epoch, 10):
		return s.Events.Last(), true
	}
	return n, false
}

// send writes the events that the caller may see. Everybody may see the states of jobs, as in lists.
func (s *Server) send(w http.ResponseWriter, c *call, events []feed.Event, only job.ID) {
	visible := map[job.ID]bool{}
	for _, e := range events {
		if only != (job.ID{}) && e.Job != only {
			continue
		}
		x, name := jobEvent{TimeMs: e.TimeMs, Job: e.Job.String(), State: e.State}, "job"
		if e.Attempt != nil {
			if _, known := visible[e.Job]; !known {
				_, err := s.Jobs.Status(c.Context(), e.Job, status.Query{})
				visible[e.Job] = err == nil
			}
			if !visible[e.Job] {
				continue
			}
			x.Attempt, name = e.Attempt.String(), "attempt"
		}
		data, _ := json.Marshal(x) // cannot fail
		fmt.Fprintf(w, "id: %d-%d\nevent: %s\ndata: %s\n\n", s.Epoch, e.Number, name, data)
	}
}
