package hadoop

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// A Report is what the history of a job says, as Hadoop's JobHistoryServer reads it
// (JobHistoryParser, CompletedJob). Times are in milliseconds since the epoch.
type Report struct {
	ID                     job.ID
	Name, User, Queue      string
	Submit, Launch, Finish int64  // -1 means that the history lacks the event
	State                  string // such as "SUCCEEDED"; "" means that the job has not ended
	Diagnostics            string
	Uberized               bool
	ConfPath               string // path of the configuration next to the history
	Lists                  []List // access control lists, in order of their names
	Masters                []Master
	Of                     [2]Totals // of maps and reduces
	Counters               []Group   // nil means that the history has none
	Tasks                  []*Task   // in order of their IDs

	tasks   map[job.TaskID]*Task
	strings map[string]string // shared by all events, because most texts repeat
}

// Totals holds the numbers of tasks of one type.
type Totals struct{ Total, Succeeded, Failed, Killed int64 }

// Completed returns the number of tasks that have ended.
func (t Totals) Completed() int64 { return t.Succeeded + max(t.Failed, 0) + max(t.Killed, 0) }

// A List is an access control list.
type List struct{ Name, Value string }

// A Master is a start of the job's ApplicationMaster.
type Master struct {
	Attempt        int64
	Start          int64
	Container      string
	Host           string // of its NodeManager
	Port, HTTPPort int64
}

// A Task is a task with its attempts.
type Task struct {
	ID       job.TaskID
	State    string // "" means that the task has not ended
	Start    int64
	Finish   int64 // -1 means that the task has not ended
	Counters []Group
	Attempts []*Attempt // in order of their IDs

	winner job.AttemptID
}

// An Attempt is an attempt of a task.
type Attempt struct {
	ID                           job.AttemptID
	State                        string // "" means that the attempt has not ended
	Text                         string // the attempt's own last status
	Error                        string // why it failed or was killed
	Start, Finish, Shuffle, Sort int64  // -1 means not yet or unknown
	Tracker                      string // host of the node that ran the attempt
	HTTPPort                     int64  // port of that node's web pages
	Rack                         string
	Container                    string
	Locality                     job.Locality
	Counters                     []Group
	Progress                     float32 // of a running attempt, from 0 to 1
}

// maxLine limits a line of a file in the JSON encoding, in bytes.
const maxLine = maxEvent

// Read reads a .jhist file in either encoding. If the file is damaged or is not a .jhist file, the
// error is of kind Corrupt.
func Read(in io.Reader) (*Report, error) {
	b := newReport()
	err := b.read(bufio.NewReaderSize(in, 64<<10))
	if err == nil && b.ID == (job.ID{}) {
		err = errors.New("the submission of the job is missing")
	}
	if err != nil {
		return nil, failure.New(failure.Corrupt, "read", "history of a job", err)
	}
	return b.done(), nil
}

// ReadFacts returns the report of a job from its facts so far, in the form of a journal.
func ReadFacts(facts io.Reader, confPath string) (*Report, error) {
	b := newReport()
	f := &jhist{report: b}
	if _, err := tell(facts, confPath, f); err != nil {
		return nil, err
	}
	if f.err != nil {
		return nil, failure.New(failure.Corrupt, "read", "facts of "+b.ID.String(), f.err)
	}
	return b.done(), nil
}

func newReport() *Report {
	return &Report{Submit: -1, Launch: -1, Finish: -1, tasks: map[job.TaskID]*Task{}, strings: map[string]string{}}
}

// done drops what only the reading needs.
func (b *Report) done() *Report {
	b.Tasks = slices.SortedFunc(maps.Values(b.tasks), func(x, y *Task) int {
		return cmp.Or(cmp.Compare(x.ID.Type, y.ID.Type), cmp.Compare(x.ID.Index, y.ID.Index))
	})
	for _, t := range b.Tasks {
		slices.SortFunc(t.Attempts, func(x, y *Attempt) int { return x.ID.Compare(y.ID) })
	}
	b.strings = nil
	return b
}

func (b *Report) read(in *bufio.Reader) error {
	encoding, err := in.ReadString('\n')
	if err != nil {
		return err
	}
	switch strings.TrimSpace(encoding) {
	case AvroJSON:
		lines := bufio.NewScanner(in)
		lines.Buffer(nil, maxLine)
		for lines.Scan() {
			if IsSchema(lines.Bytes()) {
				continue
			}
			var bad error
			err := JSONEvents(lines.Bytes(), func(e map[string]any) {
				if err := b.event(e); bad == nil {
					bad = err
				}
			})
			if err = errors.Join(err, bad); err != nil {
				return err
			}
		}
		return lines.Err()
	case AvroBinary:
		schema, err := in.ReadBytes('\n')
		if err != nil {
			return err
		}
		d, err := NewDecoder(schema, in)
		for err == nil {
			var e map[string]any
			if e, err = d.Next(); err == nil {
				err = b.event(e)
			}
		}
		if err == io.EOF {
			return nil
		}
		return err
	}
	return fmt.Errorf("the first line is neither %s nor %s", AvroJSON, AvroBinary)
}

func (b *Report) event(e map[string]any) error {
	kind, r := Content(e)
	if r == nil {
		return errors.New("an event has no content")
	}
	if err := b.add(kind, r); err != nil {
		return fmt.Errorf("%s: %w", kind, err)
	}
	return nil
}

// add adds an event. It ignores events that Hadoop's JobHistoryServer ignores.
func (b *Report) add(kind string, r Record) (err error) {
	switch kind {
	case "AM_STARTED":
		id := r.Text("applicationAttemptId")
		var n int64
		_, _ = fmt.Sscanf(id[strings.LastIndexByte(id, '_')+1:], "%d", &n)
		b.Masters = append(b.Masters, Master{n, r.Number("startTime"), r.Text("containerId"), r.Text("nodeManagerHost"),
			r.Number("nodeManagerPort"), r.Number("nodeManagerHttpPort")})
	case "JOB_SUBMITTED":
		b.Name, b.User, b.Queue = r.Text("jobName"), r.Text("userName"), r.Text("jobQueueName")
		b.Submit, b.ConfPath = r.Number("submitTime"), r.Text("jobConfPath")
		b.ID, err = job.ParseID(r.Text("jobid"))
		lists, _ := r.value("acls").(map[string]any)
		for _, key := range listKeys {
			if text, ok := lists[key].(string); ok {
				b.Lists = append(b.Lists, List{key, text})
			}
		}
	case "JOB_INITED":
		b.Launch, b.Uberized = r.Number("launchTime"), r.Bool("uberized")
		b.Of[job.Map].Total, b.Of[job.Reduce].Total = r.Number("totalMaps"), r.Number("totalReduces")
	case "JOB_INFO_CHANGED":
		b.Submit, b.Launch = r.Number("submitTime"), r.Number("launchTime")
	case "JOB_QUEUE_CHANGED":
		b.Queue = r.Text("jobQueueName")
	case "JOB_FINISHED", "JOB_FAILED", "JOB_KILLED", "JOB_ERROR":
		b.ended(kind, r)
	case "TASK_STARTED":
		id, err := job.ParseTaskID(r.Text("taskid"))
		if err != nil {
			return err
		}
		b.tasks[id] = &Task{ID: id, Start: r.Number("startTime"), Finish: -1}
	case "TASK_FINISHED", "TASK_FAILED", "TASK_UPDATED":
		return b.taskEnded(kind, r)
	default:
		if strings.Contains(kind, "_ATTEMPT_") {
			return b.attempt(kind, r)
		}
	}
	return err
}

func (b *Report) ended(kind string, r Record) {
	b.Finish = r.Number("finishTime")
	for t, names := range [2][3]string{{"finishedMaps", "failedMaps", "killedMaps"},
		{"finishedReduces", "failedReduces", "killedReduces"}} {
		of := &b.Of[t]
		of.Succeeded, of.Failed, of.Killed = r.Number(names[0]), r.Number(names[1]), r.Number(names[2])
	}
	if kind == "JOB_FINISHED" {
		b.State, b.Counters = job.Succeeded.String(), b.counters(r, "totalCounters")
		return
	}
	b.State, b.Diagnostics = r.Text("jobStatus"), r.Text("diagnostics")
}

func (b *Report) taskEnded(kind string, r Record) error {
	id, err := job.ParseTaskID(r.Text("taskid"))
	t := b.tasks[id]
	if err != nil || t == nil {
		return cmp.Or(err, errors.New("an unknown task ends"))
	}
	t.Finish = r.Number("finishTime")
	switch kind {
	case "TASK_FINISHED":
		t.State, t.winner = job.TaskSucceeded.String(), job.AttemptID{}
		if text := r.Text("successfulAttemptId"); text != "" {
			t.winner, err = job.ParseAttemptID(text)
		}
	case "TASK_FAILED":
		t.State = job.TaskFailed.String()
	default:
		return nil
	}
	t.Counters = b.counters(r, "counters")
	for _, a := range t.Attempts { // share equal counters
		if slices.EqualFunc(a.Counters, t.Counters, func(x, y Group) bool {
			return x.Name == y.Name && slices.Equal(x.Counters, y.Counters)
		}) {
			t.Counters = a.Counters
		}
	}
	return err
}

func (b *Report) attempt(kind string, r Record) error {
	id, err := job.ParseAttemptID(r.Text("attemptId"))
	if err != nil {
		return err
	}
	t := b.tasks[id.TaskID]
	if t == nil {
		if strings.HasSuffix(kind, "_FAILED") || strings.HasSuffix(kind, "_KILLED") {
			return nil
		}
		return errors.New("an attempt belongs to an unknown task")
	}
	i := slices.IndexFunc(t.Attempts, func(a *Attempt) bool { return a.ID == id })
	if strings.HasSuffix(kind, "_STARTED") {
		a := &Attempt{ID: id, Start: r.Number("startTime"), Finish: -1, Shuffle: -1, Sort: -1,
			Tracker: b.share(r.Text("trackerName")), HTTPPort: r.Number("httpPort"),
			Container: strings.Clone(r.Text("containerId")),
			Locality:  job.ParseLocality(r.Text("locality"))}
		if i >= 0 {
			t.Attempts[i] = a
		} else {
			t.Attempts = append(t.Attempts, a)
		}
		return nil
	}
	if i < 0 {
		return nil // a second ApplicationMaster may not know the start
	}
	a := t.Attempts[i]
	a.Finish, a.Shuffle, a.Sort = r.Number("finishTime"), r.Number("shuffleFinishTime"), r.Number("sortFinishTime")
	a.Counters = b.counters(r, "counters")
	a.Rack = b.share(r.Text("rackname"))
	if strings.HasSuffix(kind, "_FINISHED") {
		a.State, a.Text = b.share(r.Text("taskStatus")), b.share(r.Text("state"))
		return nil
	}
	a.State, a.Error = b.share(r.Text("status")), b.share(r.Text("error"))
	a.Shuffle, a.Sort = a.Finish, a.Finish
	if t.State == job.TaskSucceeded.String() && t.winner == id { // the output of the winner was lost
		t.State, t.Finish, t.Counters, t.winner = "", -1, nil, job.AttemptID{}
	}
	return nil
}

// place sets the rack of an attempt that has started. Only the event of its end contains the rack.
func (b *Report) place(id job.AttemptID, rack string) {
	if t := b.tasks[id.TaskID]; t != nil {
		for _, a := range t.Attempts {
			if a.ID == id {
				a.Rack = b.share(rack)
			}
		}
	}
}

// share returns a text that is equal to s. It shares the memory of equal texts.
func (b *Report) share(s string) string {
	if old, ok := b.strings[s]; ok {
		return old
	}
	s = strings.Clone(s)
	b.strings[s] = s
	return s
}

// counters returns the counters in a field of a record, which are in Hadoop's order.
func (b *Report) counters(r Record, name string) []Group {
	if groups, ok := r[name].([]Group); ok { // from facts
		return groups
	}
	var out []Group
	for _, g := range r.Counters(name).Records("groups") {
		group := Group{Name: b.share(g.Text("name")), Display: b.share(g.Text("displayName")), Counters: []Counter{}}
		for _, c := range g.Records("counts") {
			group.Counters = append(group.Counters, Counter{b.share(c.Text("name")), b.share(c.Text("displayName")),
				c.Number("value")})
		}
		out = append(out, group)
	}
	return out
}
