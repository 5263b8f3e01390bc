package yarn

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/howdah/howdah/job"
)

// cluster queries the ResourceManager and, through it, the job's ApplicationMaster. If a query
// fails, the caller uses only the output of Hadoop's client.
type cluster struct {
	base string // http://host:port
	app  string // application_…
	http http.Client
}

const (
	restTimeout = 5 * time.Second
	restMax     = 8 << 20 // maximum size of a response, in bytes
)

// newCluster parses a tracking URL of the form http://host:port/proxy/application_…/. It returns
// false if the URL has a different form or does not belong to the job id.
func newCluster(tracking string, id job.ID) (*cluster, bool) {
	u, err := url.Parse(tracking)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, false
	}
	app := fmt.Sprintf("application_%s_%04d", id.Cluster, id.Seq)
	if !strings.Contains(u.Path, app) {
		return nil, false
	}
	return &cluster{base: u.Scheme + "://" + u.Host, app: app, http: http.Client{Timeout: restTimeout}}, true
}

func (c *cluster) get(ctx context.Context, path string, into any) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+path, nil)
	if err != nil {
		return false
	}
	req.Header.Set("Accept", "application/json")
	r, err := c.http.Do(req)
	if err != nil {
		return false
	}
	defer r.Body.Close()
	return r.StatusCode == http.StatusOK && json.NewDecoder(io.LimitReader(r.Body, restMax)).Decode(into) == nil
}

// application is the ResourceManager's description of an application.
type application struct {
	State       string // such as ACCEPTED, RUNNING, FINISHED, FAILED, or KILLED; "" means unknown
	FinalStatus string // SUCCEEDED, FAILED, KILLED, UNDEFINED
	Diagnostics string
}

func (c *cluster) application(ctx context.Context) (application, bool) {
	var r struct{ App application }
	ok := c.get(ctx, "/ws/v1/cluster/apps/"+c.app, &r)
	return r.App, ok && r.App.State != ""
}

// progress returns the completed fractions of the maps and reduces, from 0 to 1. It queries the
// ApplicationMaster, so ok is false after the job has ended.
func (c *cluster) progress(ctx context.Context, id job.ID) (maps, reduces float32, ok bool) {
	var r struct {
		Job struct{ MapProgress, ReduceProgress float32 }
	}
	if !c.get(ctx, "/proxy/"+c.app+"/ws/v1/mapreduce/jobs/"+id.String(), &r) {
		return 0, 0, false
	}
	return r.Job.MapProgress / 100, r.Job.ReduceProgress / 100, true
}

// kill makes the ResourceManager end the application.
func (c *cluster) kill(ctx context.Context, user string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut,
		c.base+"/ws/v1/cluster/apps/"+c.app+"/state?user.name="+url.QueryEscape(user),
		strings.NewReader(`{"state":"KILLED"}`))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	r, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	if r.StatusCode >= 300 {
		return fmt.Errorf("the ResourceManager responded with %s", r.Status)
	}
	return nil
}

// failedAttempts returns the failed attempts of a task with the reasons. It queries the job's
// ApplicationMaster or, after that has ended, the history server at history (host:port; "" means
// none).
func (c *cluster) failedAttempts(ctx context.Context, id job.ID, task, history string) []failedAttempt {
	rest := "/mapreduce/jobs/" + id.String() + "/tasks/" + task + "/attempts"
	var r struct {
		TaskAttempts struct {
			TaskAttempt []struct{ ID, State, Diagnostics string }
		}
	}
	if !c.get(ctx, "/proxy/"+c.app+"/ws/v1"+rest, &r) {
		h := &cluster{base: "http://" + history, http: c.http}
		if history == "" || !h.get(ctx, "/ws/v1/history"+rest, &r) {
			return nil
		}
	}
	var out []failedAttempt
	for _, a := range r.TaskAttempts.TaskAttempt {
		if attempt, err := job.ParseAttemptID(a.ID); err == nil && a.State == "FAILED" {
			first, _, _ := strings.Cut(strings.TrimSpace(a.Diagnostics), "\n")
			out = append(out, failedAttempt{attempt, reason(first)})
		}
	}
	return out
}
