// Package rest serves the REST interfaces of Hadoop's JobHistoryServer, /ws/v1/history, and of the
// MapReduce ApplicationMaster, /ws/v1/mapreduce, as Hadoop 3.4.2 does. The answers are projections
// of job histories and of the status of a JobTracker. Start with [Server].
package rest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"encoding/xml"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/jobtracker/history/hadoop"
)

// History shows jobs. Its methods check that the sender of the request, whom the context identifies,
// may see the job. An implementation must be safe for concurrent use.
type History interface {
	// Ended calls f with ended jobs in the order of their IDs until f returns false. Everybody may
	// see the jobs' summaries.
	Ended(ctx context.Context, f func(*hadoop.Summary) bool) error
	// Report returns the report of an ended or running job, which the caller must not change. If
	// the job does not exist, the error is of kind NotFound.
	Report(ctx context.Context, id job.ID) (*hadoop.Report, error)
	// Conf returns the configuration of a job and the path of its file.
	Conf(ctx context.Context, id job.ID) (path string, list []hadoop.Property, err error)
}

// Live shows the running jobs of a JobTracker, with the same checks as History.
type Live interface {
	Cluster(context.Context) (*status.Cluster, error)
	List(context.Context, status.Filter) ([]*status.Job, error)
	Status(context.Context, job.ID, status.Query) (*status.Job, error)
}

// Server answers requests. It is safe for concurrent use.
type Server struct {
	History History
	Live    Live   // nil means that there are no running jobs
	User    string // user of the daemon's process
	Version string // of the daemon's program
	Started time.Time
	Now     func() time.Time // nil means time.Now
}

// The interfaces with which Server is compatible.
const (
	historyBase = "/ws/v1/history"
	masterBase  = "/ws/v1/mapreduce"
	// compatible is the version of Hadoop whose answers these are.
	compatible = "3.4.2"
)

// answer is a value and the name of its element.
type answer struct {
	name  string
	value any
}

// Handler returns the handler of all addresses below /ws/v1/. Package api serves the
// project's own interface, which has what Hadoop's lacks.
func (s *Server) Handler() http.Handler {
	m := http.NewServeMux()
	get := func(path string, f func(*http.Request) (answer, error)) {
		m.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			a, err := f(r)
			if err != nil {
				fail(w, r, err)
				return
			}
			write(w, r, http.StatusOK, a)
		})
	}
	for _, path := range []string{"", "/{$}", "/info"} {
		get(historyBase+path, s.historyInfo)
		get(masterBase+path, s.appInfo)
	}
	get(historyBase+"/mapreduce/jobs", s.endedJobs)
	get(masterBase+"/blacklistednodes", s.blacklisted)
	get(masterBase+"/jobs", s.runningJobs)
	get(masterBase+"/jobs/{job}", s.runningJob)
	for _, base := range []struct {
		path  string
		ended bool
	}{{historyBase + "/mapreduce/jobs/{job}", true}, {masterBase + "/jobs/{job}", false}} {
		part := func(path string, f func(*reply) (answer, error)) {
			get(base.path+path, func(r *http.Request) (answer, error) {
				report, err := s.report(r, base.ended)
				if err != nil {
					return answer{}, err
				}
				return f(&reply{Request: r, Report: report, ended: base.ended, now: s.now()})
			})
		}
		if base.ended {
			part("", (*reply).job)
		} else {
			part("/tasks/{task}/attempts/{attempt}/state", (*reply).attemptState)
		}
		part("/jobattempts", (*reply).jobAttempts)
		part("/counters", (*reply).counters)
		part("/conf", s.conf)
		part("/tasks", (*reply).tasks)
		part("/tasks/{task}", (*reply).task)
		part("/tasks/{task}/counters", (*reply).taskCounters)
		part("/tasks/{task}/attempts", (*reply).attempts)
		part("/tasks/{task}/attempts/{attempt}", (*reply).attempt)
		part("/tasks/{task}/attempts/{attempt}/counters", (*reply).attemptCounters)
	}
	m.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			fail(w, r, &problem{http.StatusMethodNotAllowed, "WebApplicationException", "HTTP 405 Method Not Allowed"})
			return
		}
		fail(w, r, notFound("no resource has the path "+echo(r.URL.Path)))
	})
	return m
}

func (s *Server) now() int64 {
	if s.Now != nil {
		return s.Now().UnixMilli()
	}
	return time.Now().UnixMilli()
}

// problem is an error as Hadoop reports it.
type problem struct {
	code    int
	class   string // name of Hadoop's exception
	message string
}

func (p *problem) Error() string { return p.message }

// Hadoop's own exceptions have the text of their cause, a java.lang.Exception.
func notFound(text string) error {
	return &problem{http.StatusNotFound, "NotFoundException", "java.lang.Exception: " + text}
}

func badRequest(text string) error {
	return &problem{http.StatusBadRequest, "BadRequestException", "java.lang.Exception: " + text}
}

func illegal(text string) error {
	return &problem{http.StatusBadRequest, "IllegalArgumentException", text}
}

// echo returns a part of a request for an error, cut to a reasonable length.
func echo(text string) string {
	const most = 200
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "..."
	}
	return text
}

// classes holds the packages of the exceptions.
var classes = map[string]string{"NotFoundException": "org.apache.hadoop.yarn.webapp.",
	"BadRequestException": "org.apache.hadoop.yarn.webapp.", "ForbiddenException": "org.apache.hadoop.yarn.webapp.",
	"IllegalArgumentException": "java.lang.", "WebApplicationException": "javax.ws.rs.",
	"YarnRuntimeException": "org.apache.hadoop.yarn.exceptions."}

func fail(w http.ResponseWriter, r *http.Request, err error) {
	p, ok := err.(*problem)
	if !ok {
		p = &problem{http.StatusInternalServerError, "YarnRuntimeException", err.Error()}
		switch failure.KindOf(err) {
		case failure.NotFound:
			p.code, p.class = http.StatusNotFound, "NotFoundException"
		case failure.Permission:
			p.code, p.class = http.StatusForbidden, "ForbiddenException"
		case failure.Unreachable, failure.Timeout, failure.Limit:
			p.code = http.StatusServiceUnavailable
		}
	}
	write(w, r, p.code, answer{"RemoteException", remoteException{p.class, p.message, classes[p.class] + p.class}})
}

func write(w http.ResponseWriter, r *http.Request, code int, a answer) {
	var b bytes.Buffer
	var err error
	kind := "application/json;charset=utf-8"
	if wantsXML(r.Header.Get("Accept")) {
		kind = "application/xml;charset=utf-8"
		b.WriteString(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`)
		err = xml.NewEncoder(&b).EncodeElement(a.value, xml.StartElement{Name: xml.Name{Local: a.name}})
	} else {
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false) // the type keeps browsers from interpreting it
		var named any = map[string]any{a.name: a.value}
		if a.name == stateName { // in JSON, Hadoop omits this name
			named = a.value
		}
		err = e.Encode(named)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(code)
	_, _ = w.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// wantsXML reports whether an Accept header prefers XML to JSON.
func wantsXML(accept string) bool {
	weight := map[string]float64{}
	for part := range strings.SplitSeq(accept, ",") {
		kind, options, _ := strings.Cut(part, ";")
		q := 1.0
		if text, ok := strings.CutPrefix(strings.TrimSpace(options), "q="); ok {
			if n, err := strconv.ParseFloat(text, 64); err == nil {
				q = n
			}
		}
		weight[strings.ToLower(strings.TrimSpace(kind))] = q
	}
	return weight["application/xml"] > weight["application/json"]
}

func (s *Server) historyInfo(*http.Request) (answer, error) {
	return answer{"historyInfo", historyInfo{s.Started.UnixMilli(), compatible, "howdah " + s.Version, ""}}, nil
}

func (s *Server) appInfo(r *http.Request) (answer, error) {
	if s.Live == nil {
		return answer{}, noMaster(r)
	}
	c, err := s.Live.Cluster(r.Context())
	if err != nil {
		return answer{}, err
	}
	started := s.Started.UnixMilli()
	return answer{"info", appInfo{"application_" + c.ID + "_0000", "JobTracker", s.User, started, s.now() - started}}, nil
}

// noMaster is the answer of a daemon without running jobs.
func noMaster(r *http.Request) error {
	return notFound("no resource has the path " + echo(r.URL.Path) + ": a JobTracker serves running jobs")
}

func (s *Server) blacklisted(r *http.Request) (answer, error) {
	if s.Live == nil {
		return answer{}, noMaster(r)
	}
	c, err := s.Live.Cluster(r.Context())
	if err != nil {
		return answer{}, err
	}
	var b blacklistedNodes
	for _, t := range c.Trackers {
		if t.Blacklisted {
			b.Nodes = append(b.Nodes, t.Host)
		}
	}
	return answer{"blacklistednodesinfo", b}, nil
}

// report returns the report of the job in the request's path.
func (s *Server) report(r *http.Request, ended bool) (*hadoop.Report, error) {
	if !ended && s.Live == nil {
		return nil, noMaster(r)
	}
	id, err := jobID(r)
	if err != nil {
		return nil, err
	}
	report, err := s.History.Report(r.Context(), id)
	if failure.Is(err, failure.NotFound) || err == nil && ended && report.State == "" {
		return nil, noJob(r)
	}
	return report, err
}

func jobID(r *http.Request) (job.ID, error) {
	id, err := job.ParseID(r.PathValue("job"))
	if err != nil {
		return id, notFound("JobId string : " + echo(r.PathValue("job")) + " is not properly formed")
	}
	return id, nil
}

func noJob(r *http.Request) error {
	return notFound("job, " + echo(r.PathValue("job")) + ", is not found")
}

// states are the states that a query can name.
var states = []string{"NEW", "INITED", "RUNNING", "SUCCEEDED", "FAILED", "KILLED", "ERROR"}

func (s *Server) endedJobs(r *http.Request) (answer, error) {
	q, err := parseQuery(r)
	if err != nil {
		return answer{}, err
	}
	var out endedJobs
	err = s.History.Ended(r.Context(), func(j *hadoop.Summary) bool {
		if q.match(j) {
			out.Job = append(out.Job, endedJob{j.Submit, j.Start, j.Finish, j.ID.String(), j.Name, j.Queue, j.User, j.State,
				j.Maps, j.Maps, j.Reduces, j.Reduces})
		}
		return int64(len(out.Job)) < q.limit
	})
	return answer{"jobs", out}, err
}

func (s *Server) runningJobs(r *http.Request) (answer, error) {
	if s.Live == nil {
		return answer{}, noMaster(r)
	}
	list, err := s.Live.List(r.Context(), status.Filter{})
	if err != nil {
		return answer{}, err
	}
	var out runningJobs
	for _, j := range list {
		whole, err := s.Live.Status(r.Context(), j.ID, status.Query{Attempts: true})
		switch {
		case err == nil:
			out.Job = append(out.Job, projectRunning(whole, s.now(), true))
		case failure.Is(err, failure.Permission):
			out.Job = append(out.Job, projectRunning(j, s.now(), false))
		case !failure.Is(err, failure.NotFound): // the job may just have ended
			return answer{}, err
		}
	}
	return answer{"jobs", out}, nil
}

func (s *Server) runningJob(r *http.Request) (answer, error) {
	if s.Live == nil {
		return answer{}, noMaster(r)
	}
	id, err := jobID(r)
	if err != nil {
		return answer{}, err
	}
	j, err := s.Live.Status(r.Context(), id, status.Query{Attempts: true})
	if failure.Is(err, failure.NotFound) {
		err = noJob(r)
	}
	if err != nil {
		return answer{}, err
	}
	return answer{"job", projectRunning(j, s.now(), true)}, nil
}

func projectRunning(j *status.Job, now int64, all bool) *runningJob {
	x := &runningJob{StartTime: j.StartMs, FinishTime: j.FinishMs, ElapsedTime: elapsed(j.StartMs, j.FinishMs, now),
		ID: j.ID.String(), Name: j.Name, User: j.User, Queue: j.Queue, State: masterState(j.State),
		MapsTotal: j.Maps.Total, MapsCompleted: j.Maps.Done, ReducesTotal: j.Reduces.Total,
		ReducesCompleted: j.Reduces.Done, MapProgress: percent(j.Maps.Progress * 100),
		ReduceProgress: percent(j.Reduces.Progress * 100)}
	if !all {
		return x
	}
	x.Diagnostics = &j.Diagnostics
	running := map[job.TaskID]bool{}
	for _, a := range j.Attempts {
		if a.ID.Type > job.Reduce {
			continue
		}
		of := [2][5]*int32{
			{&x.NewMapAttempts, &x.RunningMapAttempts, &x.SuccessfulMapAttempts, &x.FailedMapAttempts, &x.KilledMapAttempts},
			{&x.NewReduceAttempts, &x.RunningReduceAttempts, &x.SuccessfulReduceAttempts, &x.FailedReduceAttempts,
				&x.KilledReduceAttempts}}[a.ID.Type]
		if a.State <= job.AttemptKilled {
			*of[a.State]++
		}
		if !a.State.Terminal() && !running[a.ID.TaskID] {
			running[a.ID.TaskID] = true
			*[2]*int32{&x.MapsRunning, &x.ReducesRunning}[a.ID.Type]++
		}
	}
	if !j.State.Terminal() {
		x.MapsPending = max(x.MapsTotal-x.MapsCompleted-x.MapsRunning, 0)
		x.ReducesPending = max(x.ReducesTotal-x.ReducesCompleted-x.ReducesRunning, 0)
	}
	return x
}

// masterState returns the name of a job's state at an ApplicationMaster.
func masterState(s job.State) string {
	if s == job.Prep {
		return "INITED"
	}
	return s.Shown()
}

// elapsed returns the time between two times in milliseconds, as Hadoop's Times.elapsed does. If the
// end is unknown, now is the end. If that is 0 or the start is unknown, the result is 0.
func elapsed(start, end, now int64) int64 {
	if end <= 0 {
		end = now
	}
	if start <= 0 || end <= 0 {
		return 0
	}
	return max(end-start, 0)
}

// query selects ended jobs.
type query struct {
	user, queue, state                     string
	limit                                  int64
	startBegin, startEnd, endBegin, endEnd int64
}

func (q *query) match(j *hadoop.Summary) bool {
	return (q.user == "" || j.User == q.user) && (q.queue == "" || j.Queue == q.queue) &&
		(q.state == "" || j.State == q.state) && j.Start >= q.startBegin && j.Start <= q.startEnd &&
		j.Finish >= q.endBegin && j.Finish <= q.endEnd
}

func parseQuery(r *http.Request) (*query, error) {
	v := r.URL.Query()
	q := &query{user: v.Get("user"), queue: v.Get("queue"), state: v.Get("state")}
	var err error
	if q.limit, err = number(v.Get("limit"), ""); err != nil {
		return nil, err
	}
	if q.limit <= 0 {
		return nil, badRequest("limit value must be greater then 0")
	}
	for _, t := range []struct {
		to   *int64
		name string
		none int64
	}{{&q.startBegin, "startedTimeBegin", 0}, {&q.startEnd, "startedTimeEnd", maxTime},
		{&q.endBegin, "finishedTimeBegin", 0}, {&q.endEnd, "finishedTimeEnd", maxTime}} {
		*t.to = t.none
		if text := v.Get(t.name); text != "" {
			if *t.to, err = number(text, "Invalid number format: "); err != nil {
				return nil, err
			}
		}
		if *t.to < 0 {
			return nil, badRequest(t.name + " must be greater than 0")
		}
	}
	switch {
	case q.startBegin > q.startEnd:
		return nil, badRequest("startedTimeEnd must be greater than startTimeBegin") // Hadoop's spelling
	case q.endBegin > q.endEnd:
		return nil, badRequest("finishedTimeEnd must be greater than finishedTimeBegin")
	}
	if v.Has("state") {
		known := false
		for _, s := range states {
			known = known || s == q.state
		}
		if !known {
			return nil, illegal("No enum constant org.apache.hadoop.mapreduce.v2.api.records.JobState." + echo(q.state))
		}
	}
	return q, nil
}

const maxTime = 1<<63 - 1

// number parses a number. The text "" means no limit.
func number(text, prefix string) (int64, error) {
	if text == "" {
		return maxTime, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, badRequest(prefix + `For input string: "` + echo(text) + `"`)
	}
	return n, nil
}

func (s *Server) conf(r *reply) (answer, error) {
	path, list, err := s.History.Conf(r.Context(), r.ID)
	if failure.Is(err, failure.NotFound) || failure.Is(err, failure.IO) {
		err = notFound("unable to load configuration for job: " + r.ID.String())
	}
	if err != nil {
		return answer{}, err
	}
	c := jobConf{Path: path}
	for _, p := range list {
		c.Property = append(c.Property, setting{p.Name, p.Value, append(p.Source[:len(p.Source):len(p.Source)], path)})
	}
	return answer{"conf", c}, nil
}

// scheme returns the scheme of the request's URL.
func scheme(r *http.Request) string {
	return cmp.Or(map[bool]string{true: "https"}[r.TLS != nil], "http")
}
