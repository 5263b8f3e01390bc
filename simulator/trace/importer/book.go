package importer

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/simulator/trace"
)

// book collects what logs say about jobs, in whatever order they say it, until the jobs are made.
type book struct {
	opt   *Options
	jobs  map[string]*record
	nodes map[string]trace.Node // by host
	// trackers are the TaskTrackers by name, where a log tells of them: several may be on one machine.
	trackers map[string]trace.Node
	slots    [2]int32
	tasks    int
}

func newBook(o *Options) *book {
	return &book{opt: o, jobs: map[string]*record{}, nodes: map[string]trace.Node{}, trackers: map[string]trace.Node{}}
}

// record is a job as told by a log.
type record struct {
	trace.Job // times, names, state; its tasks are made from those below
	tasks     [2]map[int32]*task
	conf      map[string]string
	want      [2]int32 // tasks that the log says the job has
	told      bool     // more than its configuration is known
}

// task is a map or reduce with all its attempts.
type task struct {
	attempts  map[string]*attempt
	hosts     []string
	input     int64
	succeeded string // id of the attempt that the log names as the one that counts
}

// attempt is one execution of a task. Times are 0 if they are not known.
type attempt struct {
	id                           string
	start, shuffle, sort, finish int64
	state                        job.AttemptState
	host                         string
	input                        int64
}

// at gives the record of a job, a new one if need be; nil = the limit is reached or the id is none.
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

// task gives a task of the job; nil = the limit on tasks is reached or the index is out of range.
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

// maxAttempts bounds the attempts of one task; no JobTracker starts so many.
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

// node notes a machine by its path, /rack/host or host, and gives the host.
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

// splitPath takes a node's path apart. Racks are written with a slash in front, as Hadoop does.
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

// sortedNodes lists the machines by host; one that had several TaskTrackers is there as often.
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

// order lists the jobs of which more is known than a configuration, by submission.
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

// settle fills in what the log left out: a job without a submission came when it was launched or its first task started.
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
	if r.Submit == 0 {
		r.Submit = cmp.Or(r.Launch, first, r.Finish)
	}
	if r.Queue == "" {
		r.Queue = "default"
	}
}

// sortedTasks lists tasks by index.
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

// sortedAttempts lists attempts by start, then id.
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

// length is how long an attempt ran, at least 0.
func (a *attempt) length() int64 {
	if a.start == 0 || a.finish == 0 {
		return 0
	}
	return max(0, a.finish-a.start)
}

// winner picks the attempt that stands for a task, and gives the durations of those that failed besides. It is the attempt that
// the log names, else the successful one that ended first, else, in a job that did not succeed, the one that took longest:
// it held a slot as well. nil = the task never ran.
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

// build makes the job. Tasks that never ran are left out, unless the job succeeded: then they ran, but their attempts are
// missing in the log, and they take the times of the job's other tasks in turn. lost counts those.
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
		j.Maps = append(j.Maps, trace.Map{Time: a.length(), Start: a.start, Host: a.host, Hosts: t.hosts, Input: max(0, t.input, a.input), Failed: failed})
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

// maxMissing bounds the tasks that are made up for a job.
const maxMissing = 1 << 20

// missing counts the tasks of a job that succeeded of which no attempt was recorded; 0 if there is none that could stand in.
func (r *record) missing(t job.TaskType, have int) int {
	if have == 0 {
		return 0
	}
	return min(maxMissing, max(0, len(r.tasks[t])-have, int(r.want[t])-have))
}

// skewed tells that an attempt cannot have run when it says.
func (a *attempt) skewed(submit int64) bool {
	return a.start > 0 && a.start < submit || a.finish > 0 && a.finish < a.start
}

// reduce splits a reduce attempt into phases (SIM section III): a reduce that started before the last map had ended has a first
// shuffle, counted from there to the end of its sort; any other has a typical one, from its start. Clocks of different
// machines disagree, so a phase that comes out negative is taken as 0. An attempt whose log names no sort has no shuffle
// that could be told from the rest.
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

// indexOf reads the index off a task's or attempt's id: ..._m_000012_0 gives 12.
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

// jobOf gives the id of the job that a task or attempt belongs to; "" = it has none.
func jobOf(id string) string {
	parts := strings.SplitN(id, "_", 4)
	if len(parts) < 4 || parts[0] != "task" && parts[0] != "attempt" && parts[0] != "tip" {
		return ""
	}
	return "job_" + parts[1] + "_" + parts[2]
}
