package webui

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

const jobTrackerHome = "JobTracker"

// shownJobs bounds how many finished jobs the cluster's page lists.
const shownJobs = 100

// JobTracker makes the JobTracker's pages: "/" the cluster, "/scheduler" pools and deadlines, "/jobs/ID" a job, and Hadoop's old addresses.
func JobTracker(jobs Jobs) http.Handler {
	m := http.NewServeMux()
	m.Handle("GET /static/", static())
	m.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		d, err := clusterPage(r.Context(), jobs)
		if err != nil {
			fail(w, jobTrackerHome, err)
			return
		}
		render(w, "cluster", http.StatusOK, page{Title: "Cluster " + d.Cluster, Home: jobTrackerHome, Live: true, Data: d})
	})
	m.HandleFunc("GET /scheduler", func(w http.ResponseWriter, r *http.Request) {
		d, err := schedulerPage(r.Context(), jobs, r)
		if err != nil {
			fail(w, jobTrackerHome, err)
			return
		}
		render(w, "scheduler", http.StatusOK, page{Title: "Scheduler " + d.Name, Home: jobTrackerHome, Live: true, Data: d})
	})
	m.HandleFunc("GET /jobs/{id}", func(w http.ResponseWriter, r *http.Request) {
		d, err := jobPage(r.Context(), jobs, r)
		if err != nil {
			fail(w, jobTrackerHome, err)
			return
		}
		render(w, "job", http.StatusOK, page{Title: d.Id, Home: jobTrackerHome, Live: d.FinishMs == 0, Data: d})
	})
	m.HandleFunc("GET /attempts/{id}", func(w http.ResponseWriter, r *http.Request) {
		d, err := attemptPage(r.Context(), jobs, r.PathValue("id"))
		if err != nil {
			fail(w, jobTrackerHome, err)
			return
		}
		render(w, "attempt", http.StatusOK, page{Title: d.Id, Home: jobTrackerHome, Live: d.FinishMs == 0, Data: d})
	})
	redirects(m, "/jobtracker.jsp", "/jobhistory.jsp")
	m.HandleFunc("GET /machines.jsp", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/#trackers", http.StatusFound) })
	m.HandleFunc("GET /jobqueue_details.jsp", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/scheduler", http.StatusFound) })
	for _, path := range []string{"/jobdetails.jsp", "/jobtasks.jsp", "/jobfailures.jsp", "/jobconf.jsp"} {
		m.HandleFunc("GET "+path, oldJobPage)
	}
	m.HandleFunc("GET /taskdetails.jsp", oldTaskPage)
	m.HandleFunc("GET /taskstats.jsp", oldAttemptPage)
	m.HandleFunc("GET /", notFound(jobTrackerHome))
	return m
}

// redirects sends old addresses to the start page.
func redirects(m *http.ServeMux, paths ...string) {
	for _, p := range paths {
		m.HandleFunc("GET "+p, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/", http.StatusFound) })
	}
}

func notFound(home string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		fail(w, home, failure.New(failure.NotFound, "find page", r.URL.Path, nil))
	}
}

// oldJobPage answers Hadoop 1.x's addresses of a job: ?jobid=&type=.
func oldJobPage(w http.ResponseWriter, r *http.Request) {
	id, err := job.ParseID(r.FormValue("jobid"))
	if err != nil {
		fail(w, jobTrackerHome, failure.New(failure.Usage, "read parameter", "jobid", err))
		return
	}
	to := "/jobs/" + id.String()
	if t := r.FormValue("type"); t == "map" || t == "reduce" {
		to += "?type=" + t + "#attempts"
	}
	http.Redirect(w, r, to, http.StatusFound)
}

// oldTaskPage answers ?tipid=.
func oldTaskPage(w http.ResponseWriter, r *http.Request) {
	id, err := job.ParseTaskID(r.FormValue("tipid"))
	if err != nil {
		fail(w, jobTrackerHome, failure.New(failure.Usage, "read parameter", "tipid", err))
		return
	}
	http.Redirect(w, r, "/jobs/"+id.Job.String()+"?task="+id.String()+"#attempts", http.StatusFound)
}

// clusterData is what the cluster's page shows.
type clusterData struct {
	*client.ClusterStatus
	Running, Finished                 []*client.JobStatus
	More                              int // finished jobs that are not listed
	MapSlots, MapsUsed                int32
	ReduceSlots, ReducesUsed, Healthy int32
	StaleMs                           int64 // a tracker that was silent since then is shown as such
}

func clusterPage(ctx context.Context, jobs Jobs) (*clusterData, error) {
	c, err := jobs.Cluster(ctx, &client.Empty{})
	if err != nil {
		return nil, err
	}
	l, err := jobs.List(ctx, &client.ListRequest{All: true})
	if err != nil {
		return nil, err
	}
	d := &clusterData{ClusterStatus: c}
	for _, t := range c.Tracker {
		d.MapSlots, d.MapsUsed = d.MapSlots+t.MapSlots, d.MapsUsed+t.MapsUsed
		d.ReduceSlots, d.ReducesUsed = d.ReduceSlots+t.ReduceSlots, d.ReducesUsed+t.ReducesUsed
		if !t.Blacklisted {
			d.Healthy++
		}
	}
	for _, j := range l.Job {
		if j.FinishMs == 0 {
			d.Running = append(d.Running, j)
		} else {
			d.Finished = append(d.Finished, j)
		}
	}
	slices.SortStableFunc(d.Finished, func(a, b *client.JobStatus) int { return cmp.Compare(b.FinishMs, a.FinishMs) })
	if n := len(d.Finished); n > shownJobs {
		d.Finished, d.More = d.Finished[:shownJobs], n-shownJobs
	}
	return d, nil
}

// parsePage reads a page number from 1.
func parsePage(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 1
	}
	return n
}
