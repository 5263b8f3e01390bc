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

	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// attemptsPerPage bounds a page of attempts; timelineAttempts the picture of when what ran.
const (
	attemptsPerPage  = 100
	timelineAttempts = 600
)

// jobData is what a job's page shows.
type jobData struct {
	*client.JobStatus
	Groups   []counterGroup
	Tallies  []tally
	Shown    []*client.AttemptStatus
	Matching int // attempts that match the filter
	Filter   filter
	Page     int
	Pages    int
	Lanes    *timeline
}

// counterGroup is a group of counters under its display name.
type counterGroup struct {
	Name     string
	Counters []*client.Counter
}

// tally counts the attempts of one type by how they are.
type tally struct {
	Type                                string
	Tasks, Done                         int32
	Progress                            float32
	Running, Succeeded, Failed, KilledN int
}

// filter chooses attempts: by type ("map", "reduce"), state ("failed") and task id; empty = all.
type filter struct{ Type, State, Task string }

// Link gives the address of the same page with one part of the filter changed.
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

// Page gives the address of another page of the list.
func (f filter) PageLink(n, step int) string { return f.Link("page", strconv.Itoa(n+step)) }

func (f filter) match(a *client.AttemptStatus) bool {
	return (f.Type == "" || strings.EqualFold(a.Type, f.Type)) &&
		(f.State == "" || strings.EqualFold(a.State, f.State)) &&
		(f.Task == "" || strings.HasPrefix(a.Id, "attempt"+strings.TrimPrefix(f.Task, "task")+"_"))
}

func jobPage(ctx context.Context, jobs Jobs, r *http.Request) (*jobData, error) {
	id, err := job.ParseID(r.PathValue("id"))
	if err != nil {
		return nil, failure.New(failure.NotFound, "find job", r.PathValue("id"), err)
	}
	// Two questions: one for both would bring the counters of every single attempt too.
	j, err := jobs.Status(ctx, &client.StatusRequest{Id: id.String(), Attempts: true})
	if err != nil {
		return nil, err
	}
	c, err := jobs.Status(ctx, &client.StatusRequest{Id: id.String(), Counters: true})
	if err != nil {
		return nil, err
	}
	d := &jobData{JobStatus: j, Groups: groups(c.Counter), Filter: filter{r.FormValue("type"), r.FormValue("state"), r.FormValue("task")}}
	d.Tallies = tallies(j)
	var matching []*client.AttemptStatus
	for _, a := range j.Attempt {
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

// byInterest puts what failed first, then what runs, then the rest by id.
func byInterest(a, b *client.AttemptStatus) int {
	rank := func(s string) int {
		switch s {
		case job.AttemptFailed.String():
			return 0
		case job.AttemptRunning.String():
			return 1
		case job.AttemptAssigned.String():
			return 2
		}
		return 3
	}
	return cmp.Or(cmp.Compare(rank(a.State), rank(b.State)), cmp.Compare(a.Id, b.Id))
}

func groups(counters []*client.Counter) []counterGroup {
	var out []counterGroup
	for _, c := range counters {
		name := strings.TrimSpace(c.GroupDisplay)
		i := slices.IndexFunc(out, func(g counterGroup) bool { return g.Name == name })
		if i < 0 {
			i = len(out)
			out = append(out, counterGroup{Name: name})
		}
		out[i].Counters = append(out[i].Counters, c)
	}
	return out
}

func tallies(j *client.JobStatus) []tally {
	out := []tally{{Type: "map", Tasks: j.Maps, Done: j.MapsDone, Progress: j.MapProgress}, {Type: "reduce", Tasks: j.Reduces, Done: j.ReducesDone, Progress: j.ReduceProgress}}
	for _, a := range j.Attempt {
		for i := range out {
			t := &out[i]
			if !strings.EqualFold(a.Type, t.Type) {
				continue
			}
			switch a.State {
			case job.AttemptSucceeded.String():
				t.Succeeded++
			case job.AttemptFailed.String():
				t.Failed++
			case job.AttemptKilled.String():
				t.KilledN++
			default:
				t.Running++
			}
		}
	}
	return out
}
