package webui

import (
	"context"
	"net/http"
	"time"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
)

// jobTabs are the pages of a job, in the order of their tabs: the last part of the address, and the
// name of the tab.
var jobTabs = [][2]string{{"", "Overview"}, {"attempts", "Attempts"}, {"counters", "Counters"}}

// jobPages adds the pages of a job.
func jobPages(m *http.ServeMux, jobs Jobs) {
	add := func(tab string, data func(context.Context, *status.Job, *http.Request) (any, error)) {
		path, name := "GET /jobs/{id}", "job"
		if tab != "" {
			path, name = path+"/"+tab, tab
		}
		m.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			j, d, err := jobPage(r, jobs, data)
			if err != nil {
				fail(w, jobTrackerHome, err)
				return
			}
			render(w, name, http.StatusOK, page{Title: j.ID.String(), Home: jobTrackerHome, Live: j.FinishMs == 0, Data: d,
				Job: j, Tab: tab})
		})
	}
	add("", func(ctx context.Context, j *status.Job, r *http.Request) (any, error) {
		if j.Maps.Total+j.Reduces.Total <= maxWithCounters {
			if c, err := jobs.Status(ctx, j.ID, status.Query{Attempts: true, Counters: true}); err == nil {
				j = c
			}
		}
		return newOverview(j, r, time.Now()), nil
	})
	add("attempts", func(_ context.Context, j *status.Job, r *http.Request) (any, error) { return newAttempts(j, r), nil })
	add("counters", func(ctx context.Context, j *status.Job, r *http.Request) (any, error) {
		return countersPage(ctx, jobs, j, r)
	})
}

// jobPage returns the job of a request, and the data of the page.
func jobPage(r *http.Request, jobs Jobs, data func(context.Context, *status.Job, *http.Request) (any, error)) (
	*status.Job, any, error) {
	id, err := job.ParseID(r.PathValue("id"))
	if err != nil {
		return nil, nil, failure.New(failure.NotFound, "find job", r.PathValue("id"), err)
	}
	j, err := jobs.Status(r.Context(), id, status.Query{Attempts: true})
	if err != nil {
		return nil, nil, err
	}
	d, err := data(r.Context(), j, r)
	return j, d, err
}

// overview is the data for the first page of a job.
type overview struct {
	*status.Job
	Tallies  []tally
	Failures []failureGroup
	Skews    []skew
	Slowest  []slow
	Lanes    *timeline
}

func newOverview(j *status.Job, r *http.Request, now time.Time) *overview {
	skews, slowest := newSkews(j, now.UnixMilli())
	return &overview{Job: j, Tallies: tallies(j), Failures: newFailures(j.Attempts), Skews: skews, Slowest: slowest,
		Lanes: newTimeline(j, now.UnixMilli(), r)}
}
