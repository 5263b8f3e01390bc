package api

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/howdah/howdah/internal/diagnosis"
	"github.com/howdah/howdah/internal/feed"
	"github.com/howdah/howdah/internal/joblist"
	"github.com/howdah/howdah/internal/jsonout"
	"github.com/howdah/howdah/internal/transport"
	"github.com/howdah/howdah/internal/trend"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/jobtracker/history/hadoop"
)

// Jobs shows jobs. Its methods check that the sender of the request, whom the context identifies, may
// see them. An implementation must be safe for concurrent use.
type Jobs interface {
	List(context.Context, status.Filter) ([]*status.Job, error)
	Status(context.Context, job.ID, status.Query) (*status.Job, error)
}

// Confs shows the configurations of jobs, without secrets, with the same checks as Jobs.
type Confs interface {
	Conf(ctx context.Context, id job.ID) (path string, list []hadoop.Property, err error)
}

// Live is a JobTracker, with the same checks as Jobs.
type Live interface {
	diagnosis.Live
	Queues(ctx context.Context, user string) ([]status.Queue, error)
	Kill(context.Context, job.ID, transport.By) error
	SetPriority(ctx context.Context, id job.ID, p job.Priority, user string) error
	SetDeadline(ctx context.Context, id job.ID, deadline, user string) error
	Move(ctx context.Context, id job.ID, queue, user string) error
	KillAttempt(ctx context.Context, id job.AttemptID, fail bool, by transport.By) error
	SetScheduler(ctx context.Context, name string, set []job.Property, by transport.By) (string, error)
	DrainTracker(ctx context.Context, name string, how status.DrainMode, by transport.By) (*status.Tracker, error)
}

// Server answers requests about jobs and their cluster.
type Server struct {
	Jobs  Jobs
	Confs Confs

	// The fields below belong to a JobTracker. If Live is nil, the server shows ended jobs only.
	Live   Live
	Use    func() trend.Record // use of slots
	Events *feed.Feed
	Epoch  int64 // number of restarts, so that the IDs of events differ after a restart

	streams streams
	pace    time.Duration // least time between two batches of events; 0 in tests
}

// Handler returns the handler of all addresses below /api/v1/.
func (s *Server) Handler() http.Handler {
	s.pace = eventPace
	return handler(s.routes())
}

func (s *Server) routes() []route {
	if s.Live == nil {
		return s.jobRoutes()
	}
	return append(s.jobRoutes(), s.liveRoutes()...)
}

const (
	defaultPage = 100
	maxPage     = 1000
)

var paging = []param{{"page", "integer", "number of the page, from 1; the default is 1"},
	{"size", "integer", "entries of a page, from 1 to 1000; the default is 100"}}

func (s *Server) jobRoutes() []route {
	return []route{
		get("/jobs", "List jobs", s.list, append([]param{{"q", "", "part of the ID or the name"}, {"user", "", "user"},
			{"queue", "", "queue or pool"}, {"state", "", "state"},
			{"since", "", "jobs that were submitted in this last time, such as 24h"},
			{"sort", "", "column: " + strings.Join(joblist.Columns(), ", ") + "; a leading - reverses the order"}},
			paging...)...),
		get("/jobs/{job}", "Show a job, without attempts and counters", func(c *call) (jsonout.Job, error) {
			j, err := s.job(c, status.Query{})
			if err != nil {
				return jsonout.Job{}, err
			}
			return jsonout.OfJob(j, false), nil
		}),
		get("/jobs/{job}/attempts", "List the attempts of a job, with the shares that an orchestrator has assigned",
			s.attempts,
			append([]param{{"type", "", "MAP, REDUCE, JOB_SETUP, or JOB_CLEANUP"}, {"state", "", "state"}}, paging...)...),
		get("/attempts/{attempt}", "Show an attempt", s.attempt),
		get("/jobs/{job}/counters", "Show the counters of a job", func(c *call) (counters, error) {
			j, err := s.job(c, status.Query{Counters: true, ByType: true})
			if err != nil {
				return counters{}, err
			}
			return counters{ofCounters(j.Counters), ofCounters(j.ByType[job.Map]), ofCounters(j.ByType[job.Reduce])}, nil
		}),
		get("/jobs/{job}/conf", "Show the configuration of a job", s.conf),
	}
}

func (s *Server) list(c *call) (jobPage, error) {
	q := joblist.Parse(c.param)
	if err := q.Check(); err != nil {
		return jobPage{}, err
	}
	all, err := s.Jobs.List(c.Context(), status.Filter{All: true})
	if err != nil {
		return jobPage{}, err
	}
	shown, at, err := cut(c, q.Pick(all))
	return jobPage{at, jsonout.OfJobs(shown)}, err
}

// cut returns the requested page of a list.
func cut[T any](c *call, list []T) ([]T, listPage, error) {
	n, err := c.number("page", 1, 1<<30)
	if err != nil {
		return nil, listPage{}, err
	}
	size, err := c.number("size", defaultPage, maxPage)
	if err != nil {
		return nil, listPage{}, err
	}
	shown, page, pages := joblist.Cut(list, n, size)
	if n > pages {
		shown, page = nil, n
	}
	return shown, listPage{len(list), page, pages}, nil
}

func jobID(c *call) (job.ID, error) {
	id, err := job.ParseID(c.PathValue("job"))
	if err != nil {
		err = failure.New(failure.NotFound, "find job", c.PathValue("job"), err)
	}
	return id, err
}

func attemptID(c *call) (job.AttemptID, error) {
	id, err := job.ParseAttemptID(c.PathValue("attempt"))
	if err != nil {
		err = failure.New(failure.NotFound, "find attempt", c.PathValue("attempt"), err)
	}
	return id, err
}

func (s *Server) job(c *call, q status.Query) (*status.Job, error) {
	id, err := jobID(c)
	if err != nil {
		return nil, err
	}
	return s.Jobs.Status(c.Context(), id, q)
}

func (s *Server) attempts(c *call) (attemptPage, error) {
	j, err := s.job(c, status.Query{Attempts: true})
	if err != nil {
		return attemptPage{}, err
	}
	kind, state := strings.ToUpper(c.param("type")), strings.ToUpper(c.param("state"))
	if _, ok := job.ParseTaskType(kind); kind != "" && !ok {
		return attemptPage{}, usage("type", "there is no type %.20q", kind)
	}
	if _, ok := job.ParseAttemptState(state); state != "" && !ok {
		return attemptPage{}, usage("state", "there is no state %.20q", state)
	}
	shown, at, err := cut(c, slices.DeleteFunc(slices.Clone(j.Attempts), func(a *status.Attempt) bool {
		return kind != "" && a.ID.Type.String() != kind || state != "" && a.State.String() != state
	}))
	p := attemptPage{at, []jsonout.Attempt{}}
	for _, a := range shown {
		p.Attempts = append(p.Attempts, jsonout.OfAttempt(a))
	}
	return p, err
}

func (s *Server) attempt(c *call) (none jsonout.Attempt, err error) {
	id, err := attemptID(c)
	if err != nil {
		return none, err
	}
	j, err := s.Jobs.Status(c.Context(), id.Job, status.Query{Attempts: true, Only: &id})
	if err != nil {
		return none, err
	}
	for _, a := range j.Attempts {
		if a.ID == id {
			return jsonout.OfAttempt(a), nil
		}
	}
	return none, failure.New(failure.NotFound, "find attempt", id.String(), nil)
}

func (s *Server) conf(c *call) (none jobConf, err error) {
	id, err := jobID(c)
	if err != nil {
		return none, err
	}
	path, list, err := s.Confs.Conf(c.Context(), id)
	if err != nil {
		return none, err
	}
	o := jobConf{path, []setting{}}
	for _, p := range list {
		x := setting{Name: p.Name, Value: p.Value}
		if n := len(p.Source); n > 0 {
			x.Source = p.Source[n-1]
		}
		o.Settings = append(o.Settings, x)
	}
	slices.SortFunc(o.Settings, func(a, b setting) int { return cmp.Compare(a.Name, b.Name) })
	return o, nil
}

func (s *Server) liveRoutes() []route {
	why := param{"why", "", "reason"}
	return []route{
		get("/cluster", "Show the cluster", func(c *call) (cluster, error) {
			x, err := s.Live.Cluster(c.Context())
			if err != nil {
				return cluster{}, err
			}
			return ofCluster(x), nil
		}),
		get("/tasktrackers", "List TaskTrackers", s.trackers),
		get("/tasktrackers/{tracker}", "Show a TaskTracker", s.tracker),
		get("/queues", "List queues", s.queues),
		get("/scheduler", "Show the scheduler and its pools", s.scheduler),
		get("/use", "Show the use of slots over time", func(*call) (use, error) {
			return ofRecord(s.Use(), func(string) bool { return true }), nil
		}),
		get("/jobs/{job}/waiting", "Explain why a job waits", func(c *call) ([]diagnosis.Finding, error) {
			j, err := s.job(c, status.Query{Attempts: true})
			if err != nil {
				return nil, err
			}
			return diagnosis.Of(c.Context(), s.Live, j)
		}),
		{method: http.MethodGet, path: "/events", summary: "Follow events as server-sent events", stream: s.follow,
			answer: reflect.TypeFor[jobEvent](),
			params: []param{{"job", "", "events of this job only"}}},

		change(http.MethodDelete, "/jobs/{job}", "Kill a job", s.killJob, why),
		with[jobChange](change(http.MethodPatch, "/jobs/{job}", "Change the priority, the deadline, or the queue of a job",
			s.changeJob)),
		change(http.MethodDelete, "/attempts/{attempt}", "Kill an attempt", s.killAttempt, why,
			param{"fail", "boolean", "whether the attempt counts as failed"}),
		with[schedulerChange](operation(http.MethodPatch, "/scheduler", "Change the scheduler", s.setScheduler)),
		with[drainRequest](operation(http.MethodPost, "/tasktrackers/{tracker}/drain", "Drain a TaskTracker",
			func(c *call) (jsonout.Tracker, error) {
				var d drainRequest
				if err := c.read(&d); err != nil {
					return jsonout.Tracker{}, err
				}
				if d.How == status.DrainOff {
					return jsonout.Tracker{}, usage("how", "use DELETE to end a drain")
				}
				return s.drain(c, cmp.Or(d.How, status.DrainDelayed), d.Why)
			})),
		operation(http.MethodDelete, "/tasktrackers/{tracker}/drain", "End the drain of a TaskTracker",
			func(c *call) (jsonout.Tracker, error) { return s.drain(c, status.DrainOff, "") }),
	}
}

// reasonOf returns the reason for a change. It names the caller.
func reasonOf(c *call, did string) transport.By {
	why := did + c.by()
	if text := c.param("why"); text != "" {
		why += ": " + text
	}
	return transport.By{Why: why}
}

func (s *Server) trackers(c *call) ([]jsonout.Tracker, error) {
	x, err := s.Live.Cluster(c.Context())
	if err != nil {
		return nil, err
	}
	out := []jsonout.Tracker{}
	for _, t := range x.Trackers {
		out = append(out, jsonout.OfTracker(t))
	}
	return out, nil
}

func (s *Server) tracker(c *call) (none jsonout.Tracker, err error) {
	x, err := s.Live.Cluster(c.Context())
	if err != nil {
		return none, err
	}
	name := c.PathValue("tracker")
	t := x.Tracker(name)
	if t == nil {
		return none, failure.New(failure.NotFound, "find TaskTracker", name, nil)
	}
	return jsonout.OfTracker(t), nil
}

func (s *Server) queues(c *call) ([]jsonout.Queue, error) {
	list, err := s.Live.Queues(c.Context(), "")
	if err != nil {
		return nil, err
	}
	out := []jsonout.Queue{}
	for _, q := range list {
		out = append(out, jsonout.OfQueue(q))
	}
	return out, nil
}

func (s *Server) scheduler(c *call) (scheduler, error) {
	x, err := s.Live.Scheduler(c.Context(), "")
	if err != nil {
		return scheduler{}, err
	}
	return ofScheduler(x), nil
}

// killJob kills a job. It rejects a job that has ended, for which Live.Kill does nothing.
func (s *Server) killJob(c *call) error {
	id, err := jobID(c)
	if err != nil {
		return err
	}
	// Who may kill a job may lack the right to see it. Live.Kill reports all other errors.
	if j, err := s.job(c, status.Query{}); err == nil && j.State.Terminal() {
		return failure.New(failure.Stale, "kill job", id.String(), errors.New("the job has ended"))
	}
	return s.Live.Kill(c.Context(), id, reasonOf(c, "killed by "))
}

func (s *Server) changeJob(c *call) error {
	id, err := jobID(c)
	if err != nil {
		return err
	}
	var x jobChange
	if err := c.read(&x); err != nil {
		return err
	}
	switch {
	case x == (jobChange{Priority: x.Priority}) && x.Priority != "":
		p, ok := job.ParsePriority(x.Priority)
		if !ok {
			return usage("priority", "there is no priority %.20q", x.Priority)
		}
		return s.Live.SetPriority(c.Context(), id, p, "")
	case x == (jobChange{Deadline: x.Deadline}) && x.Deadline != "":
		return s.Live.SetDeadline(c.Context(), id, x.Deadline, "")
	case x == (jobChange{Queue: x.Queue}) && x.Queue != "":
		return s.Live.Move(c.Context(), id, x.Queue, "")
	}
	// Two changes could not fail together.
	return usage("body", "the value must have a priority, a deadline, or a queue, and nothing else")
}

func (s *Server) killAttempt(c *call) error {
	id, err := attemptID(c)
	if err != nil {
		return err
	}
	switch c.param("fail") {
	case "true":
		return s.Live.KillAttempt(c.Context(), id, true, reasonOf(c, "failed by "))
	case "", "false":
		return s.Live.KillAttempt(c.Context(), id, false, reasonOf(c, "killed by "))
	}
	return usage("fail", "the value must be true or false")
}

func (s *Server) setScheduler(c *call) (none scheduler, err error) {
	var x schedulerChange
	if err := c.read(&x); err != nil {
		return none, err
	}
	var set []job.Property
	for _, name := range slices.Sorted(maps.Keys(x.Settings)) {
		set = append(set, job.Property{Name: name, Value: x.Settings[name]})
	}
	if _, err := s.Live.SetScheduler(c.Context(), x.Name, set, transport.By{Why: c.by()}); err != nil {
		return none, err
	}
	return s.scheduler(c)
}

func (s *Server) drain(c *call, how status.DrainMode, why string) (jsonout.Tracker, error) {
	t, err := s.Live.DrainTracker(c.Context(), c.PathValue("tracker"), how, transport.By{Why: cmp.Or(why, "by "+c.by())})
	if err != nil {
		return jsonout.Tracker{}, err
	}
	return jsonout.OfTracker(t), nil
}
