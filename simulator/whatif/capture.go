package whatif

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/scheduler/estimate"
)

// A Capture reads the state of a JobTracker. Because the goroutine that owns the JobTracker's
// machine also answers heartbeats, the caller reads in steps and lets the goroutine do other work
// in between. A task that ends between two steps may be missing or counted twice. The JobTracker's
// machine is unchanged.
type Capture struct {
	state State
	// jobs has the jobs in the state, by index.
	jobs     []captured
	past     []captured // the jobs in state.Past
	left     []int32
	trackers map[int32]int32
	running  int
	tasks    int64
	buf      [2][]*scheduler.Attempt
}

type captured struct {
	id   job.ID
	spec *job.Spec
}

// Profiles returns what is known of running jobs. *estimate.Learner implements it.
type Profiles interface {
	Profile(seq int32) estimate.Profile
	MapEnd(seq int32) int64
}

// stepAttempts is the number of attempts after which a step ends.
const stepAttempts = 2000

// Begin reads the TaskTrackers and which of the given jobs to read. It returns an error of kind
// Limit if the cluster is too large for a State.
func Begin(v scheduler.View, jobs []int32) (*Capture, error) {
	c := &Capture{state: State{Format: Format, Now: v.Now()}, trackers: map[int32]int32{}}
	for _, handle := range v.Trackers() {
		t := v.Tracker(handle)
		c.trackers[handle] = int32(len(c.state.Trackers))
		c.state.Trackers = append(c.state.Trackers, Tracker{Slots: t.Slots, Memory: t.Memory, VCores: t.VCores,
			Load: t.OtherLoad})
	}
	for _, seq := range jobs {
		if j := v.Job(seq); j != nil && (j.State == job.Prep || j.State == job.Running) {
			c.left = append(c.left, seq)
			c.tasks += int64(j.Tasks[0]) + int64(j.Tasks[1])
		}
	}
	unfinished := len(c.left)
	for i := len(jobs) - 1; i >= 0 && len(c.left) < unfinished+maxPast; i-- {
		if j := v.Job(jobs[i]); j != nil && j.State == job.Succeeded {
			c.left = append(c.left, jobs[i])
		}
	}
	if unfinished > MaxJobs || len(c.state.Trackers) > MaxTrackers || c.tasks > MaxTasks {
		return nil, tooLarge()
	}
	return c, nil
}

func tooLarge() error {
	return failure.New(failure.Limit, "describe", "the cluster", fmt.Errorf("a prediction is limited to %d jobs with "+
		"%d tasks, %d of them running, and %d TaskTrackers", MaxJobs, MaxTasks, MaxRunning, MaxTrackers))
}

// Step reads some of the jobs. It reports whether any are left.
func (c *Capture) Step(v scheduler.View, p Profiles, cluster string) (more bool, err error) {
	for looked := 0; len(c.left) > 0 && looked < stepAttempts; {
		seq := c.left[0]
		c.left = c.left[1:]
		j := v.Job(seq)
		switch {
		case j == nil:
		case j.State == job.Succeeded:
			looked += c.addPast(v, j)
		case j.State == job.Prep || j.State == job.Running:
			looked += c.add(v, p, j)
			c.jobs[len(c.jobs)-1].id.Cluster = cluster
		}
	}
	if c.running > MaxRunning {
		return false, tooLarge()
	}
	c.state.Now = v.Now()
	return len(c.left) > 0, nil
}

// add reads a job and returns the number of attempts that it looked at.
func (c *Capture) add(v scheduler.View, p Profiles, j *scheduler.Job) (looked int) {
	s := j.Spec
	x := Job{Priority: j.Priority, Submit: j.Submit, Start: j.Start, Deadline: s.Deadline, SlowStart: s.SlowStart,
		Limits: [2]int32{s.MapLimit, s.ReduceLimit}, Tasks: j.Tasks, Profile: p.Profile(j.Seq).String()}
	for k := range x.Done {
		x.Done[k] = j.Finished[k] + j.Failed[k]
	}
	if x.Done[job.Map] == x.Tasks[job.Map] {
		x.MapsDone = p.MapEnd(j.Seq)
	}
	for k := range c.buf {
		typ := job.TaskType(k)
		c.buf[k] = v.Running(j.Seq, typ, c.buf[k][:0])
		looked += len(c.buf[k])
		c.attempts(&x, c.buf[k])
		c.buf[k] = v.Ended(j.Seq, typ, c.buf[k][:0])
		looked += 1 + len(c.buf[k])
	}
	x.Seen = seen(c.buf, x.MapsDone)
	for k := range c.buf {
		clear(c.buf[k])
	}
	c.running += len(x.Running)
	c.state.Jobs = append(c.state.Jobs, x)
	c.jobs = append(c.jobs, captured{job.ID{Seq: j.Seq}, s})
	return looked
}

// addPast reads a successful job and returns the number of attempts that it looked at.
func (c *Capture) addPast(v scheduler.View, j *scheduler.Job) (looked int) {
	if len(c.past) == maxPast { // jobs have ended since Begin
		return 1
	}
	for k := range c.buf {
		c.buf[k] = v.Ended(j.Seq, job.TaskType(k), c.buf[k][:0])
		looked += 1 + len(c.buf[k])
	}
	mapsDone := j.Start
	for _, a := range c.buf[job.Map] {
		if a.State == job.AttemptSucceeded {
			mapsDone = max(mapsDone, a.Finish)
		}
	}
	c.state.Past = append(c.state.Past, Past{Seen: seen(c.buf, mapsDone)})
	c.past = append(c.past, captured{spec: j.Spec})
	for k := range c.buf {
		clear(c.buf[k])
	}
	return looked
}

// attempts adds the running tasks. Of several attempts of a task, only the oldest counts.
func (c *Capture) attempts(x *Job, list []*scheduler.Attempt) {
	added := map[int32]bool{}
	for _, a := range list {
		at, live := c.trackers[a.Tracker]
		if !live || a.Slot > job.Reduce || added[a.ID.Index] {
			continue
		}
		added[a.ID.Index] = true
		x.Running = append(x.Running, Attempt{Type: a.ID.Type, Slot: a.Slot, Tracker: at, Start: a.Start,
			Progress: a.Progress, SortDone: a.SortDone})
	}
}

// seen returns durations of the successful attempts. It measures reduces as estimate.Measure does.
func seen(ended [2][]*scheduler.Attempt, mapsDone int64) (s Seen) {
	sample(ended[job.Map], func(a *scheduler.Attempt) { s.Map = append(s.Map, max(0, a.Finish-a.Start)) })
	if mapsDone == 0 {
		return s
	}
	sample(ended[job.Reduce], func(a *scheduler.Attempt) {
		from := max(a.Start, mapsDone)
		if a.SortDone == 0 || a.Finish < from { // an unknown phase, or a map ran again after the reduce
			return
		}
		sorted := min(max(a.SortDone, from), a.Finish)
		if a.Start < mapsDone {
			s.First = append(s.First, sorted-from)
		} else {
			s.Typical = append(s.Typical, sorted-from)
		}
		s.Reduce = append(s.Reduce, a.Finish-sorted)
	})
	return s
}

// sample calls f for at most maxSeen of the successful attempts, evenly spaced.
func sample(list []*scheduler.Attempt, f func(*scheduler.Attempt)) {
	step := (len(list) + maxSeen - 1) / maxSeen
	for i := 0; i < len(list); i += step {
		if list[i].State == job.AttemptSucceeded {
			f(list[i])
		}
	}
}

// A Reader is the user who gets a State.
type Reader struct {
	User  string
	Admin bool
	Key   []byte // secret from which opaque names are made; equal keys result in equal names
}

// State returns the state for the reader. x must contain all settings and files. Unless the reader
// is an administrator, other users' jobs have opaque names and no settings, and the policies' files
// and their names are left out.
func (c *Capture) State(x Scheduler, r Reader) *State {
	s := c.state
	s.Scheduler, s.Jobs, s.Past = x, slices.Clone(s.Jobs), slices.Clone(s.Past)
	for i := range s.Past {
		spec := c.past[i].spec
		if r.Admin || r.User == spec.User {
			s.Past[i].User, s.Past[i].Name = spec.User, printable(spec.Name)
		} else {
			s.Past[i].User = r.opaque("user", spec.User)
		}
	}
	pool := conf.Canonical(x.Settings[conf.FairSchedulerPoolNameProperty.Name])
	if !r.Admin {
		s.Scheduler.Files, s.Scheduler.Hidden = nil, true
		s.Scheduler.Settings = maps.Clone(x.Settings)
		maps.DeleteFunc(s.Scheduler.Settings, func(key, _ string) bool { return catalog.NamesFile(key) })
	}
	for i := range s.Jobs {
		j, spec := &s.Jobs[i], c.jobs[i].spec
		j.ID, j.User, j.Queue = c.jobs[i].id.String(), spec.User, spec.Queue
		if !r.Admin && r.User != spec.User {
			j.ID, j.User, j.Hidden = r.opaque("job", j.ID), r.opaque("user", j.User), true
			continue
		}
		j.Name = printable(spec.Name)
		for _, p := range spec.Conf {
			if len(p.Value) <= maxText && (p.Name == pool || concerns(p.Name)) {
				j.Settings = append(j.Settings, job.Property{Name: p.Name, Value: p.Value})
			}
		}
	}
	return &s
}

// opaque returns a name that reveals nothing about name.
func (r *Reader) opaque(kind, name string) string {
	h := hmac.New(sha256.New, r.Key)
	fmt.Fprintf(h, "%s %s", kind, name)
	return kind + "-" + hex.EncodeToString(h.Sum(nil)[:6])
}

// printable returns the name without control characters, limited to maxText.
func printable(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, name)
	return strings.ToValidUTF8(name[:min(len(name), maxText)], "")
}

// concerns reports whether policies use the job's setting.
func concerns(key string) bool {
	return key == conf.FairSchedulerPool.Name || key == "group.name" || strings.HasPrefix(key, "howdah.job.demand.")
}

// errEmpty means that there is nothing to predict.
var errEmpty = errors.New("the cluster has no unfinished jobs")
