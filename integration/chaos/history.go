package chaos

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
)

// Op is the kind of an [Event].
type Op string

// The kinds of events.
const (
	Submit Op = "submit" // Key is both the submission's key and the job's name; ID is in the answer
	Status Op = "status" // Jobs contains the job if the answer does
	Kill   Op = "kill"
	List   Op = "list"   // Jobs contains all jobs
	Output Op = "output" // the client examined the job's output; Files contains what it found
)

// Answer is the outcome of a call.
type Answer string

// The answers.
const (
	Told     Answer = "told"    // the call succeeded
	Unknown  Answer = "unknown" // no answer arrived, so the call may have had an effect
	Refused  Answer = "refused" // the JobTracker returned an error
	NotFound Answer = "no such job"
)

// Event is one call by a client. Begin and End are relative to the start of the run, on a clock
// that never jumps.
type Event struct {
	Client     string
	Op         Op
	Begin, End time.Duration
	Key        string
	ID         job.ID // zero: none
	Answer     Answer
	Why        string        // error text
	Jobs       []*status.Job // the jobs in the answer to a Status or List
	Files      Files
}

// Files is what a client found in a job's output directory.
type Files struct {
	Success   bool   // _SUCCESS exists
	Parts     int    // number of part files
	Temporary bool   // _temporary exists
	Kept      bool   // the client keeps this output; it removes outputs that only its next job needs
	Wrong     string // how the part files differ from the reference; "" means that they do not
}

// Cut is a loss of facts from the end of the journal while the JobTracker was down. After it, the
// JobTracker need not remember these facts about the jobs in Jobs.
type Cut struct {
	Down, Up time.Duration
	Jobs     []job.ID
}

// History records all clients' calls. Its methods are safe for concurrent use.
type History struct {
	start time.Time

	mu     sync.Mutex
	events []*Event
	cuts   []Cut
}

// NewHistory returns an empty history that starts now.
func NewHistory() *History { return &History{start: time.Now()} }

// Now returns the time since the start of the run.
func (h *History) Now() time.Duration { return time.Since(h.start) }

// Add records a call that has ended.
func (h *History) Add(e *Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events, e)
}

// AddCut records that the journal was cut.
func (h *History) AddCut(c Cut) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.cuts = append(h.cuts, c)
}

// Lost returns the jobs about which cuts have lost facts.
func (h *History) Lost() (jobs []job.ID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.cuts {
		for _, id := range c.Jobs {
			if !slices.Contains(jobs, id) {
				jobs = append(jobs, id)
			}
		}
	}
	return jobs
}

// Of returns a text with one line for each event that concerns the job or the key, and for each cut
// that concerns the job.
func (h *History) Of(id job.ID, key string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var b strings.Builder
	for _, e := range h.events {
		if id != (job.ID{}) && e.ID == id || key != "" && e.Key == key {
			fmt.Fprintln(&b, e)
		}
		if e.Op != List {
			continue
		}
		for _, j := range e.Jobs {
			if j.ID == id || key != "" && j.Name == key {
				fmt.Fprintf(&b, "%s: %s\n", e, show(j))
			}
		}
	}
	for _, c := range h.cuts {
		if lost([]Cut{c}, id) {
			fmt.Fprintf(&b, "%v-%v the journal lost facts of %v\n", c.Down, c.Up, id)
		}
	}
	return b.String()
}

// String returns a description of the event in one line.
func (e *Event) String() string {
	s := fmt.Sprintf("%v-%v %s %s", e.Begin.Round(time.Millisecond), e.End.Round(time.Millisecond), e.Client, e.Op)
	if e.Key != "" {
		s += " " + e.Key
	}
	if e.ID != (job.ID{}) {
		s += " " + e.ID.String()
	}
	if s += ": " + string(e.Answer); e.Why != "" {
		s += " (" + e.Why + ")"
	}
	switch {
	case e.Op == Status && len(e.Jobs) == 1:
		s += " " + show(e.Jobs[0])
	case e.Op == Output:
		s += fmt.Sprintf(" %+v", e.Files)
	}
	return s
}

func show(j *status.Job) string {
	return fmt.Sprintf("%v %s %v, maps %d/%d %.3f, reduces %d/%d %.3f, version %d", j.ID, j.Name, j.State, j.Maps.Done,
		j.Maps.Total, j.Maps.Progress, j.Reduces.Done, j.Reduces.Total, j.Reduces.Progress, j.Version)
}
