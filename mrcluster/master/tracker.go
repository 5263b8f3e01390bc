package master

import (
	"context"

	"google.golang.org/grpc"

	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job"
)

// tracker is the line to an MR-cluster's JobTracker, and what is remembered of its jobs.
type tracker struct {
	addr string
	conn *grpc.ClientConn
	jobs map[string]*jobBook
}

// jobBook is what is known of a job. Of one that is over it does not change any more.
type jobBook struct {
	over    bool
	tasks   int64 // that are done
	written int64 // bytes of output
	millis  [2]int64
}

// cluster is what a JobTracker told.
type cluster struct {
	client client.JobsClient
	status *client.ClusterStatus
	jobs   []*client.JobStatus // unfinished ones
	books  map[string]*jobBook
}

// Limits of what one look asks for: a job's counters are the sum over its tasks.
const (
	askedJobs  = 50
	knownBooks = 10_000
)

// look asks for all that a sample and drains need.
func (t *tracker) look(ctx context.Context, addr string) (*cluster, error) {
	if t.addr != addr {
		t.close()
		conn, err := rpc.Dial(addr, rpc.Options{})
		if err != nil {
			return nil, err
		}
		t.addr, t.conn, t.jobs = addr, conn, map[string]*jobBook{}
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
	asked := 0
	for _, j := range all.Job {
		if j.FinishMs == 0 {
			c.jobs = append(c.jobs, j)
		}
		if b := t.jobs[j.Id]; b != nil && b.over || asked >= askedJobs || len(t.jobs) >= knownBooks && t.jobs[j.Id] == nil {
			continue
		}
		asked++
		if err := t.read(ctx, c.client, j); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// read asks for a job's counters.
func (t *tracker) read(ctx context.Context, jobs client.JobsClient, j *client.JobStatus) error {
	s, err := jobs.Status(ctx, &client.StatusRequest{Id: j.Id, Counters: true})
	if err != nil {
		return err
	}
	b := &jobBook{over: s.FinishMs > 0, tasks: int64(s.MapsDone + s.ReducesDone)}
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
	t.jobs[j.Id] = b
	return nil
}

func (t *tracker) close() {
	if t.conn != nil {
		t.conn.Close()
	}
	t.addr, t.conn = "", nil
}
