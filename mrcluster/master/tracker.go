package master

import (
	"cmp"
	"context"
	"slices"

	"github.com/howdah/howdah/client"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/auth/certs"
	"github.com/howdah/howdah/internal/passwd"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/transport/tokens"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
)

// A tracker is the connection to an MR-cluster's JobTracker, with the latest figures about its
// jobs.
type tracker struct {
	conf  *conf.Config // see Config.Conf
	addr  string
	line  *client.Client
	jobs  map[job.ID]*jobBook
	gone  totals // totals of jobs that the JobTracker no longer reports
	looks int64
	void  map[string]bool // IDs of the tokens that the JobTracker rejects
}

// jobBook holds the figures for a job.
type jobBook struct {
	totals
	counted int64    // the last look that requested its counters; 0 means none
	over    bool     // the job is over and its counters are final
	done    [2]int64 // number of tasks that millis covers, by task type
	millis  [2]int64
}

// totals are sums over one job or over all jobs.
type totals struct {
	tasks   int64
	written int64 // bytes of output
}

func (t *totals) add(x totals) {
	t.tasks += x.tasks
	t.written += x.written
}

// cluster is a JobTracker's report.
type cluster struct {
	client *client.Client
	status *status.Cluster
	jobs   []*status.Job // unfinished jobs
	books  map[job.ID]*jobBook
	totals // of all jobs reported since the tracker connected
}

// askedJobs limits the number of jobs whose counters a single look requests, because the JobTracker
// sums counters over all tasks of a job. If there are more jobs, they take turns. The task counts
// of all jobs are always current.
const askedJobs = 50

// look requests the JobTracker's data for samples and drains.
func (t *tracker) look(ctx context.Context, addr string) (*cluster, error) {
	if t.addr != addr {
		t.close()
		line, err := client.Connect(t.conf, addr, passwd.Me())
		if err != nil {
			return nil, err
		}
		*t = tracker{conf: t.conf, addr: addr, line: line, jobs: map[job.ID]*jobBook{}, void: map[string]bool{}}
	}
	c := &cluster{client: t.line, books: t.jobs}
	var err error
	if c.status, err = c.client.Cluster(ctx); err != nil {
		return nil, err
	}
	all, err := c.client.List(ctx, status.Filter{All: true})
	if err != nil {
		return nil, err
	}
	for _, j := range all {
		if j.FinishMs == 0 {
			c.jobs = append(c.jobs, j)
		}
	}
	t.looks++
	t.keep(all)
	for _, j := range t.turn(all) {
		if err := t.read(ctx, c.client, j); err != nil {
			return nil, err
		}
	}
	c.totals = t.gone
	for _, b := range t.jobs {
		c.add(b.totals)
	}
	return c, nil
}

// revoke makes the JobTracker reject tokens.
func (t *tracker) revoke(ctx context.Context, list []auth.Claims) error {
	list = slices.DeleteFunc(slices.Clone(list), func(c auth.Claims) bool { return t.void[c.ID] })
	if len(list) == 0 {
		return nil
	}
	options, err := rpc.ClientOptions(t.conf, certs.JobTracker)
	if err != nil {
		return err
	}
	conn, err := rpc.Dial(t.addr, options)
	if err != nil {
		return err
	}
	defer conn.Close()
	for _, c := range list {
		if err := tokens.NewClient(conn).Revoke(ctx, auth.Issued{Claims: c}); err != nil {
			return err
		}
		t.void[c.ID] = true
	}
	return nil
}

// keep adds a jobBook for each new job. For a job that is no longer reported, it adds the book's
// totals to gone and drops the book.
func (t *tracker) keep(list []*status.Job) {
	told := make(map[job.ID]bool, len(list))
	for _, j := range list {
		told[j.ID] = true
		b := t.jobs[j.ID]
		if b == nil {
			b = &jobBook{}
			t.jobs[j.ID] = b
		}
		b.tasks = int64(j.Maps.Done + j.Reduces.Done)
	}
	for id, b := range t.jobs {
		if !told[id] {
			t.gone.add(b.totals)
			delete(t.jobs, id)
		}
	}
}

// turn returns the jobs whose counters this look should request. These are the jobs in list whose
// known counters are oldest.
func (t *tracker) turn(list []*status.Job) []*status.Job {
	open := slices.DeleteFunc(slices.Clone(list), func(j *status.Job) bool { return t.jobs[j.ID].over })
	slices.SortStableFunc(open, func(a, b *status.Job) int {
		return cmp.Compare(t.jobs[a.ID].counted,
			t.jobs[b.ID].counted)
	})
	return open[:min(len(open), askedJobs)]
}

// read requests a job's counters and stores them in the job's jobBook.
func (t *tracker) read(ctx context.Context, jobs *client.Client, j *status.Job) error {
	s, err := jobs.Status(ctx, j.ID, status.Query{Counters: true})
	if err != nil {
		return err
	}
	b := t.jobs[j.ID]
	b.counted, b.over, b.done = t.looks, s.FinishMs > 0, [2]int64{job.Map: int64(s.Maps.Done),
		job.Reduce: int64(s.Reduces.Done)}
	b.written = s.Counters.Builtin[job.OutputBytesWritten]
	b.millis = [2]int64{s.Counters.Builtin[job.MillisMaps], s.Counters.Builtin[job.MillisReduces]}
	return nil
}

func (t *tracker) close() {
	if t.line != nil {
		t.line.Close()
	}
	t.addr, t.line = "", nil
}
