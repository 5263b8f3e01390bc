package importer

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/simulator/trace"
)

// book collects the contents of job logs, in any order, until the jobs are built.
type book struct {
	opt   *Options
	jobs  map[string]*record
	nodes map[string]trace.Node // by host
	// trackers holds the TaskTrackers that a log mentions, by name. Several trackers may run on one
	// machine.
	trackers map[string]trace.Node
	slots    [2]int32
	tasks    int
}

func newBook(o *Options) *book {
	return &book{opt: o, jobs: map[string]*record{}, nodes: map[string]trace.Node{}, trackers: map[string]trace.Node{}}
}

// record is the description of a job in a log.
type record struct {
	trace.Job // times, names, and state; its tasks are built from the fields below
	tasks     [2]map[int32]*task
	conf      map[string]string
	want      [2]int32 // number of tasks according to the log
	told      bool     // the log contains more than the job's configuration
}

// task is a map or reduce with all its attempts.
type task struct {
	attempts  map[string]*attempt
	hosts     []string
	input     int64
	succeeded string // ID of the attempt that the log names as the successful one
}

// attempt is one execution of a task. Times are in ms since the epoch; unknown times are 0.
type attempt struct {
	id                           string
	start, shuffle, sort, finish int64
	state                        job.AttemptState
	host                         string
	input                        int64
}

// at returns the record of the job. It creates the record if necessary. It returns nil if the job
// limit is reached or the ID is empty.
func (b *book) at(id string) *record {
	if r := b.jobs[id]; r != nil {
		return r
	}
	if id == "" || len(b.jobs) >= b.opt.MaxJobs {
		return nil
	}
	r := &record{Job: trace.Job{ID: strings.Clone(id)}}
	b.jobs[r.ID] = r
	return r
}

// task returns a task of the job. It creates the task if necessary. It returns nil if the task
// limit is reached or the index is out of range.
func (b *book) task(r *record, typ job.TaskType, index int32) *task {
	if t := r.tasks[typ][index]; t != nil {
		return t
	}
	if b.tasks >= b.opt.MaxTasks || index < 0 {
		return nil
	}
	b.tasks++
	if r.tasks[typ] == nil {
		r.tasks[typ] = map[int32]*task{}
	}
	t := &task{attempts: map[string]*attempt{}}
	r.tasks[typ][index] = t
	return t
}

// maxAttempts limits the attempts of one task. No JobTracker starts that many.
const maxAttempts = 10000

func (t *task) attempt(id string) *attempt {
	if a := t.attempts[id]; a != nil {
		return a
	}
	if len(t.attempts) >= maxAttempts {
		return nil
	}
	a := &attempt{id: strings.Clone(id), state: job.AttemptRunning}
	t.attempts[a.id] = a
	return a
}

// node records a machine by its path, either /rack/host or host, and returns the host.
func (b *book) node(path string) string {
	rack, host := splitPath(path)
	if host == "" {
		return ""
	}
	n, ok := b.nodes[host]
	if !ok && len(b.nodes) < maxNodes {
		host = strings.Clone(host)
		b.nodes[host] = trace.Node{Host: host, Rack: strings.Clone(rack)}
		return host
	}
	if ok && n.Rack == "" && rack != "" {
		n.Rack = strings.Clone(rack)
		b.nodes[n.Host] = n
	}
	if ok {
		return n.Host
	}
	return strings.Clone(host)
}

const maxNodes = 1 << 20

// splitPath splits a node's path into rack and host. Racks start with a slash, as in Hadoop.
func splitPath(path string) (rack, host string) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "", path
	}
	if rack = strings.Trim(path[:i], "/"); rack != "" {
		rack = "/" + rack
	}
	return rack, path[i+1:]
}

// sortedNodes returns the machines, sorted by host. If the log mentions TaskTrackers, a host
// appears once for each of its TaskTrackers.
func (b *book) sortedNodes() []trace.Node {
	nodes := b.nodes
	if len(b.trackers) > 0 {
		nodes = b.trackers
	}
	list := make([]trace.Node, 0, len(nodes))
	for _, n := range nodes {
		list = append(list, n)
	}
	slices.SortFunc(list, func(x, y trace.Node) int { return cmp.Compare(x.Host, y.Host) })
	return list
}

// order returns the jobs in submission order. It omits jobs for which only a configuration is
// known.
func (b *book) order() []*record {
	var list []*record
	for _, r := range b.jobs {
		if r.told {
			r.settle()
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(x, y *record) int {
		return cmp.Or(cmp.Compare(x.Submit, y.Submit), cmp.Compare(x.ID, y.ID))
	})
	return list
}

// settle fills in the submission time and the queue if the log omitted them. The submission time
// becomes the job's launch time or, if that is unknown, the start of its first attempt, or else the
// job's end.
func (r *record) settle() {
	first := int64(0)
	for _, tasks := range r.tasks {
		for _, t := range tasks {
			for _, a := range t.attempts {
				if a.start > 0 && (first == 0 || a.start < first) {
					first = a.start
				}
			}
		}
	}
	r.Submit = cmp.Or(r.Submit, r.Launch, first, r.Finish)
	r.Queue = cmp.Or(r.Queue, "default")
}

// sortedTasks returns the tasks, sorted by index.
func sortedTasks(m map[int32]*task) []*task {
	keys := make([]int32, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	list := make([]*task, len(keys))
	for i, k := range keys {
		list[i] = m[k]
	}
	return list
}

// sortedAttempts returns the task's attempts, sorted by start and then by ID.
func (t *task) sortedAttempts() []*attempt {
	list := make([]*attempt, 0, len(t.attempts))
	for _, a := range t.attempts {
		list = append(list, a)
	}
	slices.SortFunc(list, func(x, y *attempt) int {
		return cmp.Or(cmp.Compare(x.start, y.start), cmp.Compare(x.id, y.id))
	})
	return list
}

// length returns the attempt's duration in ms, or 0 if its start or end is unknown.
func (a *attempt) length() int64 {
	if a.start == 0 || a.finish == 0 {
		return 0
	}
	return max(0, a.finish-a.start)
}

// winner returns the attempt that represents the task, and the durations of the task's other
// attempts that failed. Of the successful attempts, it prefers the one that the log names, and then
// the one that ended first. If no attempt succeeded, it returns the longest attempt, because that
// attempt held a slot as well. It returns nil if no attempt succeeded and no attempt has both a
// start and an end.
func (t *task) winner() (won *attempt, failed []int64) {
	list := t.sortedAttempts()
	for _, a := range list {
		switch {
		case a.state != job.AttemptSucceeded:
		case a.id == t.succeeded:
			won = a
		case won == nil || won.id != t.succeeded && a.finish < won.finish:
			won = a
		}
	}
	if won == nil {
		for _, a := range list {
			if a.finish > 0 && a.start > 0 && (won == nil || a.length() > won.length()) {
				won = a
			}
		}
	}
	for _, a := range list {
		if a != won && a.state == job.AttemptFailed {
			failed = append(failed, a.length())
		}
	}
	return won, failed
}

// build builds the job. It omits tasks without a usable attempt unless the job succeeded. In a
// successful job, such tasks ran, but the log lacks their attempts. build then adds them with the
// times of the job's other tasks, in turn. lost is the number of added tasks by type.
func (r *record) build() (j *trace.Job, lost [2]int) {
	c := r.Job
	j = &c
	mapsEnd := int64(0)
	for _, t := range sortedTasks(r.tasks[job.Map]) {
		a, failed := t.winner()
		if a == nil {
			continue
		}
		mapsEnd = max(mapsEnd, a.finish)
		j.Skewed = j.Skewed || a.skewed(j.Submit)
		j.Maps = append(j.Maps, trace.Map{Time: a.length(), Start: a.start, Host: a.host, Hosts: t.hosts,
			Input: max(0, t.input, a.input), Failed: failed})
	}
	for _, t := range sortedTasks(r.tasks[job.Reduce]) {
		a, failed := t.winner()
		if a == nil {
			continue
		}
		j.Skewed = j.Skewed || a.skewed(j.Submit)
		red := a.reduce(mapsEnd)
		red.Input, red.Failed = max(0, t.input, a.input), failed
		j.Reduces = append(j.Reduces, red)
	}
	if j.State == job.Succeeded {
		lost[job.Map] = r.missing(job.Map, len(j.Maps))
		for i := range lost[job.Map] {
			m := j.Maps[i]
			j.Maps = append(j.Maps, trace.Map{Time: m.Time, Hosts: m.Hosts, Input: m.Input})
		}
		lost[job.Reduce] = r.missing(job.Reduce, len(j.Reduces))
		for i := range lost[job.Reduce] {
			d := j.Reduces[i]
			j.Reduces = append(j.Reduces, trace.Reduce{First: d.First, Shuffle: d.Shuffle, Time: d.Time, Input: d.Input})
		}
	}
	j.Conf = settings(r.conf)
	applySettings(j)
	return j, lost
}

// maxMissing limits the number of tasks that build adds to a job.
const maxMissing = 1 << 20

// missing returns how many of the successful job's tasks lack a recorded attempt. It returns 0 if
// the job has no other task whose times these tasks can take.
func (r *record) missing(t job.TaskType, have int) int {
	if have == 0 {
		return 0
	}
	return min(maxMissing, max(0, len(r.tasks[t])-have, int(r.want[t])-have))
}

// skewed reports whether the attempt cannot have run at its recorded times.
func (a *attempt) skewed(submit int64) bool {
	return a.start > 0 && a.start < submit || a.finish > 0 && a.finish < a.start
}

// reduce splits the reduce attempt into phases (SIM section III). If the reduce started before the
// last map ended, it has a first shuffle, from the end of the last map to the end of its sort.
// Otherwise, it has a typical shuffle, from its own start to the end of its sort. A negative phase
// becomes 0 because clocks on different machines can disagree. If the end of neither the sort nor
// the shuffle is recorded, the shuffle is 0 and its time counts as part of the reduce phase.
func (a *attempt) reduce(mapsEnd int64) trace.Reduce {
	sort := cmp.Or(a.sort, a.shuffle)
	r := trace.Reduce{Start: a.start, Host: a.host, First: a.start < mapsEnd}
	from := a.start
	if r.First {
		from = mapsEnd
	}
	if sort == 0 {
		r.Time = max(0, a.finish-from)
		return r
	}
	r.Shuffle = max(0, sort-from)
	r.Time = max(0, a.finish-sort)
	return r
}

// indexOf returns the index in a task or attempt ID: ..._m_000012_0 yields 12.
func indexOf(id string) (int32, bool) {
	parts := strings.Split(id, "_")
	for i := 1; i+1 < len(parts); i++ {
		if parts[i] == "m" || parts[i] == "r" {
			n, err := strconv.ParseInt(parts[i+1], 10, 32)
			return int32(n), err == nil && n >= 0
		}
	}
	return 0, false
}

// jobOf returns the job ID of a task or attempt ID, or "" if the ID is invalid.
func jobOf(id string) string {
	parts := strings.SplitN(id, "_", 4)
	if len(parts) < 4 || parts[0] != "task" && parts[0] != "attempt" && parts[0] != "tip" {
		return ""
	}
	return "job_" + parts[1] + "_" + parts[2]
}
