package capacity

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/suggest"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/scheduler"
)

// queuePrefix is the prefix of all keys that configure a queue.
const queuePrefix = "mapred.capacity-scheduler.queue."

// attributes lists the attributes of a queue in capacity-scheduler.xml.
var attributes = []string{"capacity", "maximum-capacity", "supports-priority", "minimum-user-limit-percent",
	"user-limit-factor",
	"maximum-initialized-active-tasks", "maximum-initialized-active-tasks-per-user", "init-accept-jobs-factor"}

const million = 1_000_000

// Settings configures the scheduler. Do not change it while a scheduler is using it.
type Settings struct {
	Queues         []Queue // by name
	SystemJobs     int64   // maximum number of active jobs in all queues
	TasksPerBeat   int     // maximum number of tasks that one heartbeat starts
	AfterOffSwitch int     // maximum number of tasks that a heartbeat starts in a lane after an off-switch map
	Multiple       bool    // a heartbeat can start several reduces
}

// Queue holds the settings of one queue.
type Queue struct {
	Name             string
	Capacity         int64 // share of the cluster, in millionths
	Maximum          int64 // hard limit, in millionths; -1 = none
	Priorities       bool
	MinimumUserLimit int64 // in percent of the queue, 1 to 100
	UserLimitFactor  int64 // factor of the queue's capacity, in millionths
	ActiveTasks      int64 // maximum number of tasks of the active jobs
	ActivePerUser    int64 // maximum number of tasks of one user's active jobs
	AcceptFactor     int64 // maximum number of jobs in the queue, as a multiple of the maximum of active jobs
}

// activeJobs returns the maximum number of active jobs of the queue. It is the queue's share of the
// system's maximum, rounded up, and at least 1.
func (s *Settings) activeJobs(q *Queue) int32 {
	return int32(max(1, ceil(s.SystemJobs*q.Capacity, million)))
}

func (s *Settings) activeJobsPerUser(q *Queue) int32 {
	return int32(max(1, ceil(s.SystemJobs*q.Capacity*q.MinimumUserLimit, 100*million)))
}

// A source reads a configuration to which load has added the settings of capacity-scheduler.xml.
type source struct{ conf.Reader }

// Read reads the settings. Errors are of kind Config and name the key and its source, such as the
// file and line.
func Read(setup scheduler.Setup) (*Settings, error) {
	r := &source{conf.Reader{Conf: setup.Conf.Clone()}}
	names := slices.Compact(slices.Sorted(slices.Values(conf.QueueNames.Get(r.Conf))))
	r.load(setup.File(conf.CapacityFile.Name), names)
	s := &Settings{
		SystemJobs:     conf.CapacitySchedulerMaximumSystemJobs.From(r),
		TasksPerBeat:   int(conf.CapacitySchedulerMaximumTasksPerHeartbeat.From(r)),
		AfterOffSwitch: int(conf.CapacitySchedulerMaximumTasksAfterOffSwitch.From(r)),
		Multiple:       conf.CapacityAssignMultiple.From(r),
	}
	conf.JobLocalityWaitFactor.From(r)
	if len(names) == 0 && r.Err == nil {
		r.fail(conf.QueueNames.Name, "at least one queue")
	}
	for _, name := range names {
		s.Queues = append(s.Queues, r.queue(name))
	}
	r.capacities(s.Queues)
	return s, r.Err
}

// load adds the settings of the file to the configuration. It rejects unknown queues and unknown
// attributes.
func (r *source) load(f scheduler.File, names []string) {
	if f.Data == nil || r.Err != nil {
		return
	}
	if r.Err = r.Conf.LoadXML(bytes.NewReader(f.Data), f.Path); r.Err != nil {
		return
	}
	own := conf.New()
	_ = own.LoadXML(bytes.NewReader(f.Data), f.Path) // r.Conf has loaded the same data without an error
	for _, p := range own.Properties(true) {
		rest, ok := strings.CutPrefix(p.Name, queuePrefix)
		at := strings.LastIndexByte(rest, '.')
		if !ok || at < 0 {
			continue
		}
		queue, attribute := rest[:at], rest[at+1:]
		switch {
		case !slices.Contains(attributes, attribute):
			r.fail(p.Name, "one of: "+strings.Join(attributes, " ")+maybe(attribute, attributes))
		case !slices.Contains(names, queue):
			r.fail(p.Name, "a queue of "+conf.QueueNames.Name+": "+strings.Join(names, " ")+maybe(queue, names))
		}
	}
}

func maybe(word string, words []string) string {
	if best := suggest.Nearest(word, words); best != "" {
		return "; did you mean " + best + "?"
	}
	return ""
}

func (r *source) queue(name string) Queue {
	key := func(attribute string) string { return queuePrefix + name + "." + attribute }
	q := Queue{
		Name:             name,
		Capacity:         r.share(key("capacity"), "0 to 100", -1) / 100,
		Maximum:          r.share(key("maximum-capacity"), "-1 to 100", -1) / 100,
		Priorities:       r.truth(key("supports-priority"), &conf.CapacitySchedulerDefaultSupportsPriority),
		MinimumUserLimit: r.whole(key("minimum-user-limit-percent"), &conf.CapacitySchedulerDefaultMinimumUserLimitPercent),
		UserLimitFactor: r.share(key("user-limit-factor"), conf.CapacitySchedulerDefaultUserLimitFactor.Range,
			conf.CapacitySchedulerDefaultUserLimitFactor.From(r)),
		ActiveTasks: r.whole(key("maximum-initialized-active-tasks"),
			&conf.CapacitySchedulerDefaultMaximumActiveTasksPerQueue),
		ActivePerUser: r.whole(key("maximum-initialized-active-tasks-per-user"),
			&conf.CapacitySchedulerDefaultMaximumActiveTasksPerUser),
		AcceptFactor: r.whole(key("init-accept-jobs-factor"), &conf.CapacitySchedulerDefaultInitAcceptJobsFactor),
	}
	if q.Maximum <= 0 {
		q.Maximum = -1 // no limit, as in Hadoop
	}
	return q
}

// capacities divides the remaining capacity equally among the queues that do not set a capacity. It
// sets r.Err if the sum of all capacities is not 100%, or if a capacity exceeds its queue's
// maximum.
func (r *source) capacities(queues []Queue) {
	sum, open, last := int64(0), int64(0), ""
	for _, q := range queues {
		if q.Capacity < 0 {
			open++
		} else {
			sum += q.Capacity
			last = q.Name
		}
	}
	const slack = million / 10_000 // tolerance for sums such as three times 33.33
	switch {
	case r.Err != nil:
	case sum > million+slack || open == 0 && sum < million-slack:
		r.Err = r.Conf.Refuse(queuePrefix+last+".capacity", fmt.Errorf("the capacities add up to %s%%", percent(sum))).
			Fix("the capacities of all queues must add up to 100%")
	default:
		for i := range queues {
			if queues[i].Capacity < 0 {
				queues[i].Capacity = max(0, million-sum) / open
			}
			if q := &queues[i]; q.Maximum != -1 && q.Maximum < q.Capacity {
				r.fail(queuePrefix+q.Name+".maximum-capacity", "at least the queue's capacity")
			}
		}
	}
}

func percent(millionths int64) string {
	return strconv.FormatFloat(float64(millionths)/10_000, 'f', -1, 64)
}

func (r *source) fail(key, want string) { r.Note(r.Conf.Refuse(key, errors.New("want "+want))) }

// whole reads an attribute of a queue that is a whole number. all is the key of its default for all
// queues. The range of that key also applies to the attribute.
func (r *source) whole(key string, all *conf.Int) int64 {
	n, err := (&conf.Int{Name: key, Range: all.Range}).GetOr(r.Conf, all.From(r))
	r.Note(err)
	return n
}

// share reads an attribute of a queue that is a percentage or a factor, and returns it in
// millionths. within is its range, and def is its default.
func (r *source) share(key, within string, def float64) int64 {
	x, err := (&conf.Float{Name: key, Range: within}).GetOr(r.Conf, def)
	r.Note(err)
	return int64(math.Round(x * million))
}

// truth reads an attribute of a queue that is true or false. all is the key of its default for all
// queues.
func (r *source) truth(key string, all *conf.Bool) bool {
	b, err := (&conf.Bool{Name: key}).GetOr(r.Conf, all.From(r))
	r.Note(err)
	return b
}

// waitFactor returns the job's wait factor (see waitedEnough). If the job's setting is missing or
// invalid, it returns the built-in default.
func waitFactor(s *job.Spec) float64 {
	v, _ := s.Get(conf.JobLocalityWaitFactor.Name)
	x, err := conf.JobLocalityWaitFactor.Parse(v)
	if err != nil {
		return conf.JobLocalityWaitFactor.BuiltIn()
	}
	return x
}
