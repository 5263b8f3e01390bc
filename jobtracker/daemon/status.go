package daemon

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/diagnosis"
	"github.com/howdah/howdah/internal/plural"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/jobtracker/view"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/fifo"
)

func (d *Daemon) trackingURL(id job.ID) string {
	return d.scheme() + "://" + d.HTTPAddr() + "/jobs/" + id.String()
}

// scheme returns the URL scheme of the cluster's pages, http or https.
func (d *Daemon) scheme() string { return d.cfg.RPC.TLS.Scheme() }

// jobStatus returns the status of a job in m, or nil if m does not have the job. The caller must
// pass its attempts to view.Link.
func (d *Daemon) jobStatus(m *jobtracker.Machine, seq int32, q status.Query) *status.Job {
	s := view.Job(m, seq, q)
	if s == nil {
		return nil
	}
	s.TrackingURL = d.trackingURL(s.ID)
	if !m.Job(seq).State.Terminal() {
		s.Pool, s.PredictedFinishMs = groupOf(m, seq), d.forecast.finish(m, seq)
		view.AddRunning(m, s, d.scheme())
		if s.Diagnostics == "" {
			s.Diagnostics = d.waits(m, seq)
		}
	} else if s.JobFile != "" {
		s.JobFile = "file:" + d.archive.ConfFile(s.ID) // the staging directory is deleted
	}
	return s
}

// waits returns status.WaitsPrefix and why a job without a running attempt waits, if all reduce
// slots are in use and early reduces of other jobs occupy some of them. Otherwise, it returns "".
func (d *Daemon) waits(m *jobtracker.Machine, seq int32) string {
	c, j := m.Cluster(), m.Job(seq)
	if j.Pending[job.Reduce] == 0 || j.Running != [2]int32{} || c.Used[job.Reduce] < c.Slots[job.Reduce] {
		return ""
	}
	e := &d.early
	if len(m.Jobs()) < manyRunning || m.Now()-e.at >= keepPrediction {
		e.at, e.why = m.Now(), earlyReduces(m)
	}
	return e.why
}

// early is why jobs waited for reduce slots at the time at, in milliseconds since the epoch. The
// reason is the same for all jobs. If there are many, it is repeated, as predictions are.
type early struct {
	at  int64
	why string
}

// earlyReduces returns status.WaitsPrefix and which reduces occupy slots while they wait for maps.
// If there are none, it returns "".
func earlyReduces(m *jobtracker.Machine) string {
	reduces, jobs, example := int32(0), 0, job.ID{Cluster: m.ClusterID()}
	for _, seq := range m.Jobs() {
		j := m.Job(seq)
		if j.Running[job.Reduce] > 0 && j.Finished[job.Map]+j.Failed[job.Map] < j.Tasks[job.Map] {
			reduces, jobs, example.Seq = reduces+j.Running[job.Reduce], jobs+1, seq
		}
	}
	if jobs == 0 {
		return ""
	}
	return status.WaitsPrefix + fmt.Sprintf("all reduce slots are in use, and %s of %s, such as %s, occupy them "+
		"while they wait for maps. What helps: %s.",
		plural.Of(int(reduces), "reduce"), plural.Of(jobs, "job"), example, diagnosis.EarlyReducesRemedy)
}

// maxLoads is the maximum number of jobs that the JobTracker reads from the history concurrently. A
// job can have a million tasks.
const maxLoads = 2

// retired returns a machine with a job from the history, for a job that the JobTracker's own
// machine has dropped. If the job's last facts are still on their way to the history, it waits for
// them.
func (d *Daemon) retired(ctx context.Context, id job.ID) (*jobtracker.Machine, error) {
	select {
	case d.loads <- struct{}{}:
		defer func() { <-d.loads }()
	case <-ctx.Done():
		return nil, failure.New(failure.Timeout, "read history", id.String(), ctx.Err())
	}
	policy, err := fifo.New(scheduler.Setup{Conf: conf.New()}) // a replay of facts does not call the policy
	if err != nil {
		return nil, err
	}
	m, err := d.archive.Load(id, policy)
	if err == nil && m == nil {
		if err = d.archive.Settle(ctx); err == nil {
			m, err = d.archive.Load(id, policy)
		}
	}
	if err == nil && m == nil {
		err = errNoJob("find", id)
	}
	return m, err
}

func (d *Daemon) retiredStatus(ctx context.Context, id job.ID, q status.Query) (*status.Job, error) {
	m, err := d.retired(ctx, id)
	if err != nil {
		return nil, err
	}
	s := d.jobStatus(m, id.Seq, q)
	if s == nil {
		return nil, errNoJob("find", id)
	}
	view.Link(s.Attempts, d.scheme())
	s.Retired = true
	return s, nil
}

// clusterStatus returns the part of the cluster's status that the machine and the policies know,
// except the TaskTrackers.
func (d *Daemon) clusterStatus(m *jobtracker.Machine) *status.Cluster {
	p := d.policies.Status()
	s := &status.Cluster{ID: d.cluster, StartedMs: d.started.UnixMilli(), Epoch: d.epoch, Scheduler: p.Name,
		Problem: p.Problem,
		Version: d.cfg.Version, Web: d.HTTPAddr(), Closed: d.gate.why()}
	s.Prep, s.Running = unfinished(m)
	s.Finished = m.UsedJobs() - int64(s.Prep) - int64(s.Running)
	return s
}

// minFree is the minimum space that the journal needs, in bytes. It is enough for a few records.
const minFree = 1 << 20

// diskProblem returns what is wrong with the disk of the journal in dir, or "". The JobTracker itself
// notices a full disk only when it writes. free is disk.Free.
func diskProblem(dir string, free func(string) (int64, error)) string {
	n, err := free(dir)
	switch {
	case err != nil:
		return err.Error()
	case n < minFree:
		return fmt.Sprintf("the disk of %s is full (%d bytes are free)", dir, n)
	}
	return ""
}

// unfinished counts the jobs in state Prep and the other unfinished jobs.
func unfinished(m *jobtracker.Machine) (prep, running int32) {
	for _, seq := range m.AllJobs() {
		switch j := m.Job(seq); {
		case j.State == job.Prep:
			prep++
		case !j.State.Terminal():
			running++
		}
	}
	return prep, running
}
