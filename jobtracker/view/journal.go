package view

import (
	"bufio"
	"context"
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/jobtracker/history"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/fifo"
)

// Journal shows the jobs in a journal as a JobTracker shows its own. The journal is from a
// simulation or from GET /journal. A Journal is safe for concurrent use.
type Journal struct {
	mu        sync.Mutex
	m         *jobtracker.Machine
	scheduler string
}

// ReadJournal reads a whole journal and keeps retired jobs. torn reports whether the journal has a
// torn tail, which ReadJournal ignores. For a damaged journal the error is of kind Corrupt.
func ReadJournal(r io.Reader) (j *Journal, torn bool, err error) {
	policy, err := fifo.New(scheduler.Setup{Conf: conf.New()}) // a replay of facts does not call the policy
	if err != nil {
		return nil, false, err
	}
	m, err := jobtracker.New(jobtracker.DefaultConfig(), policy)
	if err != nil {
		return nil, false, err
	}
	j = &Journal{m: m, scheduler: "unknown"}
	d := history.NewDecoder(bufio.NewReaderSize(r, 1<<20))
	for {
		var e event.Event
		switch err := d.Next(&e); {
		case err == io.EOF, err == history.ErrTorn:
			return j, err != io.EOF, nil
		case err != nil:
			return nil, false, err
		case e.Type == event.JobRetired:
			continue
		case e.Type == event.SchedulerChanged && e.N == 0:
			j.scheduler = e.Name
		}
		if err := m.Apply(&e); err != nil {
			return nil, false, err
		}
	}
}

// Jobs returns the IDs of all jobs in ascending order.
func (j *Journal) Jobs() []job.ID {
	j.mu.Lock()
	defer j.mu.Unlock()
	var list []job.ID
	for _, seq := range j.m.AllJobs() {
		list = append(list, job.ID{Cluster: j.m.ClusterID(), Seq: seq})
	}
	return list
}

// Status returns the status of one job.
func (j *Journal) Status(_ context.Context, id job.ID, q status.Query) (*status.Job, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if s := Job(j.m, id.Seq, q); s != nil && id.Cluster == j.m.ClusterID() {
		Link(s.Attempts, "http")
		return s, nil
	}
	return nil, failure.New(failure.NotFound, "find", id.String(), errors.New("the journal has no such job"))
}

// List returns the status of all jobs, including finished jobs. It ignores the filter.
func (j *Journal) List(context.Context, status.Filter) (out []*status.Job, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, seq := range j.m.AllJobs() {
		out = append(out, Job(j.m, seq, status.Query{}))
	}
	return out, nil
}

// Cluster returns the live TaskTrackers and the numbers of jobs at the end of the journal.
func (j *Journal) Cluster(context.Context) (*status.Cluster, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := &status.Cluster{ID: j.m.ClusterID(), Scheduler: j.scheduler, Epoch: j.m.Restarts()}
	for _, h := range j.m.Trackers() {
		t, _ := j.m.TrackerInfo(h)
		x := Tracker(j.m, &t)
		s.Trackers = append(s.Trackers, &x)
	}
	for _, seq := range j.m.AllJobs() {
		if j.m.Job(seq).State.Terminal() {
			s.Finished++
		} else {
			s.Running++
		}
	}
	return s, nil
}

// Scheduler returns the latest policy that the journal records, and the unfinished jobs.
func (j *Journal) Scheduler(ctx context.Context, _ string) (*status.Scheduler, error) {
	s := &status.Scheduler{Name: j.scheduler, By: "the journal", Speculation: "unknown"}
	all, err := j.List(ctx, status.Filter{})
	s.Jobs = slices.DeleteFunc(all, func(x *status.Job) bool { return x.State.Terminal() })
	return s, err
}
