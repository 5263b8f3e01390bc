package webui

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/howdah/howdah/internal/diagnosis"
	"github.com/howdah/howdah/internal/port"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
)

// jobTabs are the pages of a job, in the order of their tabs: the last part of the address, and the
// name of the tab.
var jobTabs = [][2]string{{"", "Overview"}, {"attempts", "Attempts"}, {"shuffle", "Shuffle"},
	{"counters", "Counters"}, {"conf", "Configuration"}, {"logs", "Logs"}}

// source provides the status of jobs for their pages.
type source interface {
	Status(context.Context, job.ID, status.Query) (*status.Job, error)
}

// jobPages adds the pages of jobs and attempts, and the static files.
func jobPages(m *http.ServeMux, home string, jobs source, p Parts) {
	m.Handle("GET /static/", Static())
	tabs := slices.DeleteFunc(slices.Clone(jobTabs), func(t [2]string) bool {
		return t[0] == "conf" && p.Confs == nil || t[0] == "logs" && p.Logs == nil
	})
	add := func(tab string, q status.Query, data func(context.Context, *status.Job, *http.Request) (any, error)) {
		path, name := "GET /jobs/{id}", "job"
		if tab != "" {
			path, name = path+"/"+tab, tab
		}
		m.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			j, d, err := jobPage(r, jobs, q, data)
			if err != nil {
				fail(w, home, err)
				return
			}
			render(w, name, http.StatusOK, page{Title: j.ID.String(), Home: home, Data: d,
				Live: j.FinishMs == 0 && tab != "logs", Job: j, Tab: tab, Tabs: tabs,
				Actions: jobActions(r.Context(), p.Rights, j)})
		})
	}
	var shared recent
	add("", status.Query{}, func(ctx context.Context, j *status.Job, r *http.Request) (any, error) {
		d, err := overviewPage(ctx, jobs, &shared, j, r, time.Now())
		if err == nil && p.Logs != nil {
			d.Failures = withTails(p.Logs, r, d.Failures)
		}
		return d, err
	})
	add("attempts", status.Query{Attempts: true},
		func(_ context.Context, j *status.Job, r *http.Request) (any, error) { return newAttempts(j, r), nil })
	add("shuffle", status.Query{}, func(ctx context.Context, j *status.Job, _ *http.Request) (any, error) {
		return shufflePage(ctx, jobs, &shared, j)
	})
	add("counters", status.Query{Counters: true, ByType: true},
		func(ctx context.Context, j *status.Job, r *http.Request) (any, error) {
			return countersPage(ctx, jobs, j, r)
		})
	if p.Confs != nil {
		add("conf", status.Query{}, func(ctx context.Context, j *status.Job, r *http.Request) (any, error) {
			return confPage(ctx, p.Confs, j, r)
		})
	}
	if p.Logs != nil {
		add("logs", status.Query{Attempts: true}, func(_ context.Context, j *status.Job, r *http.Request) (any, error) {
			return logsPage(p.Logs, j, r)
		})
		m.HandleFunc("GET /jobs/{id}/log", func(w http.ResponseWriter, r *http.Request) {
			if err := serveLog(w, r, jobs, p.Logs); err != nil {
				http.Error(w, err.Error(), port.Status(failure.KindOf(err)))
			}
		})
	}
	m.HandleFunc("GET /attempts/{id}", func(w http.ResponseWriter, r *http.Request) {
		d, err := attemptPage(r.Context(), jobs, r.PathValue("id"))
		if err != nil {
			fail(w, home, err)
			return
		}
		if p.Logs != nil && d.LogURL != "" {
			d.Reader = "/jobs/" + d.Job.ID.String() + "/logs?attempt=" + d.ID.String()
		}
		d.Actions = attemptActions(r.Context(), p.Rights, d.Attempt)
		render(w, "attempt", http.StatusOK, page{Title: d.ID.String(), Home: home, Live: d.FinishMs == 0, Data: d,
			Actions: d.Actions})
	})
}

// jobPage returns the job of a request, with the parts that q selects, and the data of the page.
func jobPage(r *http.Request, jobs source, q status.Query,
	data func(context.Context, *status.Job, *http.Request) (any, error)) (*status.Job, any, error) {
	id, err := job.ParseID(r.PathValue("id"))
	if err != nil {
		return nil, nil, failure.New(failure.NotFound, "find job", r.PathValue("id"), err)
	}
	j, err := jobs.Status(r.Context(), id, q)
	if err != nil {
		return nil, nil, err
	}
	d, err := data(r.Context(), j, r)
	return j, d, err
}

// overview is the data for the first page of a job.
type overview struct {
	*status.Job
	Why      []diagnosis.Finding // why tasks of an unfinished job wait
	Tallies  []tally
	Failures []failureGroup
	Skews    []skew
	Slowest  []slow
	Lanes    *timeline
}

// overviewPage returns the data for the page of the job j, which the caller may see. Requests share what
// follows from the attempts, unless they select an interval of the timeline.
func overviewPage(ctx context.Context, jobs source, shared *recent, j *status.Job, r *http.Request, now time.Time) (
	*overview, error) {
	type key struct {
		id    job.ID
		state job.State
	}
	_, _, zoomed := interval(r)
	kept, ok := shared.get(key{j.ID, j.State}).(*overview)
	if !ok || zoomed {
		counters := j.Maps.Total+j.Reduces.Total <= maxWithCounters
		var err error
		if j, err = jobs.Status(ctx, j.ID, status.Query{Attempts: true, Counters: counters}); err != nil {
			return nil, err
		}
		kept = &overview{Tallies: tallies(j), Failures: newFailures(j.Attempts),
			Lanes: newTimeline(j, now.UnixMilli(), r)}
		kept.Skews, kept.Slowest = newSkews(j, now.UnixMilli())
		rest := *j // without the attempts, which would occupy memory while the data is shared
		kept.Job, rest.Attempts = &rest, nil
		if !zoomed {
			shared.keep(key{j.ID, j.State}, kept, len(j.Attempts))
		}
	}
	own := *kept
	d := &own
	live, ok := jobs.(Jobs) // a history server has only ended jobs
	if d.FinishMs != 0 || !ok {
		return d, nil
	}
	why, err := diagnosis.Of(ctx, live, d.Job)
	if err != nil {
		return nil, err
	}
	for _, f := range why {
		if f.Level != diagnosis.OK && f.Check != "failed attempt" { // failures have their own table
			d.Why = append(d.Why, f)
		}
	}
	return d, nil
}
