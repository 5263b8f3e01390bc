package btworld

import (
	"context"
	"sync"

	"github.com/howdah/howdah/apps/internal/dir"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/jobcontrol"
)

// run is the state of a running workflow.
type run struct {
	*options
	r       mapreduce.Runner
	queries []query
	graph   *jobcontrol.Graph
	last    map[string]*jobcontrol.Job // by query: the job that writes the query's output

	mu      sync.Mutex // guards results because jobs end concurrently
	results map[string]*mapreduce.Result
}

func newRun(r mapreduce.Runner, o *options, queries []query) *run {
	w := &run{options: o, r: r, queries: queries, graph: jobcontrol.New(o.parallel), last: map[string]*jobcontrol.Job{},
		results: map[string]*mapreduce.Result{}}
	for _, q := range queries {
		w.add(q)
	}
	return w
}

// between returns the hidden directory that contains the intermediate outputs.
func (w *run) between() string { return w.out + "/_between" }

// add adds the jobs of a query. Each job depends on the jobs that write its inputs.
func (w *run) add(q query) {
	in := w.in
	var after []*jobcontrol.Job
	if q.from != "" {
		in, after = files(w.out+"/"+q.from), append(after, w.last[q.from])
	}
	if q.with != "" {
		after = append(after, w.last[q.with])
	}
	spent := ""
	for i, j := range q.jobs {
		out := w.out + "/" + q.name
		if i < len(q.jobs)-1 {
			out = w.between() + "/" + j.Name
		}
		step := step{job: j, in: in, out: out, spent: spent}
		if i == 0 {
			step.with = q.with
		}
		node := w.graph.Add(j.Name, func(ctx context.Context) error { return w.submit(ctx, step) }, after...)
		in, after, spent = files(out), []*jobcontrol.Job{node}, out
		w.last[q.name] = node
	}
}

// files returns a path pattern that matches the part files in dir, an output directory.
func files(dir string) string { return dir + "/part-*" }

// step is one job of the workflow.
type step struct {
	job     *mapreduce.Job
	in, out string
	with    string // second query whose output the job reads; "" if there is none
	spent   string // directory to delete after this job; "" if there is none
}

func (w *run) submit(ctx context.Context, s step) error {
	c := w.r.Conf().Clone()
	if in, ok := s.job.Input.(mapreduce.MultipleInputs); ok {
		in.Add(c, sideTrackers, files(w.out+"/"+s.with))
		in.Add(c, sideScrapes, s.in)
	} else {
		mapreduce.SetInputPaths(c, s.in)
	}
	for k, v := range s.job.Conf { // settings that the job needs, so users cannot change them
		c.Set(k, v, w.app)
	}
	for k, v := range w.settings() {
		c.Set(k, v, w.app)
	}
	mapreduce.SetOutputPath(c, s.out)
	res, err := w.r.Run(ctx, s.job, c)
	if err != nil {
		return err
	}
	w.mu.Lock()
	w.results[s.job.Name] = res
	w.mu.Unlock()
	if s.spent == "" {
		return nil
	}
	return dir.Delete(ctx, w.r.FS(), s.spent)
}

// volume returns the number of bytes that the first job of a query read and the number of bytes
// that its last job wrote.
func (w *run) volume(q query) (in, out int64) {
	first, last := w.results[q.jobs[0].Name], w.results[q.jobs[len(q.jobs)-1].Name]
	return first.Counters.Builtin[job.InputBytesRead], last.Counters.Builtin[job.OutputBytesWritten]
}
