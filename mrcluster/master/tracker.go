package master

import (
	"cmp"
	"context"
	"slices"

	"google.golang.org/grpc"

	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job"
)

// tracker is the line to an MR-cluster's JobTracker, and what is remembered of its jobs.
type tracker struct {
	addr  string
	conn  *grpc.ClientConn
	jobs  map[string]*jobBook
	gone  totals // of jobs that the JobTracker tells of no more
	looks int64
}

// jobBook is what is known of a job.
type jobBook struct {
	totals
	counted int64    // the look that asked for its counters last; 0 = none has
	over    bool     // and its counters are the final ones
	done    [2]int64 // tasks of each kind that millis are of
	millis  [2]int64
}

// totals are what jobs have done.
type totals struct {
	tasks   int64
	written int64 // bytes of output
}

func (t *totals) add(x totals) {
	t.tasks += x.tasks
	t.written += x.written
}

// cluster is what a JobTracker told.
type cluster struct {
	client client.JobsClient
	status *client.ClusterStatus
	jobs   []*client.JobStatus // unfinished ones
	books  map[string]*jobBook
	totals // of all jobs there ever were
}

// askedJobs is how many jobs' counters one look asks for at most, since they are sums over tasks. With more jobs they take turns; how many
// tasks wait, run and are done is told of all of them every time.
const askedJobs = 50

// look asks for all that a sample and drains need.
func (t *tracker) look(ctx context.Context, addr string) (*cluster, error) {
	if t.addr != addr {
		t.close()
		conn, err := rpc.Dial(addr, rpc.Options{})
		if err != nil {
			return nil, err
		}
		*t = tracker{addr: addr, conn: conn, jobs: map[string]*jobBook{}}
	}
	c := &cluster{client: client.NewJobsClient(t.conn), books: t.jobs}
	var err error
	if c.status, err = c.client.Cluster(ctx, &client.Empty{}); err != nil {
		return nil, err
	}
	all, err := c.client.List(ctx, &client.ListRequest{All: true})
	if err != nil {
		return nil, err
	}
	for _, j := range all.Job {
		if j.FinishMs == 0 {
			c.jobs = append(c.jobs, j)
		}
	}
	t.looks++
	t.keep(all.Job)
	for _, j := range t.turn(all.Job) {
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

// keep opens books for new jobs and closes those of jobs that are not told of any more.
func (t *tracker) keep(list []*client.JobStatus) {
	told := make(map[string]bool, len(list))
	for _, j := range list {
		told[j.Id] = true
		b := t.jobs[j.Id]
		if b == nil {
			b = &jobBook{}
			t.jobs[j.Id] = b
		}
		b.tasks = int64(j.MapsDone + j.ReducesDone)
	}
	for id, b := range t.jobs {
		if !told[id] {
			t.gone.add(b.totals)
			delete(t.jobs, id)
		}
	}
}

// turn gives the jobs whose counters are asked for now: those whose counters are the oldest.
func (t *tracker) turn(list []*client.JobStatus) []*client.JobStatus {
	open := slices.DeleteFunc(slices.Clone(list), func(j *client.JobStatus) bool { return t.jobs[j.Id].over })
	slices.SortStableFunc(open, func(a, b *client.JobStatus) int { return cmp.Compare(t.jobs[a.Id].counted, t.jobs[b.Id].counted) })
	return open[:min(len(open), askedJobs)]
}

// read asks for a job's counters.
func (t *tracker) read(ctx context.Context, jobs client.JobsClient, j *client.JobStatus) error {
	s, err := jobs.Status(ctx, &client.StatusRequest{Id: j.Id, Counters: true})
	if err != nil {
		return err
	}
	b := t.jobs[j.Id]
	b.counted, b.over, b.done = t.looks, s.FinishMs > 0, [2]int64{job.Map: int64(s.MapsDone), job.Reduce: int64(s.ReducesDone)}
	for _, c := range s.Counter {
		if !c.Builtin {
			continue
		}
		switch job.CounterID(c.Id) {
		case job.OutputBytesWritten:
			b.written = c.Value
		case job.MillisMaps:
			b.millis[job.Map] = c.Value
		case job.MillisReduces:
			b.millis[job.Reduce] = c.Value
		}
	}
	return nil
}

func (t *tracker) close() {
	if t.conn != nil {
		t.conn.Close()
	}
	t.addr, t.conn = "", nil
}
