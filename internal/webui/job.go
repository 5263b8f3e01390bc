package webui

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
)

// attemptsPerPage is the maximum number of attempts on a page, and timelineAttempts the maximum in
// the timeline.
const (
	attemptsPerPage  = 100
	timelineAttempts = 600
)

// jobData is the data for a job's page.
type jobData struct {
	*status.Job
	Groups   []counterGroup
	Tallies  []tally
	Shown    []*status.Attempt
	Matching int // number of attempts that match the filter
	Filter   filter
	Page     int
	Pages    int
	Lanes    *timeline
}

// counterGroup is a group of counters with its display name.
type counterGroup struct {
	Name     string
	Counters []counter
}

// counter is a counter's value with its display name.
type counter struct {
	Display string
	Value   int64
}

// tally contains the number of attempts in each state, for one type of attempt.
type tally struct {
	Type                                string
	Tasks, Done                         int32
	Progress                            float32
	Running, Succeeded, Failed, KilledN int
}

// filter selects attempts by type ("map", "reduce"), state ("failed") and task ID. Empty fields
// select all attempts.
type filter struct{ Type, State, Task string }

// Link returns the address of the same page with one field of the filter changed.
func (f filter) Link(part, value string) string {
	switch part {
	case "type":
		f.Type = value
	case "state":
		f.State = value
	case "task":
		f.Task = value
	}
	q := url.Values{}
	for k, v := range map[string]string{"type": f.Type, "state": f.State, "task": f.Task} {
		if v != "" {
			q.Set(k, v)
		}
	}
	if part == "page" {
		q.Set("page", value)
	}
	return "?" + q.Encode() + "#attempts"
}

// PageLink returns the address of page n+step of the same list.
func (f filter) PageLink(n, step int) string { return f.Link("page", strconv.Itoa(n+step)) }

func (f filter) match(a *status.Attempt) bool {
	return (f.Type == "" || strings.EqualFold(a.ID.Type.String(), f.Type)) &&
		(f.State == "" || strings.EqualFold(a.State.String(), f.State)) &&
		(f.Task == "" || strings.HasPrefix(a.ID.String(), "attempt"+strings.TrimPrefix(f.Task, "task")+"_"))
}

func jobPage(ctx context.Context, jobs source, r *http.Request) (*jobData, error) {
	id, err := job.ParseID(r.PathValue("id"))
	if err != nil {
		return nil, failure.New(failure.NotFound, "find job", r.PathValue("id"), err)
	}
	// A single call for attempts and counters would also return the counters of every attempt.
	j, err := jobs.Status(ctx, id, status.Query{Attempts: true})
	if err != nil {
		return nil, err
	}
	c, err := jobs.Status(ctx, id, status.Query{Counters: true})
	if err != nil {
		return nil, err
	}
	d := &jobData{Job: j, Groups: groups(c.Counters),
		Filter: filter{r.FormValue("type"), r.FormValue("state"), r.FormValue("task")}}
	d.Tallies = tallies(j)
	var matching []*status.Attempt
	for _, a := range j.Attempts {
		if d.Filter.match(a) {
			matching = append(matching, a)
		}
	}
	slices.SortStableFunc(matching, byInterest)
	d.Matching = len(matching)
	d.Pages = max(1, (len(matching)+attemptsPerPage-1)/attemptsPerPage)
	d.Page = min(parsePage(r.FormValue("page")), d.Pages)
	from := (d.Page - 1) * attemptsPerPage
	d.Shown = matching[from:min(len(matching), from+attemptsPerPage)]
	d.Lanes = newTimeline(j, time.Now().UnixMilli())
	return d, nil
}

// byInterest orders attempts by state, with failed attempts first, then running, then assigned, and
// then all others. Within each of these groups, it orders attempts by ID.
func byInterest(a, b *status.Attempt) int {
	rank := func(s job.AttemptState) int {
		switch s {
		case job.AttemptFailed:
			return 0
		case job.AttemptRunning:
			return 1
		case job.AttemptAssigned:
			return 2
		}
		return 3
	}
	return cmp.Or(cmp.Compare(rank(a.State), rank(b.State)), a.ID.Compare(b.ID))
}

// groups returns the nonzero built-in counters and all user-defined counters, by group.
func groups(c *job.Counters) []counterGroup {
	if c == nil {
		return nil
	}
	var out []counterGroup
	add := func(group, display string, value int64) {
		name := strings.TrimSpace(group)
		i := slices.IndexFunc(out, func(g counterGroup) bool { return g.Name == name })
		if i < 0 {
			i = len(out)
			out = append(out, counterGroup{Name: name})
		}
		out[i].Counters = append(out[i].Counters, counter{display, value})
	}
	for i, v := range c.Builtin {
		if info := job.CounterID(i).Info(); v != 0 {
			add(info.GroupDisplay, info.Display, v)
		}
	}
	for _, u := range c.User {
		add(u.Group, u.Name, u.Value)
	}
	return out
}

func tallies(j *status.Job) []tally {
	out := []tally{{Type: "map", Tasks: j.Maps.Total, Done: j.Maps.Done, Progress: j.Maps.Progress},
		{Type: "reduce", Tasks: j.Reduces.Total, Done: j.Reduces.Done, Progress: j.Reduces.Progress}}
	for _, a := range j.Attempts {
		for i := range out {
			t := &out[i]
			if !strings.EqualFold(a.ID.Type.String(), t.Type) {
				continue
			}
			switch a.State {
			case job.AttemptSucceeded:
				t.Succeeded++
			case job.AttemptFailed:
				t.Failed++
			case job.AttemptKilled:
				t.KilledN++
			default:
				t.Running++
			}
		}
	}
	return out
}
