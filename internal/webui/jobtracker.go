package webui

import (
	"cmp"
	"context"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/howdah/howdah/internal/joblist"
	"github.com/howdah/howdah/internal/trend"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
)

const jobTrackerHome = "JobTracker"

// PoolSeries begins the names of the series that show the slots of a pool.
const PoolSeries = "pool "

// shownJobs is the maximum number of finished jobs on the cluster's page.
const shownJobs = 20

// trackersPerPage is the maximum number of TaskTrackers on the cluster's page. To render thousands
// of them once a second for a few browsers would cost more CPU time than their heartbeats do.
const trackersPerPage = 100

// Parts are the optional parts of a JobTracker's pages. All functions and methods must be safe for
// concurrent use.
type Parts struct {
	Confs      Confs               // nil means that jobs have no page with their configuration
	Record     func() trend.Record // use of slots; names of pools' series begin with PoolSeries; nil means none
	Rights     Rights              // nil means that nobody may change anything
	Logs       Logs                // nil means that jobs have no page with their logs
	Schedulers []string            // schedulers to which an administrator can switch
}

// JobTracker returns the handler of the JobTracker's pages. "/" is the cluster, "/jobs" lists all
// jobs, "/scheduler" shows pools and deadlines, "/jobs/ID" is a job, and "/attempts/ID" is an
// attempt. The addresses of Hadoop 1.x redirect to these pages.
func JobTracker(jobs Jobs, p Parts) http.Handler {
	record := orNone(p.Record)
	if p.Rights == nil {
		p.Rights = reader{}
	}
	shared := &sharing{Jobs: jobs}
	jobs = shared
	m := http.NewServeMux()
	m.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		actions := trackerActions(r.Context(), p.Rights)
		d, err := clusterPage(r.Context(), shared, record(), parsePage(r.FormValue("page")), len(actions) > 0)
		if err != nil {
			fail(w, jobTrackerHome, err)
			return
		}
		render(w, "cluster", http.StatusOK, page{Title: "Cluster " + d.Cluster.ID, Home: jobTrackerHome, Live: true, Data: d,
			Actions: actions})
	})
	m.HandleFunc("GET /scheduler", func(w http.ResponseWriter, r *http.Request) {
		d, err := schedulerPage(r.Context(), jobs, record(), r)
		if err != nil {
			fail(w, jobTrackerHome, err)
			return
		}
		d.Actions = schedulerActions(r.Context(), p.Rights, d.Name, p.Schedulers)
		render(w, "scheduler", http.StatusOK, page{Title: "Scheduler " + d.Name, Home: jobTrackerHome, Live: true, Data: d,
			Actions: d.Actions})
	})
	addJobs(m, jobTrackerHome, jobs, p)
	m.HandleFunc("GET /visit", visit(jobTrackerHome, func(ctx context.Context, host string) (bool, bool, error) {
		c, err := jobs.Cluster(ctx)
		if err != nil {
			return false, false, err
		}
		i := slices.IndexFunc(c.Trackers, func(t *status.Tracker) bool { return t.Addr == host })
		return i >= 0, i >= 0 && c.Trackers[i].Trusted, nil
	}))
	redirects(m, "/jobtracker.jsp", "/jobhistory.jsp")
	m.HandleFunc("GET /machines.jsp",
		func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/#trackers", http.StatusFound) })
	m.HandleFunc("GET /jobqueue_details.jsp",
		func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/scheduler", http.StatusFound) })
	m.HandleFunc("GET /", notFound(jobTrackerHome))
	return m
}

// listed provides the status of jobs for their pages, and a list.
type listed interface {
	source
	List(context.Context, status.Filter) ([]*status.Job, error)
}

// addJobs adds the pages of all jobs, jobs, and attempts, and their addresses in Hadoop 1.x.
func addJobs(m *http.ServeMux, home string, jobs listed, p Parts) {
	m.HandleFunc("GET /jobs", func(w http.ResponseWriter, r *http.Request) {
		d, err := jobsPage(r.Context(), jobs, r)
		if err != nil {
			fail(w, home, err)
			return
		}
		render(w, "jobs", http.StatusOK, page{Title: "Jobs", Home: home, Data: d})
	})
	jobPages(m, home, jobs, p)
	for _, path := range []string{"/jobdetails.jsp", "/jobtasks.jsp", "/jobfailures.jsp"} {
		m.HandleFunc("GET "+path, oldJobPage)
	}
	m.HandleFunc("GET /jobconf.jsp", oldConfPage)
	m.HandleFunc("GET /taskdetails.jsp", oldTaskPage)
	m.HandleFunc("GET /taskstats.jsp", oldAttemptPage)
}

// redirects redirects Hadoop's old addresses to the home page.
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

// oldJobPage redirects Hadoop 1.x job URLs, with ?jobid=&type=, to the job's page.
func oldJobPage(w http.ResponseWriter, r *http.Request) {
	id, err := job.ParseID(r.FormValue("jobid"))
	if err != nil {
		fail(w, jobTrackerHome, failure.New(failure.Usage, "read parameter", "jobid", err))
		return
	}
	to := "/jobs/" + id.String()
	if t := r.FormValue("type"); t == "map" || t == "reduce" {
		to += "/attempts?type=" + t
	}
	http.Redirect(w, r, to, http.StatusFound)
}

// oldConfPage redirects to the page with the job's configuration.
func oldConfPage(w http.ResponseWriter, r *http.Request) {
	id, err := job.ParseID(r.FormValue("jobid"))
	if err != nil {
		fail(w, jobTrackerHome, failure.New(failure.Usage, "read parameter", "jobid", err))
		return
	}
	http.Redirect(w, r, "/jobs/"+id.String()+"/conf", http.StatusFound)
}

// oldTaskPage redirects the Hadoop 1.x address of a task, which has a ?tipid= parameter, to the
// list of the task's attempts.
func oldTaskPage(w http.ResponseWriter, r *http.Request) {
	id, err := job.ParseTaskID(r.FormValue("tipid"))
	if err != nil {
		fail(w, jobTrackerHome, failure.New(failure.Usage, "read parameter", "tipid", err))
		return
	}
	http.Redirect(w, r, "/jobs/"+id.Job.String()+"/attempts?task="+id.String(), http.StatusFound)
}

// clusterData is the data for the cluster's page.
type clusterData struct {
	*status.Cluster
	*trackerData
	Jobs, Over []*status.Job
	More       int // number of finished jobs that are not listed
	Chart      *chart
}

// trackerData is what the cluster's page shows of the TaskTrackers.
type trackerData struct {
	Shown       []*status.Tracker
	Page, Pages int
	All         rack    // of all racks
	Racks       []*rack // nil if there are fewer than two
	CanChange   bool    // the reader may drain TaskTrackers
	Table       template.HTML
}

// rack sums up the TaskTrackers of a rack.
type rack struct {
	Name              string
	Trackers, Healthy int
	Maps, Reduces     status.Slots
}

func (r *rack) add(t *status.Tracker) {
	r.Trackers++
	if !t.Blacklisted {
		r.Healthy++
	}
	r.Maps.Total, r.Maps.Used = r.Maps.Total+t.Maps.Total, r.Maps.Used+t.Maps.Used
	r.Reduces.Total, r.Reduces.Used = r.Reduces.Total+t.Reduces.Total, r.Reduces.Used+t.Reduces.Used
}

// maxRacks is the maximum number of racks on the cluster's page.
const maxRacks = 100

// newRacks returns the racks in the order of their names. It returns nil if there are fewer than two.
func newRacks(trackers []*status.Tracker) (racks []*rack) {
	byName := map[string]*rack{}
	for _, t := range trackers {
		r := byName[t.Rack]
		if r == nil {
			r = &rack{Name: t.Rack}
			byName[t.Rack], racks = r, append(racks, r)
		}
		r.add(t)
	}
	if len(racks) < 2 {
		return nil
	}
	slices.SortFunc(racks, func(a, b *rack) int { return cmp.Compare(a.Name, b.Name) })
	return racks[:min(len(racks), maxRacks)]
}

// clusterPage returns the data for a page of the cluster. canChange means that the reader may drain
// TaskTrackers.
func clusterPage(ctx context.Context, jobs *sharing, record trend.Record, page int, canChange bool) (*clusterData,
	error) {
	c, err := jobs.Cluster(ctx)
	if err != nil {
		return nil, err
	}
	l, err := jobs.List(ctx, status.Filter{All: true})
	if err != nil {
		return nil, err
	}
	type key struct {
		page      int
		canChange bool
	}
	k := key{min(page, 1+len(c.Trackers)/trackersPerPage), canChange}
	shown, ok := jobs.recent.get(k).(*trackerData)
	if !ok {
		if shown, err = newTrackerData(c, k.page, canChange); err != nil {
			return nil, err
		}
		jobs.recent.keep(k, shown, len(c.Trackers))
	}
	d := &clusterData{Cluster: c, trackerData: shown, Chart: newChart(pickSeries(record, PoolSeries, false))}
	for _, j := range l {
		if j.FinishMs == 0 {
			d.Jobs = append(d.Jobs, j)
		} else {
			d.Over = append(d.Over, j)
		}
	}
	slices.SortStableFunc(d.Over, func(a, b *status.Job) int { return cmp.Compare(b.FinishMs, a.FinishMs) })
	if n := len(d.Over); n > shownJobs {
		d.Over, d.More = d.Over[:shownJobs], n-shownJobs
	}
	return d, nil
}

// newTrackerData sums up the TaskTrackers and renders a page of their table.
func newTrackerData(c *status.Cluster, page int, canChange bool) (*trackerData, error) {
	d := &trackerData{CanChange: canChange, Racks: newRacks(c.Trackers)}
	for _, t := range c.Trackers {
		d.All.add(t)
	}
	trackers := slices.Clone(c.Trackers) // other requests read the list
	slices.SortStableFunc(trackers, byTrouble)
	d.Shown, d.Page, d.Pages = joblist.Cut(trackers, page, trackersPerPage)
	var b strings.Builder
	err := pages()["cluster"].ExecuteTemplate(&b, "trackers", d)
	d.Table = template.HTML(b.String())
	return d, err
}

// byTrouble orders TaskTrackers that are blacklisted, draining, or unhealthy before all others.
func byTrouble(a, b *status.Tracker) int {
	rank := func(t *status.Tracker) int {
		if t.Blacklisted || t.Drain != nil || t.Why != "" {
			return 0
		}
		return 1
	}
	return cmp.Compare(rank(a), rank(b))
}

// parsePage parses a page number, which starts at 1. It returns 1 for an invalid number.
func parsePage(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 1
	}
	return n
}
