package daemon

import (
	"bufio"
	"context"
	"io"
	"sync"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/history"
	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/fifo"
)

// Viewer tells of the jobs in a journal what a JobTracker tells of its own: a journal that a simulation wrote, or GET /journal.
// Its methods may be called concurrently.
type Viewer struct {
	mu        sync.Mutex
	m         *jobtracker.Machine
	scheduler string
}

// ReadJournal reads a whole journal. Jobs that were retired in it are kept. A journal that ends in the middle of a record is
// read up to there; torn tells so. A damaged one is refused with kind Corrupt.
func ReadJournal(r io.Reader) (v *Viewer, torn bool, err error) {
	policy, err := fifo.New(scheduler.Setup{Conf: conf.New()}) // facts are replayed without asking it
	if err != nil {
		return nil, false, err
	}
	m, err := jobtracker.New(jobtracker.DefaultConfig(), policy)
	if err != nil {
		return nil, false, err
	}
	v = &Viewer{m: m, scheduler: "of a journal"}
	d := history.NewDecoder(bufio.NewReaderSize(r, 1<<20)).Strict()
	for {
		var e event.Event
		switch err := d.Next(&e); {
		case err == io.EOF, err == history.ErrTorn:
			return v, err != io.EOF, nil
		case err != nil:
			return nil, false, err
		case e.Type == event.JobRetired:
			continue
		case e.Type == event.SchedulerChanged && e.N == 0:
			v.scheduler = e.Name
		}
		if err := m.Apply(&e); err != nil {
			return nil, false, err
		}
	}
}

// Jobs lists the ids of all jobs by number.
func (v *Viewer) Jobs() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	var list []string
	for _, seq := range v.m.AllJobs() {
		list = append(list, job.ID{Cluster: v.m.ClusterID(), Seq: seq}.String())
	}
	return list
}

// Status tells about one job.
func (v *Viewer) Status(_ context.Context, r *client.StatusRequest) (*client.JobStatus, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	id, err := job.ParseID(r.Id)
	if err != nil {
		return nil, failure.New(failure.Usage, "show job", "", err)
	}
	if s := jobStatus(v.m, id.Seq, r); s != nil && id.Cluster == v.m.ClusterID() {
		return s, nil
	}
	return nil, errf(failure.NotFound, "find", r.Id, "the journal has no such job")
}

// List tells about all jobs, over or not.
func (v *Viewer) List(context.Context, *client.ListRequest) (*client.ListReply, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	reply := &client.ListReply{}
	for _, seq := range v.m.AllJobs() {
		reply.Job = append(reply.Job, jobStatus(v.m, seq, &client.StatusRequest{}))
	}
	return reply, nil
}

// Cluster tells about the TaskTrackers at the journal's end.
func (v *Viewer) Cluster(context.Context, *client.Empty) (*client.ClusterStatus, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	s := &client.ClusterStatus{Cluster: v.m.ClusterID(), Scheduler: v.scheduler, Epoch: v.m.Restarts()}
	for _, h := range v.m.Trackers() {
		t, _ := v.m.TrackerInfo(h)
		s.Tracker = append(s.Tracker, trackerStatus(v.m, &t))
	}
	for _, seq := range v.m.AllJobs() {
		if v.m.Job(seq).State.Terminal() {
			s.JobsFinished++
		} else {
			s.JobsRunning++
		}
	}
	return s, nil
}

// Scheduler tells which policy was in place last, as far as the journal says.
func (v *Viewer) Scheduler(context.Context, *client.Empty) (*client.SchedulerStatus, error) {
	return &client.SchedulerStatus{Name: v.scheduler, By: "the journal", Speculation: "not told"}, nil
}
