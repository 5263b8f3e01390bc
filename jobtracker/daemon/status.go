package daemon

import (
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/estimate"
	"github.com/howdah/howdah/scheduler/fifo"
)

func (d *Daemon) trackingURL(id job.ID) string {
	return "http://" + d.HTTPAddr() + "/jobs/" + id.String()
}

// jobStatus tells about a job as m knows it; nil = m does not.
func (d *Daemon) jobStatus(m *jobtracker.Machine, seq int32, r *client.StatusRequest) *client.JobStatus {
	s := jobStatus(m, seq, r)
	if s == nil {
		return nil
	}
	s.TrackingUrl = d.trackingURL(job.ID{Cluster: m.ClusterID(), Seq: seq})
	if !m.Job(seq).State.Terminal() {
		s.Pool, s.PredictedFinishMs = groupOf(m, seq), d.forecast.finish(m, seq)
		n := borrowed(m, seq)
		s.MapsBorrowed, s.ReducesBorrowed = n[job.Map], n[job.Reduce]
		s.Limited = limited(m, seq)
	}
	return s
}

// jobStatus tells what the facts alone tell about a job; nil = m does not know it.
func jobStatus(m *jobtracker.Machine, seq int32, r *client.StatusRequest) *client.JobStatus {
	j, ok := m.JobInfo(seq)
	if !ok {
		return nil
	}
	id := job.ID{Cluster: m.ClusterID(), Seq: seq}
	s := &client.JobStatus{
		Id: id.String(), Name: j.Spec.Name, User: j.Spec.User, Queue: j.Spec.Queue, Priority: j.Priority.String(), State: j.State.Shown(),
		SubmitMs: j.Submit, StartMs: j.Start, FinishMs: j.Finish, DeadlineMs: j.Spec.Deadline,
		MapProgress: share(j.Progress[job.Map]), ReduceProgress: share(j.Progress[job.Reduce]),
		Maps: j.Tasks[job.Map], Reduces: j.Tasks[job.Reduce], MapsDone: j.Finished[job.Map], ReducesDone: j.Finished[job.Reduce],
		MapsRunning: j.Job.Running[job.Map], ReducesRunning: j.Job.Running[job.Reduce],
		MapsWaiting: j.Pending[job.Map], ReducesWaiting: j.Pending[job.Reduce],
		Diagnostics: j.Text, Kind: uint32(j.Kind), OutputDir: j.Spec.OutputDir,
	}
	if j.Spec.StagingDir != "" { // a simulated job has none
		s.JobFile = j.Spec.StagingDir + "/job.xml"
	}
	for i := range j.Spec.Splits {
		s.InputBytes += j.Spec.Splits[i].Length
	}
	s.Profile, _ = j.Spec.Get(estimate.Key)
	s.ProfileFrom, _ = j.Spec.Get(KeyProfileFrom)
	if r.Attempts {
		m.Attempts(seq, func(a jobtracker.AttemptInfo) bool {
			s.Attempt = append(s.Attempt, attemptStatus(m, &a, r.Counters))
			return true
		})
	}
	if r.Counters {
		s.Counter = counters(m.Counters(seq, true))
	}
	return s
}

func share(millionths int32) float32 { return float32(millionths) / 1e6 }

// limited lists the running attempts of a job to which an orchestrator has ever given a share of their own.
func limited(m *jobtracker.Machine, seq int32) (out []*client.AttemptStatus) {
	var buf []*scheduler.Attempt
	for _, t := range []job.TaskType{job.Map, job.Reduce} {
		buf = m.Running(seq, t, buf[:0])
		for _, a := range buf {
			if info, ok := m.LimitsOf(a.ID); ok {
				out = append(out, attemptStatus(m, &info, false))
			}
		}
	}
	return out
}

func attemptStatus(m *jobtracker.Machine, a *jobtracker.AttemptInfo, withCounters bool) *client.AttemptStatus {
	id := a.ID.ID(m.ClusterID()).String()
	s := &client.AttemptStatus{
		Id: id, Type: a.ID.Type.String(), State: a.State.String(), StartMs: a.Start, FinishMs: a.Finish,
		Progress: share(a.Progress), Phase: a.Phase.String(), Diagnostics: a.Text, Locality: a.Locality.String(), Status: a.Status,
		Kind: uint32(a.Kind), ShuffleMs: a.ShuffleDone, SortMs: a.SortDone,
	}
	if a.Slot != a.ID.Type && a.ID.Type <= job.Reduce {
		s.Slot = a.Slot.String()
	}
	if t, ok := m.TrackerInfo(a.Tracker); ok {
		s.Tracker, s.LogUrl = t.Name, "http://"+t.Addr+"/tasklog?attemptid="+id
	}
	s.CpuLimit, s.MemoryLimit = a.CPU, a.Memory
	for _, c := range a.Changes {
		s.LimitChange = append(s.LimitChange, &client.LimitChange{AtMs: c.Time, Cpu: c.CPU, Memory: c.Memory, Why: c.Why})
	}
	if withCounters {
		s.Counter = counters(a.Counters)
	}
	return s
}

// counters lists what is not zero, by Hadoop's names.
func counters(c *job.Counters) []*client.Counter {
	if c == nil {
		return nil
	}
	var list []*client.Counter
	for i, v := range c.Builtin {
		if v == 0 {
			continue
		}
		info := job.CounterID(i).Info()
		list = append(list, &client.Counter{Group: info.Group, GroupDisplay: info.GroupDisplay, Name: info.Name, Display: info.Display,
			Value: v, Id: uint32(i), Builtin: true})
	}
	for _, u := range c.User {
		list = append(list, &client.Counter{Group: u.Group, GroupDisplay: u.Group, Name: u.Name, Display: u.Name, Value: u.Value})
	}
	return list
}

// retired rebuilds a job that the machine forgot from its history.
func (d *Daemon) retired(id job.ID) (*jobtracker.Machine, error) {
	policy, err := fifo.New(scheduler.Setup{Conf: conf.New()}) // facts are replayed without asking it
	if err != nil {
		return nil, err
	}
	m, err := d.history.load(id, policy)
	if err == nil && m == nil {
		err = errNoJob("find", id)
	}
	return m, err
}

func (d *Daemon) retiredStatus(id job.ID, r *client.StatusRequest) (*client.JobStatus, error) {
	m, err := d.retired(id)
	if err != nil {
		return nil, err
	}
	s := d.jobStatus(m, id.Seq, r)
	if s == nil {
		return nil, errNoJob("find", id)
	}
	s.Retired, s.JobFile = true, "file:"+d.history.confFile(id)
	return s, nil
}

// taskEvents gives a page of a job's completion events; nil = m does not know the job.
func taskEvents(m *jobtracker.Machine, seq int32, from, n int) *client.EventsReply {
	if m.Job(seq) == nil {
		return nil
	}
	reply := &client.EventsReply{}
	for i, e := range m.TaskEvents(seq, from, n, nil) {
		out := &client.TaskEvent{Number: int32(from + i), Attempt: e.Attempt.ID(m.ClusterID()).String(), State: e.Status, RunMs: e.Millis}
		if t, ok := m.TrackerInfo(e.Tracker); ok {
			out.TrackerUrl = "http://" + t.Addr
		}
		reply.Event = append(reply.Event, out)
	}
	return reply
}

func (d *Daemon) clusterStatus(m *jobtracker.Machine) *client.ClusterStatus {
	p := d.policies.status()
	s := &client.ClusterStatus{Cluster: d.cluster, StartedMs: d.started.UnixMilli(), Epoch: d.epoch, Scheduler: p.Name, SchedulerProblem: p.Problem,
		Version: d.cfg.Version, Web: d.HTTPAddr(), Closed: d.gate.why()}
	s.JobsPrep, s.JobsRunning = unfinished(m)
	s.JobsFinished = m.UsedJobs() - int64(s.JobsPrep) - int64(s.JobsRunning)
	for _, h := range m.Trackers() {
		t, _ := m.TrackerInfo(h)
		s.Tracker = append(s.Tracker, trackerStatus(m, &t))
	}
	return s
}

// unfinished counts the jobs that are not over.
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

func trackerStatus(m *jobtracker.Machine, t *jobtracker.TrackerInfo) *client.TrackerStatus {
	s := &client.TrackerStatus{Name: t.Name, Host: t.Host, Rack: t.Rack, Addr: t.Addr, MapSlots: t.Slots[job.Map], ReduceSlots: t.Slots[job.Reduce],
		MapsUsed: t.Used[job.Map], ReducesUsed: t.Used[job.Reduce], LastBeatMs: t.LastBeat, Blacklisted: t.Blacklisted != "", Why: t.Blacklisted,
		MemoryMb: t.Memory, Vcores: t.VCores, MemoryUsedMb: t.UsedMemory, VcoresUsed: t.UsedVCores, OtherLoad: share(t.OtherLoad)}
	if s.Why == "" {
		s.Why = t.Unhealthy
	}
	if d := m.DrainInfo(t.Handle); d.How != jobtracker.DrainOff {
		s.Drain = &client.DrainStatus{How: d.How.String(), Why: d.Why, SinceMs: d.Since, DoneMs: d.Done, Attempts: int32(t.Run + t.Dying), Outputs: int32(d.Outputs)}
	}
	return s
}
