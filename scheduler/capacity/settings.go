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

// Keys that name files.
const (
	FileKey = "howdah.capacity.file"     // capacity-scheduler.xml
	ACLKey  = "howdah.capacity.acl.file" // mapred-queue-acls.xml
)

// Keys of Hadoop's, from capacity-scheduler.xml or the site's configuration.
const (
	namesKey         = "mapred.queue.names"
	systemJobsKey    = "mapred.capacity-scheduler.maximum-system-jobs"
	prioritiesKey    = "mapred.capacity-scheduler.default-supports-priority"
	minimumUserKey   = "mapred.capacity-scheduler.default-minimum-user-limit-percent"
	userFactorKey    = "mapred.capacity-scheduler.default-user-limit-factor"
	activeTasksKey   = "mapred.capacity-scheduler.default-maximum-active-tasks-per-queue"
	activePerUserKey = "mapred.capacity-scheduler.default-maximum-active-tasks-per-user"
	acceptFactorKey  = "mapred.capacity-scheduler.default-init-accept-jobs-factor"
	perBeatKey       = "mapred.capacity-scheduler.maximum-tasks-per-heartbeat"
	afterKey         = "mapred.capacity-scheduler.maximum-tasks-after-offswitch"
	waitFactorKey    = "mapreduce.job.locality.wait.factor"
	aclsEnabledKey   = "mapreduce.cluster.acls.enabled"
	adminsKey        = "mapreduce.cluster.administrators"

	// MultipleKey: whether a beat may give several reduces. Hadoop gave one.
	MultipleKey = "howdah.capacity.assign.multiple"

	queuePrefix = "mapred.capacity-scheduler.queue."
	aclPrefix   = "mapred.queue."
)

// Attributes of a queue in capacity-scheduler.xml and mapred-queue-acls.xml.
var (
	attributes = []string{"capacity", "maximum-capacity", "supports-priority", "minimum-user-limit-percent", "user-limit-factor",
		"maximum-initialized-active-tasks", "maximum-initialized-active-tasks-per-user", "init-accept-jobs-factor"}
	aclAttributes = []string{"acl-submit-job", "acl-administer-jobs", "state"}
)

const million = 1_000_000

// Settings are what the scheduler is made from. They are not changed once they are in use.
type Settings struct {
	Queues         []Queue // by name
	SystemJobs     int64   // jobs that are active at most, in all queues
	TasksPerBeat   int
	AfterOffSwitch int
	Multiple       bool
	ACLs           bool     // whether access is checked
	Admins         []string // who may administer everything
}

// Queue is the settings of one queue.
type Queue struct {
	Name             string
	Capacity         int64 // share of the cluster, in millionths
	Maximum          int64 // that it may never exceed, in millionths; -1 = none
	Priorities       bool
	MinimumUserLimit int64 // per cent of the queue, 1 to 100
	UserLimitFactor  int64 // of the queue's capacity, in millionths
	ActiveTasks      int64
	ActivePerUser    int64
	AcceptFactor     int64
	Stopped          bool
	Submit           acl
	Administer       acl
}

// activeJobs is how many jobs of a queue are active at most: its share of the system's.
func (s *Settings) activeJobs(q *Queue) int32 {
	return int32(max(1, ceil(s.SystemJobs*q.Capacity, million)))
}

func (s *Settings) activeJobsPerUser(q *Queue) int32 {
	return int32(max(1, ceil(s.SystemJobs*q.Capacity*q.MinimumUserLimit, 100*million)))
}

// source is a configuration with the two files over it. It keeps the first error.
type source struct {
	c     *conf.Config
	files []scheduler.File
	err   error
}

// Read reads the settings. Errors are of kind Config and name key and source: file and line, or what else set it.
func Read(setup scheduler.Setup) (*Settings, error) {
	r := &source{c: setup.Conf.Clone(), files: []scheduler.File{setup.File(FileKey), setup.File(ACLKey)}}
	names := slices.Compact(slices.Sorted(slices.Values(r.c.Strings(namesKey))))
	r.load(r.files[0], queuePrefix, attributes, names)
	r.load(r.files[1], aclPrefix, aclAttributes, names)
	s := &Settings{
		SystemJobs:     r.whole(systemJobsKey, 3000, 1, 1_000_000),
		TasksPerBeat:   int(r.whole(perBeatKey, math.MaxInt16, 1, math.MaxInt16)),
		AfterOffSwitch: int(r.whole(afterKey, 0, 0, math.MaxInt16)),
		Multiple:       r.truth(MultipleKey, true),
		ACLs:           r.truth(aclsEnabledKey, false),
		Admins:         parseACL(r.c.Get(adminsKey)).users,
	}
	r.share(waitFactorKey, 1, 0, 1000)
	if len(names) == 0 && r.err == nil {
		r.fail(namesKey, "at least one queue")
	}
	for _, name := range names {
		s.Queues = append(s.Queues, r.queue(name))
	}
	r.capacities(s.Queues)
	return s, r.err
}

// load puts a file over the configuration and refuses what it says of queues that do not exist, and what no queue has.
func (r *source) load(f scheduler.File, prefix string, known, names []string) {
	if f.Data == nil || r.err != nil {
		return
	}
	if r.err = r.c.LoadXML(bytes.NewReader(f.Data), f.Path); r.err != nil {
		return
	}
	own := conf.New()
	r.err = own.LoadXML(bytes.NewReader(f.Data), f.Path)
	for _, p := range own.Properties(true) {
		rest, ok := strings.CutPrefix(p.Name, prefix)
		at := strings.LastIndexByte(rest, '.')
		if !ok || at <= 0 || r.err != nil || p.Name == namesKey {
			continue
		}
		queue, attribute := rest[:at], rest[at+1:]
		switch {
		case !slices.Contains(known, attribute):
			r.fail(p.Name, "one of: "+strings.Join(known, " ")+maybe(attribute, known))
		case !slices.Contains(names, queue):
			r.fail(p.Name, "a queue that "+namesKey+" names: "+strings.Join(names, " ")+maybe(queue, names))
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
		Capacity:         r.share(key("capacity"), -1, 0, 100) / 100,
		Maximum:          r.share(key("maximum-capacity"), -1, -1, 100) / 100,
		Priorities:       r.truth(key("supports-priority"), r.truth(prioritiesKey, false)),
		MinimumUserLimit: r.whole(key("minimum-user-limit-percent"), r.whole(minimumUserKey, 100, 1, 100), 1, 100),
		UserLimitFactor:  r.share(key("user-limit-factor"), float64(r.share(userFactorKey, 1, 0.000001, 1_000_000))/million, 0.000001, 1_000_000),
		ActiveTasks:      r.whole(key("maximum-initialized-active-tasks"), r.whole(activeTasksKey, 200_000, 1, math.MaxInt32), 1, math.MaxInt32),
		ActivePerUser:    r.whole(key("maximum-initialized-active-tasks-per-user"), r.whole(activePerUserKey, 100_000, 1, math.MaxInt32), 1, math.MaxInt32),
		AcceptFactor:     r.whole(key("init-accept-jobs-factor"), r.whole(acceptFactorKey, 10, 1, 1_000_000), 1, 1_000_000),
		Submit:           r.acl(aclPrefix + name + ".acl-submit-job"),
		Administer:       r.acl(aclPrefix + name + ".acl-administer-jobs"),
	}
	if q.Maximum <= 0 {
		q.Maximum = -1 // as Hadoop has it: no limit
	}
	state := aclPrefix + name + ".state"
	switch v := strings.ToLower(r.c.Get(state)); v {
	case "", "running":
	case "stopped":
		q.Stopped = true
	default:
		r.fail(state, "running or stopped")
	}
	if q.Maximum >= 0 && q.Maximum < q.Capacity {
		r.fail(key("maximum-capacity"), "no less than the queue's capacity")
	}
	return q
}

// capacities shares what is left among the queues that name no capacity, and checks that all together have the whole cluster.
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
	const slack = million / 10_000 // 33.33 three times is good enough
	switch {
	case r.err != nil:
	case sum > million+slack || open == 0 && sum < million-slack:
		r.err = r.c.Refuse(queuePrefix+last+".capacity", fmt.Errorf("the queues add up to %s%%", percent(sum))).
			Fix("the capacities of all queues must add up to 100%")
	case open > 0:
		for i := range queues {
			if queues[i].Capacity < 0 {
				queues[i].Capacity = max(0, million-sum) / open
			}
		}
	}
}

func percent(millionths int64) string {
	return strconv.FormatFloat(float64(millionths)/10_000, 'f', -1, 64)
}

func (r *source) fail(key, want string) {
	if r.err == nil {
		r.err = r.c.Refuse(key, errors.New("want "+want))
	}
}

func (r *source) whole(key string, def, lo, hi int64) int64 {
	v := r.c.Get(key)
	if v == "" {
		return def
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil || n < lo || n > hi {
		r.fail(key, fmt.Sprintf("a whole number from %d to %d", lo, hi))
		return def
	}
	return n
}

// share reads a number and gives it in millionths.
func (r *source) share(key string, def, lo, hi float64) int64 {
	x := def
	if v := r.c.Get(key); v != "" {
		var err error
		if x, err = strconv.ParseFloat(v, 64); err != nil || !(x >= lo && x <= hi) {
			r.fail(key, fmt.Sprintf("a number from %g to %g", lo, hi))
			return 0
		}
	}
	return int64(math.Round(x * million))
}

func (r *source) truth(key string, def bool) bool {
	switch v := strings.ToLower(r.c.Get(key)); v {
	case "":
		return def
	case "true", "false":
		return v == "true"
	}
	r.fail(key, "true or false")
	return def
}

// waitFactor is how much of the cluster a job passes by before it runs a map far from its input.
func waitFactor(s *job.Spec) float64 {
	v, _ := s.Get(waitFactorKey)
	if x, err := strconv.ParseFloat(v, 64); err == nil && x >= 0 && x <= 1000 {
		return x
	}
	return 1
}
