package webui

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/howdah/howdah/internal/joblist"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
)

// attemptsPerPage is the maximum number of attempts on a page.
const attemptsPerPage = 100

// attemptsData is the data for the page with a job's attempts.
type attemptsData struct {
	*status.Job
	Filter      filter
	Shown       []*status.Attempt
	Matching    int // number of attempts that match the filter
	Page, Pages int
	Located     bool // a shown attempt has input with a location
}

func newAttempts(j *status.Job, r *http.Request) *attemptsData {
	d := &attemptsData{Job: j, Filter: filter{r.FormValue("type"), r.FormValue("state"), r.FormValue("task")}}
	var matching []*status.Attempt
	for _, a := range j.Attempts {
		if d.Filter.match(a) {
			matching = append(matching, a)
		}
	}
	slices.SortStableFunc(matching, byInterest)
	d.Matching = len(matching)
	d.Shown, d.Page, d.Pages = joblist.Cut(matching, parsePage(r.FormValue("page")), attemptsPerPage)
	d.Located = slices.ContainsFunc(d.Shown, func(a *status.Attempt) bool { return a.Locality.String() != "" })
	return d
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
	return "?" + q.Encode()
}

// PageLink returns the address of page n+step of the same list.
func (f filter) PageLink(n, step int) string { return f.Link("page", strconv.Itoa(n+step)) }

func (f filter) match(a *status.Attempt) bool {
	return (f.Type == "" || strings.EqualFold(a.ID.Type.String(), f.Type)) &&
		(f.State == "" || strings.EqualFold(a.State.String(), f.State)) &&
		(f.Task == "" || strings.HasPrefix(a.ID.String(), "attempt"+strings.TrimPrefix(f.Task, "task")+"_"))
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
