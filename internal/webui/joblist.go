package webui

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/howdah/howdah/internal/joblist"
	"github.com/howdah/howdah/job/status"
)

// jobsPerPage is the maximum number of jobs on a page with all or all ended jobs.
const jobsPerPage = 100

// jobQuery is a query with the links that change it.
type jobQuery struct{ joblist.Query }

// link returns the address of page n of the same list.
func (q jobQuery) link(n int) string {
	v := q.Values()
	if n > 1 {
		v.Set("page", strconv.Itoa(n))
	}
	return "/jobs?" + v.Encode()
}

// SortLink returns the address of the same list sorted by a column or, if it is sorted by this
// column already, in reverse.
func (q jobQuery) SortLink(column string) string {
	if q.Sort == column {
		column = "-" + column
	}
	q.Sort = column
	return q.link(1)
}

// Arrow returns the sign behind the head of a column, or "" if the list is not sorted by it.
func (q jobQuery) Arrow(column string) string {
	switch q.Sort {
	case column:
		return " ↓"
	case "-" + column:
		return " ↑"
	}
	return ""
}

// jobsData is the data for the page with all jobs.
type jobsData struct {
	jobQuery
	Shown         []*status.Job
	Total         int // number of jobs that match
	Page, Pages   int
	Users, Queues []string // choices of the form
	States        []string
}

// PageLink returns the address of the page that is step pages from the current one.
func (d *jobsData) PageLink(step int) string { return d.link(d.Page + step) }

func jobsPage(ctx context.Context, jobs listed, r *http.Request) (*jobsData, error) {
	all, err := jobs.List(ctx, status.Filter{All: true})
	if err != nil {
		return nil, err
	}
	d := &jobsData{jobQuery: jobQuery{joblist.Parse(r.FormValue)},
		States: []string{"prep", "running", "succeeded", "failed", "killed"}}
	d.Users = distinct(all, func(j *status.Job) string { return j.User })
	d.Queues = distinct(all, func(j *status.Job) string { return j.Queue })
	found := d.Pick(all)
	d.Total = len(found)
	d.Shown, d.Page, d.Pages = joblist.Cut(found, parsePage(r.FormValue("page")), jobsPerPage)
	return d, nil
}

// maxChoices is the maximum number of entries in a list to choose from.
const maxChoices = 200

// distinct returns the different texts of jobs in order, without "". It returns at most maxChoices
// texts.
func distinct(jobs []*status.Job, text func(*status.Job) string) []string {
	all := map[string]bool{}
	for _, j := range jobs {
		all[text(j)] = true
	}
	delete(all, "")
	texts := slices.Sorted(maps.Keys(all))
	return texts[:min(len(texts), maxChoices)]
}
