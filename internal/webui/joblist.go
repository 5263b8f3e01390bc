package webui

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/howdah/howdah/job/status"
)

// jobsPerPage is the maximum number of jobs on a page with all or all ended jobs.
const jobsPerPage = 100

// jobColumns are the columns by which the page with all jobs can be sorted, and the order of each
// when it is selected first: by text ascending, by time and size descending.
var jobColumns = map[string]func(a, b *status.Job) int{
	"id":       newest,
	"name":     func(a, b *status.Job) int { return cmp.Compare(a.Name, b.Name) },
	"user":     func(a, b *status.Job) int { return cmp.Compare(a.User, b.User) },
	"queue":    func(a, b *status.Job) int { return cmp.Compare(a.Queue, b.Queue) },
	"state":    func(a, b *status.Job) int { return cmp.Compare(a.State.String(), b.State.String()) },
	"maps":     func(a, b *status.Job) int { return -cmp.Compare(a.Maps.Total, b.Maps.Total) },
	"reduces":  func(a, b *status.Job) int { return -cmp.Compare(a.Reduces.Total, b.Reduces.Total) },
	"finished": func(a, b *status.Job) int { return -cmp.Compare(a.FinishMs, b.FinishMs) },
	"duration": func(a, b *status.Job) int { return -cmp.Compare(duration(a), duration(b)) },
}

// newest orders jobs by ID, with the latest submission first.
func newest(a, b *status.Job) int {
	return cmp.Or(cmp.Compare(b.ID.Cluster, a.ID.Cluster), cmp.Compare(b.ID.Seq, a.ID.Seq))
}

// duration returns the time from a job's submission to its end or, if it has not ended, to now, in
// milliseconds.
func duration(j *status.Job) int64 {
	if j.FinishMs == 0 {
		return time.Now().UnixMilli() - j.SubmitMs
	}
	return j.FinishMs - j.SubmitMs
}

// jobQuery selects and sorts jobs, as the parameters of the page's address say. Empty fields select
// all jobs.
type jobQuery struct {
	Text               string // part of the job's ID or name, in any case
	User, Queue, State string
	Since              string // only jobs submitted in this last time, such as 24h
	Sort               string // a key of jobColumns; "" means by ID. A leading - reverses the order
}

func parseJobQuery(r *http.Request) jobQuery {
	return jobQuery{r.FormValue("q"), r.FormValue("user"), r.FormValue("queue"), r.FormValue("state"),
		r.FormValue("since"), r.FormValue("sort")}
}

// link returns the address of page n of the same list.
func (q jobQuery) link(n int) string {
	v := url.Values{}
	for name, value := range map[string]string{"q": q.Text, "user": q.User, "queue": q.Queue, "state": q.State,
		"since": q.Since, "sort": q.Sort} {
		if value != "" {
			v.Set(name, value)
		}
	}
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

func (q jobQuery) match(j *status.Job, oldest int64) bool {
	text := strings.ToLower(q.Text)
	return (text == "" || strings.Contains(strings.ToLower(j.Name), text) || strings.Contains(j.ID.String(), text)) &&
		(q.User == "" || j.User == q.User) && (q.Queue == "" || j.Queue == q.Queue || j.Pool == q.Queue) &&
		(q.State == "" || strings.EqualFold(j.State.String(), q.State)) && j.SubmitMs >= oldest
}

// pick returns the jobs that match, in order.
func (q jobQuery) pick(all []*status.Job) (out []*status.Job) {
	oldest := int64(0)
	if d, err := time.ParseDuration(q.Since); err == nil && d > 0 {
		oldest = time.Now().Add(-d).UnixMilli()
	}
	for _, j := range all {
		if q.match(j, oldest) {
			out = append(out, j)
		}
	}
	column, reverse := strings.CutPrefix(q.Sort, "-")
	by := jobColumns[column]
	if by == nil {
		by = newest
	}
	order := func(a, b *status.Job) int {
		c := cmp.Or(by(a, b), newest(a, b))
		if reverse {
			c = -c
		}
		return c
	}
	if !slices.IsSortedFunc(out, order) { // a history server has 100,000 jobs in order
		slices.SortStableFunc(out, order)
	}
	return out
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
	d := &jobsData{jobQuery: parseJobQuery(r), States: []string{"prep", "running", "succeeded", "failed", "killed"}}
	d.Users = distinct(all, func(j *status.Job) string { return j.User })
	d.Queues = distinct(all, func(j *status.Job) string { return j.Queue })
	found := d.pick(all)
	d.Total = len(found)
	d.Shown, d.Page, d.Pages = cut(found, parsePage(r.FormValue("page")), jobsPerPage)
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

// cut returns page n of a list with size entries a page, the number of that page, and the number of
// pages. If n is too large, it returns the last page.
func cut[T any](all []T, n, size int) (shown []T, page, pages int) {
	pages = max(1, (len(all)+size-1)/size)
	page = min(n, pages)
	from := (page - 1) * size
	return all[from:min(len(all), from+size)], page, pages
}
