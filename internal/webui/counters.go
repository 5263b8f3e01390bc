package webui

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
)

// counterTable is a table of counters. Each column contains the counters of one set.
type counterTable struct {
	Heads  []string // names of the columns; empty for a single column
	Groups []counterGroup
}

// counterGroup is a group of counters with its display name.
type counterGroup struct {
	Name     string
	Counters []counter
}

// counter is a counter with its display name and its value in each column.
type counter struct {
	Display string
	Values  []int64
}

// Change returns by how much the value in column to differs from that in column from, such as
// "+12.0%". It returns "" if they are equal, or if there is no value to compare with.
func (c counter) Change(from, to int) string {
	if c.Values[from] == c.Values[to] || c.Values[from] == 0 {
		return ""
	}
	return fmt.Sprintf("%+.1f%%", 100*float64(c.Values[to]-c.Values[from])/math.Abs(float64(c.Values[from])))
}

// newCounters returns a table with a column for each set. It contains the built-in counters that
// are nonzero in a set, and all user-defined counters. A set can be nil.
func newCounters(heads []string, sets ...*job.Counters) *counterTable {
	t := &counterTable{Heads: heads}
	for id := range job.CounterID(len(job.Counters{}.Builtin)) {
		for column, c := range sets {
			if c != nil && c.Builtin[id] != 0 {
				info := id.Info()
				t.set(info.GroupDisplay, info.Display, column, len(sets), c.Builtin[id])
			}
		}
	}
	for column, c := range sets {
		if c == nil {
			continue
		}
		for _, u := range c.User {
			t.set(u.Group, u.Name, column, len(sets), u.Value)
		}
	}
	return t
}

func (t *counterTable) set(group, display string, column, columns int, value int64) {
	group = strings.TrimSpace(group)
	i := slices.IndexFunc(t.Groups, func(g counterGroup) bool { return g.Name == group })
	if i < 0 {
		i = len(t.Groups)
		t.Groups = append(t.Groups, counterGroup{Name: group})
	}
	g := &t.Groups[i]
	i = slices.IndexFunc(g.Counters, func(c counter) bool { return c.Display == display })
	if i < 0 {
		i = len(g.Counters)
		g.Counters = append(g.Counters, counter{display, make([]int64, columns)})
	}
	g.Counters[i].Values[column] = value
}

// countersData is the data for the page with a job's counters.
type countersData struct {
	*status.Job
	Table *counterTable
	With  string // ID of another job whose totals are shown, too; "" means none
}

// countersPage returns the counters of a job: of its maps, of its reduces, and in total. The
// parameter "with" names another job to compare with.
func countersPage(ctx context.Context, jobs source, j *status.Job, r *http.Request) (*countersData, error) {
	total, err := jobs.Status(ctx, j.ID, status.Query{Counters: true})
	if err != nil {
		return nil, err
	}
	each, err := jobs.Status(ctx, j.ID, status.Query{Attempts: true, Counters: true})
	if err != nil {
		return nil, err
	}
	var sums [2]job.Counters
	for _, a := range each.Attempts {
		if a.State == job.AttemptSucceeded && a.ID.Type <= job.Reduce {
			sums[a.ID.Type].Merge(a.Counters)
		}
	}
	d := &countersData{Job: j, With: r.FormValue("with")}
	heads, sets := []string{"Map", "Reduce", "Total"}, []*job.Counters{&sums[job.Map], &sums[job.Reduce], total.Counters}
	if d.With != "" {
		id, err := job.ParseID(d.With)
		if err != nil {
			return nil, failure.New(failure.Usage, "read parameter", "with", err)
		}
		other, err := jobs.Status(ctx, id, status.Query{Counters: true})
		if err != nil {
			return nil, err
		}
		heads, sets = append(heads, "Total of "+id.String()), append(sets, other.Counters)
	}
	d.Table = newCounters(heads, sets...)
	return d, nil
}
