package replay

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler/estimate"
	"github.com/howdah/howdah/simulator/trace"
)

// Epoch is the start of a run's clock if the trace's times are relative: 2000-01-01 UTC in ms. A
// run cannot start at 0 because the machine interprets time 0 as "not yet".
const Epoch = 946_684_800_000

// Shift returns the offset from a trace's times to the machine's times: 0 if the trace's times
// count from the Unix epoch, and Epoch otherwise. first is the time of the first submission in the
// trace.
func Shift(first int64) int64 {
	const distantPast = 1_000_000_000_000 / 10 // 1973; recorded times are later
	if first >= distantPast {
		return 0
	}
	return Epoch
}

// Unshift converts the times of the job's result back to the trace's times.
func Unshift(r trace.JobResult, shift int64) trace.JobResult {
	for _, at := range []*int64{&r.Start, &r.MapsDone, &r.Finish} {
		if *at != 0 {
			*at -= shift
		}
	}
	return r
}

// Specs builds the specifications of a run's jobs. The zero value is ready for use.
type Specs struct {
	Shift int64                     // offset from the trace's times to the machine's times
	Hosts bool                      // use the recorded locations of the maps' inputs
	Plain bool                      // do not add recorded profiles
	alike map[int64][]job.SplitMeta // by length, for jobs whose maps are all alike
}

// Spec returns the specification for the submission of the job. It reads the settings from the
// job's Conf under Hadoop's keys. Unless x.Plain is set, it adds the recorded profile under
// conf.JobProfile if Conf does not contain that key. If a setting is invalid, Spec returns an error
// of kind Config.
func (x *Specs) Spec(j *trace.Job) (job.Spec, error) {
	r := reader{job: j}
	attempts := mostFailures(j) + 1
	s := job.Spec{
		Name: j.Name, User: j.User, Queue: j.Queue, Priority: j.Priority,
		Reduces:               int32(len(j.Reduces)),
		Splits:                x.splits(j),
		MapAttempts:           int32(max(r.number(conf.MapMaxAttempts.Name, 4), attempts)),
		ReduceAttempts:        int32(max(r.number(conf.ReduceMaxAttempts.Name, 4), attempts)),
		MapFailuresPercent:    int32(r.number(conf.MapFailuresMaxPercent.Name, 0)),
		ReduceFailuresPercent: int32(r.number(conf.ReduceFailuresMaxPercent.Name, 0)),
		TrackerFailures:       int32(r.number(conf.JobMaxTaskFailuresPerTracker.Name, 3)),
		SlowStart:             r.millionths(conf.JobReduceSlowStartCompletedMaps.Name, 50_000),
		TaskTimeout:           r.number(conf.TaskTimeout.Name, 600_000),
		MapMemory:             r.memory(conf.MapMemoryMB.Name),
		ReduceMemory:          r.memory(conf.ReduceMemoryMB.Name),
		MapVCores:             int32(r.number(conf.MapCPUVCores.Name, 1)),
		ReduceVCores:          int32(r.number(conf.ReduceCPUVCores.Name, 1)),
		MapLimit:              int32(r.number(conf.JobRunningMapLimit.Name, 0)),
		ReduceLimit:           int32(r.number(conf.JobRunningReduceLimit.Name, 0)),
		MapSpeculative:        r.truth(conf.MapSpeculative.Name),
		ReduceSpeculative:     r.truth(conf.ReduceSpeculative.Name),
		Conf:                  j.Conf,
	}
	if !x.Plain {
		s.Conf = withProfile(j)
	}
	if j.Deadline != 0 {
		s.Deadline = j.Deadline + x.Shift
	}
	return s, r.err
}

// splits returns the input splits of the job's maps. Jobs whose maps are all alike share one
// immutable list.
func (x *Specs) splits(j *trace.Job) []job.SplitMeta {
	n := len(j.Maps)
	if n == 0 {
		return nil
	}
	if length, ok := x.allAlike(j); ok && n > 1 {
		return x.equal(n, length)
	}
	list := make([]job.SplitMeta, n)
	for i := range j.Maps {
		list[i].Length = j.Maps[i].Input
		if x.Hosts {
			list[i].Hosts = j.Maps[i].Hosts
		}
	}
	return list
}

// maxLengths limits the number of lists that are kept for sharing.
const maxLengths = 64

// equal returns n splits of equal length. Callers share them.
func (x *Specs) equal(n int, length int64) []job.SplitMeta {
	list := x.alike[length]
	if len(list) < n {
		list = make([]job.SplitMeta, n+n/2)
		for i := range list {
			list[i].Length = length
		}
		if x.alike == nil || len(x.alike) >= maxLengths {
			x.alike = map[int64][]job.SplitMeta{}
		}
		x.alike[length] = list
	}
	return list[:n:n]
}

func (x *Specs) allAlike(j *trace.Job) (length int64, ok bool) {
	length = j.Maps[0].Input
	for i := range j.Maps {
		if m := &j.Maps[i]; m.Input != length || x.Hosts && len(m.Hosts) > 0 {
			return 0, false
		}
	}
	return length, true
}

// mostFailures returns the largest number of failures recorded for a single task. The job must
// permit more attempts per task than that.
func mostFailures(j *trace.Job) int64 {
	n := 0
	for i := range j.Maps {
		n = max(n, len(j.Maps[i].Failed))
	}
	for i := range j.Reduces {
		n = max(n, len(j.Reduces[i].Failed))
	}
	return int64(n)
}

// withProfile returns the job's settings. If they do not contain a profile, it adds the recorded
// one.
func withProfile(j *trace.Job) []job.Property {
	at, found := slices.BinarySearchFunc(j.Conf, conf.JobProfile.Name,
		func(p job.Property, key string) int { return strings.Compare(p.Name, key) })
	if found {
		return j.Conf
	}
	p := Profile(j)
	list := append(make([]job.Property, 0, len(j.Conf)+1), j.Conf[:at]...)
	list = append(list, job.Property{Name: conf.JobProfile.Name, Value: p.String()})
	return append(list, j.Conf[at:]...)
}

// Profile returns the mean and maximum durations of the job's phases (SIM section III).
func Profile(j *trace.Job) estimate.Profile {
	var maps, first, typical, reduce phase
	for i := range j.Maps {
		maps.add(j.Maps[i].Time)
	}
	for i := range j.Reduces {
		r := &j.Reduces[i]
		if r.First {
			first.add(r.Shuffle)
		} else {
			typical.add(r.Shuffle)
		}
		reduce.add(r.Time)
	}
	return estimate.Profile{Map: maps.sum(), First: first.sum(), Typical: typical.sum(), Reduce: reduce.sum()}
}

type phase struct{ n, total, most int64 }

func (p *phase) add(ms int64) {
	p.n++
	p.total += ms
	p.most = max(p.most, ms)
}

func (p *phase) sum() estimate.Phase {
	if p.n == 0 {
		return estimate.Phase{}
	}
	return estimate.Phase{Avg: float64(p.total) / float64(p.n), Max: float64(p.most)}
}

// reader reads a job's settings and keeps the first error.
type reader struct {
	job *trace.Job
	err error
}

func (r *reader) get(key string) string {
	if len(r.job.Conf) == 0 { // usual for generated jobs, and faster than a search
		return ""
	}
	at, found := slices.BinarySearchFunc(r.job.Conf, key,
		func(p job.Property, key string) int { return strings.Compare(p.Name, key) })
	if !found {
		return ""
	}
	return r.job.Conf[at].Value
}

// memory returns a memory setting in MiB. A recorded value of -1 means Hadoop's default.
func (r *reader) memory(key string) int32 {
	if r.get(key) == "-1" {
		return 1024
	}
	return int32(r.number(key, 1024))
}

func (r *reader) number(key string, def int64) int64 {
	v := r.get(key)
	if v == "" {
		return def
	}
	n, err := strconv.ParseInt(v, 10, 32)
	if err != nil || n < 0 {
		r.bad(key, v, "want a whole number, 0 or more")
		return def
	}
	return n
}

func (r *reader) millionths(key string, def int32) int32 {
	v := r.get(key)
	if v == "" {
		return def
	}
	f, err := strconv.ParseFloat(v, 64)
	if err != nil || !(f >= 0 && f <= 1) {
		r.bad(key, v, "want a share from 0 to 1")
		return def
	}
	return int32(float64(f*1e6) + 0.5)
}

func (r *reader) truth(key string) bool {
	v := r.get(key)
	if v == "" {
		return true // Hadoop's default
	}
	b, err := strconv.ParseBool(v)
	if err != nil {
		r.bad(key, v, "want true or false")
	}
	return b
}

func (r *reader) bad(key, value, want string) {
	if r.err == nil {
		r.err = failure.New(failure.Config, "replay job", r.job.ID, fmt.Errorf("%s=%s: %w", key, value, errors.New(want)))
	}
}
