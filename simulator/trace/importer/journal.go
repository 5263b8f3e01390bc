package importer

import (
	"bufio"
	"fmt"
	"io"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/jobtracker/history"
	"github.com/howdah/howdah/simulator/trace"
)

// journalReader reads facts from a JobTracker's journal, a job's history file, a simulator's
// journal, or the output of GET /journal.
type journalReader struct {
	im       *Import
	cluster  string
	trackers map[int32]string // host by handle
	slots    map[int32][2]int32
	names    map[string]int32 // handle by name; a tracker that rejoins replaces its predecessor
	now      [2]int32         // slots of all trackers
	most     [2]int32         // maximum of now
}

// maxChanges is the maximum number of changes of the scheduler in an import.
const maxChanges = 10_000

func (im *Import) journal(path string, r *bufio.Reader) error {
	j := &journalReader{im: im, trackers: map[int32]string{}, slots: map[int32][2]int32{}, names: map[string]int32{}}
	d := history.NewDecoder(r)
	for n := int64(1); ; n++ {
		var e event.Event
		err := d.Next(&e)
		if err == io.EOF {
			break
		}
		if err != nil {
			im.damage(path, n, "record %d, at byte %d: %v", n, d.Offset(), err)
			break
		}
		if why := j.fact(&e); why != "" {
			im.damage(path, n, "record %d, %s: %s", n, e.Type, why)
		}
	}
	if j.cluster == trace.SimulatedCluster && im.Origin == "journal" {
		im.Origin = "simulation"
	}
	for k := range j.most {
		im.book.slots[k] = max(im.book.slots[k], j.most[k])
	}
	return nil
}

// fact adds the content of the fact to the book. It returns the reason why the fact is unusable, or
// "".
func (j *journalReader) fact(e *event.Event) string {
	switch e.Type {
	case event.Started:
		j.cluster = e.Name
		return ""
	case event.TrackerJoined, event.TrackerChanged, event.TrackerLost:
		j.tracker(e)
		return ""
	case event.SchedulerChanged:
		if e.N == 0 && len(j.im.Changes) < maxChanges { // 1 is the speculator
			j.im.Changes = append(j.im.Changes, trace.Change{At: e.Time, Name: e.Name})
		}
		return ""
	case event.TrackerBlacklisted, event.TrackerCleared, event.JobRetired, event.TrackerDraining,
		event.TrackerDrained:
		return ""
	}
	if e.Job <= 0 {
		return "the job has no number"
	}
	r := j.im.book.at(job.ID{Cluster: j.cluster, Seq: e.Job}.String())
	if r == nil {
		return "too many jobs"
	}
	switch e.Type {
	case event.JobSubmitted:
		return j.submitted(r, e)
	case event.JobStarted:
		r.Launch = e.Time
	case event.JobPriorityChanged:
		r.Priority = e.Priority
	case event.JobDeadlineChanged:
		r.Deadline = e.N
	case event.JobMoved:
		r.Queue = e.Name
	case event.JobFinished:
		r.Finish, r.State = e.Time, e.JobState
	case event.AttemptStarted, event.AttemptFinished, event.TaskReopened, event.TaskFinished:
		return j.attempt(r, e)
	}
	return ""
}

// tracker records the tracker's host and the largest number of slots that the cluster has had.
func (j *journalReader) tracker(e *event.Event) {
	now := e.Slots
	switch e.Type {
	case event.TrackerJoined:
		j.trackers[e.Tracker] = j.im.book.node(e.Rack + "/" + e.Host)
		if len(j.im.book.trackers) < maxNodes {
			j.im.book.trackers[e.Name] = trace.Node{Host: e.Host, Rack: e.Rack}
		}
		if former, ok := j.names[e.Name]; ok {
			j.count(former, [2]int32{})
		}
		j.names[e.Name] = e.Tracker
	case event.TrackerLost:
		now = [2]int32{}
	}
	j.count(e.Tracker, now)
}

func (j *journalReader) count(tracker int32, now [2]int32) {
	old := j.slots[tracker]
	j.slots[tracker] = now
	for k := range now {
		j.now[k] += now[k] - old[k]
		j.most[k] = max(j.most[k], j.now[k])
	}
}

func (j *journalReader) submitted(r *record, e *event.Event) string {
	s := e.Spec
	if s == nil {
		return "the job has no specification"
	}
	r.told = true
	r.Submit, r.State = e.Time, job.Running
	r.Name, r.User, r.Queue, r.Priority, r.Deadline = s.Name, s.User, s.Queue, s.Priority, s.Deadline
	for i := range s.Splits {
		t := j.im.book.task(r, job.Map, int32(i))
		if t == nil {
			return "too many tasks"
		}
		t.hosts, t.input = s.Splits[i].Hosts, s.Splits[i].Length
	}
	for _, p := range s.Conf {
		r.set(p.Name, p.Value)
	}
	// The settings omit defaults, so the specification may contain additional values.
	if s.SlowStart > 0 {
		r.set(conf.JobReduceSlowStartCompletedMaps.Name, fmt.Sprint(float64(s.SlowStart)/1e6))
	}
	for key, n := range map[string]int32{conf.JobRunningMapLimit.Name: s.MapLimit,
		conf.JobRunningReduceLimit.Name: s.ReduceLimit,
		conf.MapMemoryMB.Name:           s.MapMemory, conf.ReduceMemoryMB.Name: s.ReduceMemory} {
		if n > 0 {
			r.set(key, fmt.Sprint(n))
		}
	}
	return ""
}

func (j *journalReader) attempt(r *record, e *event.Event) string {
	if e.Attempt.Type != job.Map && e.Attempt.Type != job.Reduce {
		return "the attempt is neither a map nor a reduce"
	}
	t := j.im.book.task(r, e.Attempt.Type, e.Attempt.Index)
	if t == nil {
		return "too many tasks"
	}
	id := e.Attempt.ID(j.cluster).String()
	if e.Type == event.TaskFinished {
		if e.TaskState == job.TaskSucceeded {
			t.succeeded = id
		}
		return ""
	}
	a := t.attempt(id)
	if a == nil {
		return "too many attempts"
	}
	switch e.Type {
	case event.AttemptStarted:
		a.start, a.host = e.Time, j.trackers[e.Tracker]
	case event.AttemptFinished:
		a.finish, a.state, a.shuffle, a.sort = e.Time, e.State, e.ShuffleDone, e.SortDone
		if e.Attempt.Type == job.Reduce && e.Counters != nil {
			a.input = e.Counters.Builtin[job.ReduceShuffleBytes]
		}
	case event.TaskReopened: // a map's output was lost
		a.state, t.succeeded = e.State, ""
	}
	return ""
}
