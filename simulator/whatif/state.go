// Package whatif predicts, by simulation, when the jobs of a running cluster end under each
// scheduling policy. A JobTracker reads its [State] with a [Capture]. [Predict] continues the state
// in simulator/tasklevel, once for each policy and repetition, and returns a [Forecast].
//
// The durations of unfinished tasks are drawn at random from what each job has shown so far. The
// same repetition draws the same durations for every policy, so differences between policies are
// paired. Jobs that arrive later are not predicted.
package whatif

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/catalog"
	"github.com/howdah/howdah/scheduler/estimate"
)

// Format is the current version of the format of a State.
const Format = 1

// State is the state of a cluster, as far as a prediction needs it. Times are in ms since the
// epoch, and durations are in ms. Arrays have an element for maps and one for reduces.
type State struct {
	Format    int       `json:"howdah_state"`
	Now       int64     `json:"now"`
	Scheduler Scheduler `json:"scheduler"`
	Trackers  []Tracker `json:"trackers"`
	Jobs      []Job     `json:"jobs"` // unfinished jobs, in the order of their sequence numbers
	// Past are the latest successful jobs in the JobTracker's memory, which show how long the tasks
	// of jobs with the same user and name take.
	Past []Past `json:"past,omitempty"`
}

// Past is a successful job.
type Past struct {
	User string `json:"user"`
	Name string `json:"name,omitempty"` // "" for another user's job
	Seen Seen   `json:"seen"`
}

// Scheduler is the active policy and the settings of all policies.
type Scheduler struct {
	Name     string            `json:"name"`
	Settings map[string]string `json:"settings,omitempty"`
	// Files are the configuration files of all policies. Hidden means that they are left out
	// because the reader is not an administrator.
	Files  []scheduler.File `json:"files,omitempty"`
	Hidden bool             `json:"hidden,omitempty"`
}

// Tracker is a live TaskTracker.
type Tracker struct {
	Slots  [2]int32 `json:"slots"`
	Memory int32    `json:"memory,omitempty"` // MiB
	VCores int32    `json:"vcores,omitempty"`
	Load   int32    `json:"load,omitempty"` // share of the CPU that other programs use, in millionths
}

// Job is an unfinished job.
type Job struct {
	ID   string `json:"id"`
	Name string `json:"name,omitempty"`
	User string `json:"user"`
	// Hidden means that the job is another user's: ID and User are opaque, and the job has no name
	// and no settings.
	Hidden    bool         `json:"hidden,omitempty"`
	Queue     string       `json:"queue,omitempty"`
	Priority  job.Priority `json:"priority,omitempty"`
	Submit    int64        `json:"submit"`
	Start     int64        `json:"start,omitempty"`    // 0 means not started
	Deadline  int64        `json:"deadline,omitempty"` // 0 means none
	SlowStart int32        `json:"slow_start"`         // share of maps that must end before reduces start, in millionths
	Limits    [2]int32     `json:"limits,omitzero"`    // most running tasks; 0 means no limit
	Tasks     [2]int32     `json:"tasks"`
	Done      [2]int32     `json:"done"` // tasks that have ended
	Running   []Attempt    `json:"running,omitempty"`
	MapsDone  int64        `json:"maps_done,omitempty"` // end of the last map; 0 means unknown or not yet
	Seen      Seen         `json:"seen,omitzero"`
	// Profile is the job's expected profile, in the format of howdah.job.profile.
	Profile  string         `json:"profile,omitempty"`
	Settings []job.Property `json:"settings,omitempty"` // sorted by name
}

// Attempt is the running attempt of a task.
type Attempt struct {
	Type     job.TaskType `json:"type"`
	Slot     job.TaskType `json:"slot"`
	Tracker  int32        `json:"tracker"` // index in State.Trackers
	Start    int64        `json:"start"`
	Progress int32        `json:"progress,omitempty"`  // millionths
	SortDone int64        `json:"sort_done,omitempty"` // end of a reduce's sort; 0 means not yet
}

// Seen holds durations of a job's successful tasks, by phase. If there are many, it holds a sample.
type Seen struct {
	Map     []int64 `json:"map,omitempty"`
	First   []int64 `json:"first,omitempty"`   // first shuffle and sort, from the end of the last map
	Typical []int64 `json:"typical,omitempty"` // typical shuffle and sort, from the start of the reduce
	Reduce  []int64 `json:"reduce,omitempty"`  // time after the sort
}

// Limits of a State. A JobTracker does not send, and a reader does not accept, more.
const (
	MaxBytes    = 64 << 20
	MaxJobs     = 10_000
	MaxTrackers = 10_000
	MaxRunning  = 200_000
	MaxTasks    = 5_000_000 // of all jobs together

	maxText     = 4096
	maxSettings = 1000
	maxSlots    = 1000 // of each kind on a tracker
	maxSeen     = 64   // durations for each phase of a job
	maxPast     = 64   // successful jobs
	maxDuration = 1e12
	minTime     = 1e11 // 1973
	maxTime     = 1e15
)

// Read reads a State in JSON and checks it. Errors are of kind Corrupt.
func Read(r io.Reader) (*State, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, damaged("%w", err)
	}
	if len(text) > MaxBytes {
		return nil, damaged("the state is larger than %d bytes", MaxBytes)
	}
	s := &State{}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, damaged("it is not the state of a JobTracker (%w)", err)
	}
	if s.Format == 0 {
		return nil, damaged("it is not the state of a JobTracker (no howdah_state)")
	}
	if s.Format != Format {
		return nil, damaged("the format is %d, want %d", s.Format, Format)
	}
	return s, s.check()
}

func damaged(format string, args ...any) error {
	return failure.New(failure.Corrupt, "read", "the state of the cluster", fmt.Errorf(format, args...))
}

func (s *State) check() error {
	if !isTime(s.Now) {
		return damaged("now=%d is not a time", s.Now)
	}
	if len(s.Past) > maxPast || len(s.Jobs) > MaxJobs || len(s.Trackers) > MaxTrackers {
		return damaged("it has too many jobs or TaskTrackers")
	}
	if err := s.Scheduler.check(); err != nil {
		return err
	}
	for i := range s.Trackers {
		t := &s.Trackers[i]
		for _, n := range t.Slots {
			if n < 0 || n > maxSlots {
				return damaged("TaskTracker %d has %d slots", i, n)
			}
		}
		if min(t.Memory, t.VCores, t.Load) < 0 || t.Load > million {
			return damaged("a resource of TaskTracker %d is out of range", i)
		}
	}
	for i := range s.Past {
		x := &s.Past[i]
		if !isText(x.User) || !isText(x.Name) {
			return damaged("a text is too long or has control characters")
		}
		if err := x.Seen.check(); err != nil {
			return damaged("%w", err)
		}
	}
	tasks, running := int64(0), 0
	for i := range s.Jobs {
		if err := s.Jobs[i].check(s); err != nil {
			return damaged("job %d: %w", i+1, err)
		}
		tasks += int64(s.Jobs[i].Tasks[0]) + int64(s.Jobs[i].Tasks[1])
		running += len(s.Jobs[i].Running)
	}
	if tasks > MaxTasks || running > MaxRunning {
		return damaged("it has too many tasks")
	}
	return nil
}

func (x *Scheduler) check() error {
	if len(x.Settings) > maxSettings || len(x.Files) > len(catalog.Builtin()) || !isText(x.Name) {
		return damaged("the scheduler has too many settings or files")
	}
	for k, v := range x.Settings {
		if !catalog.Concerns(k) || len(v) > catalog.MaxFile {
			return damaged("%q is not a setting of a scheduler", k)
		}
	}
	for _, f := range x.Files {
		if !isText(f.Key) || !isText(f.Path) || len(f.Data) > catalog.MaxFile {
			return damaged("a scheduler's file is out of range")
		}
	}
	return nil
}

func isTime(t int64) bool { return t >= minTime && t <= maxTime }

// isText reports whether a name can be printed on a terminal.
func isText(s string) bool {
	return len(s) <= maxText && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f })
}

func (j *Job) check(s *State) error {
	for _, t := range []string{j.ID, j.Name, j.User, j.Queue, j.Profile} {
		if !isText(t) {
			return errors.New("a text is too long or has control characters")
		}
	}
	for _, t := range []int64{j.Start, j.Deadline, j.MapsDone} {
		if t != 0 && !isTime(t) {
			return fmt.Errorf("%d is not a time", t)
		}
	}
	switch {
	case !isTime(j.Submit):
		return fmt.Errorf("submit=%d is not a time", j.Submit)
	case j.SlowStart < 0 || j.SlowStart > million || min(j.Limits[0], j.Limits[1]) < 0:
		return errors.New("a limit is out of range")
	case j.Priority < job.VeryLow || j.Priority > job.VeryHigh:
		return fmt.Errorf("there is no priority %d", j.Priority)
	case len(j.Settings) > maxSettings:
		return errors.New("it has too many settings")
	}
	if _, err := estimate.Parse(j.Profile); err != nil {
		return err
	}
	for i, p := range j.Settings {
		if !isText(p.Name) || len(p.Value) > maxText || i > 0 && p.Name <= j.Settings[i-1].Name {
			return errors.New("the settings are too long or not in order")
		}
	}
	if err := j.Seen.check(); err != nil {
		return err
	}
	return j.checkTasks(s)
}

func (s *Seen) check() error {
	for _, list := range [][]int64{s.Map, s.First, s.Typical, s.Reduce} {
		if len(list) > maxSeen {
			return errors.New("it has too many durations")
		}
		for _, d := range list {
			if d < 0 || d > maxDuration {
				return fmt.Errorf("%d is not a duration", d)
			}
		}
	}
	return nil
}

func (j *Job) checkTasks(s *State) error {
	started := j.Done
	for _, a := range j.Running {
		switch {
		case a.Type > job.Reduce || a.Slot > job.Reduce:
			return errors.New("an attempt is neither a map nor a reduce")
		case a.Tracker < 0 || int(a.Tracker) >= len(s.Trackers):
			return fmt.Errorf("there is no TaskTracker %d", a.Tracker)
		case !isTime(a.Start) || a.SortDone != 0 && !isTime(a.SortDone):
			return errors.New("an attempt has no time")
		case a.Progress < 0 || a.Progress > million:
			return errors.New("a progress is out of range")
		}
		if started[a.Type] < math.MaxInt32 {
			started[a.Type]++
		}
	}
	for k := range started {
		if j.Tasks[k] < 0 || j.Done[k] < 0 || j.Tasks[k] > MaxTasks || started[k] > j.Tasks[k] {
			return errors.New("more tasks have started than the job has")
		}
	}
	return nil
}

// Conf returns a configuration with the settings of the policies.
func (s *State) Conf() *conf.Config {
	c := conf.New()
	for k, v := range s.Scheduler.Settings {
		c.Set(k, v, "the JobTracker")
	}
	return c
}

const million = 1_000_000
