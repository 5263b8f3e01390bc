// Package joblist selects, sorts, and cuts lists of jobs, for pages and programs. Start with [Query].
package joblist

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
)

// columns are the columns by which a list can be sorted, and the order of each
// when it is selected first: by text ascending, by time and size descending.
var columns = map[string]func(a, b *status.Job) int{
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

// Query selects and sorts jobs, as the parameters of an address say. Empty fields select
// all jobs.
type Query struct {
	Text               string // part of the job's ID or name, in any case
	User, Queue, State string
	Since              string // only jobs submitted in this last time, such as 24h
	Sort               string // one of Columns; "" means by ID. A leading - reverses the order
}

// Parse returns the query in an address. get returns the value of a parameter, or "".
func Parse(get func(name string) string) Query {
	return Query{get("q"), get("user"), get("queue"), get("state"), get("since"), get("sort")}
}

// Values returns the parameters from which Parse returns q.
func (q Query) Values() url.Values {
	v := url.Values{}
	for name, value := range map[string]string{"q": q.Text, "user": q.User, "queue": q.Queue, "state": q.State,
		"since": q.Since, "sort": q.Sort} {
		if value != "" {
			v.Set(name, value)
		}
	}
	return v
}

func (q Query) match(j *status.Job, oldest int64) bool {
	text := strings.ToLower(q.Text)
	return (text == "" || strings.Contains(strings.ToLower(j.Name), text) || strings.Contains(j.ID.String(), text)) &&
		(q.User == "" || j.User == q.User) && (q.Queue == "" || j.Queue == q.Queue || j.Pool == q.Queue) &&
		(q.State == "" || strings.EqualFold(j.State.String(), q.State)) && j.SubmitMs >= oldest
}

// Pick returns the jobs that match, in order. It ignores an invalid Since and an unknown column.
func (q Query) Pick(all []*status.Job) (out []*status.Job) {
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
	by := columns[column]
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

// Cut returns page n of a list with size entries a page, the number of that page, and the number of
// pages. If n is too large, it returns the last page. n and size must be positive.
func Cut[T any](all []T, n, size int) (shown []T, page, pages int) {
	pages = max(1, (len(all)+size-1)/size)
	page = min(n, pages)
	from := (page - 1) * size
	return all[from:min(len(all), from+size)], page, pages
}

// Columns returns the names of the columns, sorted.
func Columns() []string { return slices.Sorted(maps.Keys(columns)) }

// Check returns an error of kind Usage if Pick would ignore a field.
func (q Query) Check() error {
	if d, err := time.ParseDuration(q.Since); q.Since != "" && (err != nil || d <= 0) {
		return failure.New(failure.Usage, "read", "since", fmt.Errorf("%.20q is not a duration such as 24h", q.Since))
	}
	if _, ok := job.ParseState(strings.ToUpper(q.State)); q.State != "" && !ok {
		return failure.New(failure.Usage, "read", "state", fmt.Errorf("there is no state %.20q", q.State)).
			Fix("use a state such as RUNNING or SUCCEEDED")
	}
	if column := strings.TrimPrefix(q.Sort, "-"); q.Sort != "" && columns[column] == nil {
		return failure.New(failure.Usage, "read", "sort", fmt.Errorf("there is no column %.20q", column)).
			Fix("use one of " + strings.Join(Columns(), ", "))
	}
	return nil
}
