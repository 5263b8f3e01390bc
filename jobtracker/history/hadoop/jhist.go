package hadoop

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
)

// JHist writes the facts of one job as a .jhist file in its JSON encoding and returns their
// summary. facts is a journal, and confPath is the path of the job's configuration that the history
// names. If the journal is damaged, the error is history.ErrTorn or of kind Corrupt.
//
// The file consists of the line "Avro-Json", the schema, and one line per event.
func JHist(w io.Writer, facts io.Reader, confPath string) (*Job, error) {
	f := &jhist{w: bufio.NewWriter(w)}
	fmt.Fprintf(f.w, "Avro-Json\n%s\n", schemaJSON())
	j, err := tell(facts, confPath, f)
	if err != nil {
		return nil, err
	}
	return j, errors.Join(f.err, f.w.Flush())
}

type jhist struct {
	// report receives the events. If it is nil, w receives their text.
	report *Report
	w      *bufio.Writer
	line   bytes.Buffer
	err    error
}

// event writes one event. The values must be in the order of the record's fields.
func (f *jhist) event(typ string, r avroRecord, values ...any) {
	if len(values) != len(r.fields) {
		f.err = fmt.Errorf("%s has %d fields, not %d", r.name, len(r.fields), len(values)) // a bug in this file
		return
	}
	if f.report != nil {
		if err := f.report.add(typ, contentOf(r, values)); err != nil && f.err == nil {
			f.err = err
		}
		return
	}
	b := &f.line
	b.Reset()
	fmt.Fprintf(b, `{"type":"%s","event":{"%s.%s":{`, typ, namespace, r.name)
	for i, v := range values {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(b, `"%s":`, r.fields[i].name)
		f.value(r.fields[i].typ, v)
	}
	b.WriteString("}}}\n")
	if _, err := f.w.Write(b.Bytes()); err != nil && f.err == nil {
		f.err = err
	}
}

// contentOf returns the content of an event without a detour through text.
func contentOf(r avroRecord, values []any) Record {
	out := Record{}
	for i, v := range values {
		switch x := v.(type) {
		case *job.Counters:
			v = groupsOf(x)
		case named:
			v = groupsOf(x.counters)
		case acls:
			lists := map[string]any{}
			for _, key := range listKeys {
				lists[key] = acl(x.Spec, key)
			}
			v = lists
		}
		out[r.fields[i].name] = v
	}
	return out
}

func (f *jhist) value(typ string, v any) {
	if typ[0] != '?' {
		f.plain(v)
		return
	}
	name := typ[1:]
	if name == countersRecord.name {
		name = namespace + "." + name
	}
	if v == "" {
		f.line.WriteString("null")
		return
	}
	fmt.Fprintf(&f.line, `{"%s":`, name)
	f.plain(v)
	f.line.WriteByte('}')
}

func (f *jhist) plain(v any) {
	switch v := v.(type) {
	case string:
		f.text(v)
	case *job.Counters:
		f.counters("COUNTERS", v)
	case named:
		f.counters(v.name, v.counters)
	case noSamples:
		f.line.WriteString("[]")
	case acls:
		f.acls(v)
	default:
		fmt.Fprint(&f.line, v)
	}
}

// orNone returns c, or empty counters if c is nil. Rumen requires counters even where the schema
// makes them optional.
func orNone(c *job.Counters) *job.Counters {
	if c == nil {
		return &job.Counters{}
	}
	return c
}

type named struct {
	name     string
	counters *job.Counters
}

type (
	noSamples struct{}
	acls      struct{ *job.Spec } // the job's access control lists
)

var listKeys = []string{conf.JobACLViewJob.Name, conf.JobACLModifyJob.Name}

func (f *jhist) acls(a acls) {
	f.line.WriteByte('{')
	for i, key := range listKeys {
		if i > 0 {
			f.line.WriteByte(',')
		}
		f.text(key)
		f.line.WriteByte(':')
		f.text(acl(a.Spec, key))
	}
	f.line.WriteByte('}')
}

func (f *jhist) text(s string) {
	e := json.NewEncoder(&f.line)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // encoding a string cannot fail
	f.line.Truncate(f.line.Len() - 1)
}

func (f *jhist) counters(name string, c *job.Counters) {
	fmt.Fprintf(&f.line, `{"name":"%s","groups":[`, name)
	for i, g := range groupsOf(c) {
		if i > 0 {
			f.line.WriteByte(',')
		}
		f.line.WriteString(`{"name":`)
		f.text(g.Name)
		f.line.WriteString(`,"displayName":`)
		f.text(g.Display)
		f.line.WriteString(`,"counts":[`)
		for i, c := range g.Counters {
			if i > 0 {
				f.line.WriteByte(',')
			}
			f.line.WriteString(`{"name":`)
			f.text(c.Name)
			f.line.WriteString(`,"displayName":`)
			f.text(c.Display)
			fmt.Fprintf(&f.line, `,"value":%d}`, c.Value)
		}
		f.line.WriteString("]}")
	}
	f.line.WriteString("]}")
}

func (f *jhist) jobSubmitted(j *Job) {
	s := j.Spec
	// A JobHistoryServer requires an ApplicationMaster. The JobTracker has none, so this event is
	// made up, like the containers below.
	f.event("AM_STARTED", amStarted, fmt.Sprintf("appattempt_%s_%04d_000001", j.ID.Cluster, j.ID.Seq), j.Submit,
		fmt.Sprintf("container_%s_%04d_01_000001", j.ID.Cluster, j.ID.Seq), "jobtracker", 0, 0)
	f.event("JOB_SUBMITTED", jobSubmitted, j.ID.String(), s.Name, s.User, j.Submit, j.ConfPath, acls{s}, s.Queue)
}

func (f *jhist) jobLaunched(j *Job) {
	f.event("JOB_INITED", jobInited, j.ID.String(), j.Launched, len(j.Spec.Splits), j.Spec.Reduces, "INITED", false)
}

func (f *jhist) jobPriority(j *Job) {
	f.event("JOB_PRIORITY_CHANGED", jobPriority, j.ID.String(), j.Priority.String())
}

func (f *jhist) jobQueue(j *Job) { f.event("JOB_QUEUE_CHANGED", jobQueue, j.ID.String(), j.Spec.Queue) }

func (f *jhist) taskStarted(_ *Job, t job.TaskID, at int64, hosts []string) {
	f.event("TASK_STARTED", taskStarted, t.String(), t.Type.String(), at, strings.Join(hosts, ","))
}

var localities = map[job.Locality]string{job.DataLocal: "NODE_LOCAL", job.RackLocal: "RACK_LOCAL",
	job.OffSwitch: "OFF_SWITCH"}

func (f *jhist) attemptStarted(j *Job, a *attempt) {
	locality, avataar := "", "VIRGIN"
	if a.id.Type == job.Map {
		locality = localities[a.local]
	}
	if a.slow {
		avataar = "SPECULATIVE"
	}
	// Readers require the name of a container. The JobTracker has no containers, so each attempt
	// gets a made-up name.
	container := fmt.Sprintf("container_%s_%04d_01_%06d", j.ID.Cluster, j.ID.Seq, a.number+1)
	f.event(attemptEvent(a.id.Type, "STARTED"), attemptStarted, a.id.TaskID.String(), a.id.Type.String(),
		a.id.String(), a.start, a.tracker.host, a.tracker.port(), a.tracker.port(), container, locality, avataar)
	if f.report != nil {
		f.report.place(a.id, a.tracker.rack)
	}
}

func (f *jhist) attemptEnded(_ *Job, a *attempt) {
	var (
		task, id, typ = a.id.TaskID.String(), a.id.String(), a.id.Type.String()
		host, rack    = a.tracker.host, a.tracker.rack
		port, none    = a.tracker.port(), noSamples{}
		counters      = orNone(a.counters)
	)
	switch {
	case a.state != job.AttemptSucceeded:
		f.event(attemptEvent(a.id.Type, a.state.String()), attemptUnsuccessful, task, typ, id, a.finish, host, port, rack,
			a.state.String(), a.text, counters, none, none, none, none)
	case a.id.Type == job.Map:
		f.event("MAP_ATTEMPT_FINISHED", mapFinished, task, id, typ, "SUCCEEDED", a.finish, a.finish, host, port, rack, "map",
			counters, none, none, none, none)
	case a.id.Type == job.Reduce:
		sorted := max(a.sorted, a.start)
		shuffled := max(a.shuffled, a.start)
		f.event("REDUCE_ATTEMPT_FINISHED", reduceFinished, task, id, typ, "SUCCEEDED", shuffled, max(sorted, shuffled),
			a.finish, host, port, rack, "reduce > reduce", counters, none, none, none, none)
	default:
		f.event(attemptEvent(a.id.Type, "FINISHED"), otherFinished, task, id, typ, "SUCCEEDED", a.finish, rack, host,
			strings.ToLower(a.id.Type.String()), counters)
	}
}

func (f *jhist) taskEnded(_ *Job, t job.TaskID, at int64, s job.TaskState, last *attempt, text string) {
	if s == job.TaskSucceeded && last != nil {
		f.event("TASK_FINISHED", taskFinished, t.String(), t.Type.String(), at, "SUCCEEDED", orNone(last.counters),
			last.id.String())
		return
	}
	due := ""
	var counters *job.Counters
	if last != nil {
		due, counters = last.id.String(), last.counters
	}
	f.event("TASK_FAILED", taskFailed, t.String(), t.Type.String(), at, text, due, s.String(), orNone(counters))
}

func (f *jhist) jobEnded(j *Job) {
	maps, reduces := &j.Of[job.Map], &j.Of[job.Reduce]
	if j.State != job.Succeeded {
		f.event("JOB_"+j.State.String(), jobUnsuccessful, j.ID.String(), j.Finished, maps.Succeeded, reduces.Succeeded,
			j.State.String(), j.Text, maps.FailedTasks, reduces.FailedTasks, maps.KilledTasks, reduces.KilledTasks)
		return
	}
	f.event("JOB_FINISHED", jobFinished, j.ID.String(), j.Finished, maps.Succeeded, reduces.Succeeded, maps.FailedTasks,
		reduces.FailedTasks, named{"TOTAL_COUNTERS", orNone(j.Counters)}, named{"MAP_COUNTERS", &maps.Counters},
		named{"REDUCE_COUNTERS", &reduces.Counters}, maps.KilledTasks, reduces.KilledTasks)
}
